// A dry run has the same result at every reconcile. It is reported once a day, so that the log and the timeline show what is new.

import { DAY_MS, type Instant } from '#kube/units';

interface ReportedEffect {
  readonly change: string;
  readonly at: Instant;
}

/** Remembers which dry-run effects were reported within the last day. */
export class DryRunReports {
  readonly #reported = new Map<string, ReportedEffect>();
  #sweptAt: Instant = Number.NEGATIVE_INFINITY;

  /** Whether this change was not reported within a day; it then counts as reported. */
  isNew(action: string, object: string, change: string, now: Instant): boolean {
    this.#sweep(now);
    const key = `${action} ${object}`;
    const before = this.#reported.get(key);
    if (before?.change === change && now - before.at < DAY_MS) return false;
    this.#reported.set(key, { change, at: now });
    return true;
  }

  /** Drops old entries, because deleted objects are not reported here. */
  #sweep(now: Instant): void {
    if (now - this.#sweptAt < DAY_MS) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#reported) if (now - at >= DAY_MS) this.#reported.delete(key);
  }
}
