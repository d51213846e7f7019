// What a dry run would do comes to the same at every look, for as long as it lasts. It is told once a day: a log and a
// timeline are read for what is new.

import { DAY_MS, type Instant } from '#kube/units';

interface Told {
  readonly change: string;
  readonly at: Instant;
}

export class DryRunNews {
  readonly #told = new Map<string, Told>();
  #sweptAt: Instant = Number.NEGATIVE_INFINITY;

  /** Whether this has not been told for a day. It counts as told from now on. */
  isNew(action: string, object: string, change: string, now: Instant): boolean {
    this.#sweep(now);
    const key = `${action} ${object}`;
    const before = this.#told.get(key);
    if (before?.change === change && now - before.at < DAY_MS) return false;
    this.#told.set(key, { change, at: now });
    return true;
  }

  // Objects come and go, and nobody says that they are gone.
  #sweep(now: Instant): void {
    if (now - this.#sweptAt < DAY_MS) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#told) if (now - at >= DAY_MS) this.#told.delete(key);
  }
}
