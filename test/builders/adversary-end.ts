// Whether every loop of a life ends: once usage is steady, nothing is resized or reported any more.

import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { PolicyRules } from '../../src/core/resize/policy/policy-rules.ts';
import type { ResizeStep } from '../../src/core/resize/model/resize-step.ts';
import { decidedPart, isWorthWriting, type DecidedPart } from '../../src/core/resize/status/recommendation-status.ts';
import type { Lived } from './workload-life.ts';

/** A reduction is watched, and tells of it, for a day at most. */
const WATCHED_MS = 2 * DAY_MS;

const RESOURCES = ['cpuMillicores', 'memoryBytes'] as const;

/**
 * Under a percentile of the policy's own, usage is forgotten by halves in two weeks: requests may fall for months, by `minChangeRatio` or
 * more at a time and never below `min`. A loop needs raises, too, so there a reduction is not counted, nor what is told of it.
 */
export class AdversaryEnd {
  /** When a pod was last resized. */
  resizedAt: DurationMs = 0;
  /** When the status last changed. */
  reportedAt: DurationMs = 0;
  /** What was reported then. */
  #reported: DecidedPart | undefined;
  readonly #forgetsSlowly: boolean;
  #fellAt: DurationMs = Number.NEGATIVE_INFINITY;

  constructor({ container }: Partial<PolicyRules> = {}) {
    this.#forgetsSlowly = container !== undefined && (container.cpu.percentile !== null || container.memory.percentile !== null);
  }

  look({ elapsedMs, now, steps, decision }: Lived): void {
    if (this.#forgetsSlowly && steps.some(isReduction) && steps.every(isReduction)) this.#fellAt = elapsedMs;
    else if (steps.length > 0) this.resizedAt = elapsedMs;
    // That a node is still there is noted once a day, and is no news.
    const part = decidedPart({ ...decision, memory: { ...decision.memory, largestNode: null } }, { generation: 1, waitingRaises: null });
    // As if it had been written a moment ago: that it is written once an hour is no change.
    const before = this.#reported && { ...this.#reported, updatedAt: isoTime(now) };
    if (!isWorthWriting(before, part, now)) return;
    this.#reported = part;
    if (elapsedMs - this.#fellAt > WATCHED_MS) this.reportedAt = elapsedMs;
  }
}

function isReduction({ kind, containers }: ResizeStep): boolean {
  return (
    kind === 'change' &&
    containers.every(({ from, to }) => RESOURCES.every((each) => (to.requests[each] ?? 0) <= (from.requests[each] ?? 0)))
  );
}
