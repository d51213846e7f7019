// Checks that every loop ends: once usage is steady, no pod is resized and no status is written.

import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, type DurationMs } from '#kube/units';
import type { PolicyRules } from '../../../src/core/resize/policy/policy-rules.ts';
import type { ResizeStep } from '../../../src/core/resize/model/resize-step.ts';
import { decidedPart } from '../../../src/core/resize/status/recommendation-status.ts';
import { isWorthWriting, type DecidedPart } from '../../../src/core/resize/status/status-change.ts';
import type { LifeTick } from './workload-life.ts';

/** A reduction is observed, and its outcome reported, for one day. */
const WATCHED_MS = 2 * DAY_MS;

const RESOURCES = ['cpuMillicores', 'memoryBytes'] as const;

/**
 * With a percentile in the policy, the usage histogram decays with a half-life of two weeks, so requests may fall for months in steps of at
 * least `minChangeRatio`. A loop needs raises too, so reductions of such a policy, and the reports about them, are not counted.
 */
export class AdversaryEnd {
  /** Time of the last resize of a pod, in milliseconds since the life began. */
  resizedAt: DurationMs = 0;
  /** Time of the last status change, in milliseconds since the life began. */
  reportedAt: DurationMs = 0;
  /** The status at that change. */
  #reported: DecidedPart | undefined;
  readonly #forgetsSlowly: boolean;
  #fellAt: DurationMs = Number.NEGATIVE_INFINITY;

  constructor({ container }: Partial<PolicyRules> = {}) {
    this.#forgetsSlowly = container !== undefined && (container.cpu.percentile !== null || container.memory.percentile !== null);
  }

  /** Records what one tick resized and reported. */
  look({ elapsedMs, now, steps, decision }: LifeTick): void {
    if (this.#forgetsSlowly && steps.some(isReduction) && steps.every(isReduction)) this.#fellAt = elapsedMs;
    else if (steps.length > 0) this.resizedAt = elapsedMs;
    // The status refreshes the largest node once a day; that is not a change.
    const part = decidedPart({ ...decision, memory: { ...decision.memory, largestNode: null } }, { generation: 1, waitingRaises: null });
    // The hourly refresh of `updatedAt` is not a change.
    const before = this.#reported && { ...this.#reported, updatedAt: isoTime(now) };
    if (!isWorthWriting(before, part, now)) return;
    this.#reported = part;
    if (elapsedMs - this.#fellAt > WATCHED_MS) this.reportedAt = elapsedMs;
  }
}

function isReduction({ kind, containers }: ResizeStep): boolean {
  return (
    kind === 'change' &&
    containers.every(({ from, to }) => RESOURCES.every((resource) => (to.requests[resource] ?? 0) <= (from.requests[resource] ?? 0)))
  );
}
