// Whether every loop of a life ends: once usage is steady, nothing is resized or reported any more.

import { isoTime } from '../../src/core/model/iso-time.ts';
import type { DurationMs } from '../../src/core/model/units.ts';
import { decidedPart, isWorthWriting, type DecidedPart } from '../../src/core/resize/status/recommendation-status.ts';
import type { Lived } from './workload-life.ts';

export class AdversaryEnd {
  /** When a pod was last resized. */
  resizedAt: DurationMs = 0;
  /** When the status last changed. */
  reportedAt: DurationMs = 0;
  /** What was reported then. */
  #reported: DecidedPart | undefined;

  look({ elapsedMs, now, steps, decision }: Lived): void {
    if (steps.length > 0) this.resizedAt = elapsedMs;
    // That a node is still there is noted once a day, and is no news.
    const part = decidedPart({ ...decision, memory: { ...decision.memory, largestNode: null } }, { generation: 1, waitingRaises: null });
    // As if it had been written a moment ago: that it is written once an hour is no change.
    const before = this.#reported && { ...this.#reported, updatedAt: isoTime(now) };
    if (!isWorthWriting(before, part, now)) return;
    this.#reported = part;
    this.reportedAt = elapsedMs;
  }
}
