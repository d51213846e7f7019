// What a dry run would do comes to the same at every look, for as long as it lasts. It is told once a day: a log and a
// timeline are read for what is new.

import { DAY_MS, type Instant } from '#kube/units';

interface ReportedEffect {
  readonly change: string;
  readonly at: Instant;
}

export class DryRunReports {
  readonly #reported = new Map<string, ReportedEffect>();
  #sweptAt: Instant = Number.NEGATIVE_INFINITY;

  /** Whether this has not been told for a day. It counts as told from now on. */
  isNew(action: string, object: string, change: string, now: Instant): boolean {
    this.#sweep(now);
    const key = `${action} ${object}`;
    const before = this.#reported.get(key);
    if (before?.change === change && now - before.at < DAY_MS) return false;
    this.#reported.set(key, { change, at: now });
    return true;
  }

  // Objects come and go, and nobody says that they are gone.
  #sweep(now: Instant): void {
    if (now - this.#sweptAt < DAY_MS) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#reported) if (now - at >= DAY_MS) this.#reported.delete(key);
  }
}
