// Resizes that the kubelets of a node pool refuse for any amount, shared between workloads. The kubelets' configuration is not
// readable. Not persisted, because the status of each Recommendation has its own failures.

import type { Instant } from '#kube/units';
import { NODE_PROPERTY_CODES } from '#kube/records/refusal-code';
import type { FailedResize, ResizeMemory } from '../../core/resize/model/situation.ts';
import { mergeFailures, failureKey, isCurrent, retainedUntil } from '../../core/resize/plan/steps/failed-resizes.ts';

/** The newest refusal by pool, reason and resource. */
export class PoolRefusals {
  readonly #byKey = new Map<string, FailedResize>();

  record({ failures, classes }: Pick<ResizeMemory, 'failures' | 'classes'>): void {
    for (const failure of [...failures, ...[...(classes?.values() ?? [])].flatMap((memory) => memory.failures)]) {
      if (failure.pool === null || !NODE_PROPERTY_CODES.includes(failure.code)) continue;
      const key = failureKey(failure);
      const known = this.#byKey.get(key);
      if (failure.since >= (known?.since ?? failure.since)) this.#byKey.set(key, mergeFailures(failure, known));
    }
  }

  /** Refusals in force, one for each pool, reason and resource. */
  current(now: Instant): readonly FailedResize[] {
    for (const [key, failure] of this.#byKey) if (now >= retainedUntil(failure)) this.#byKey.delete(key);
    return [...this.#byKey.values()].filter((failure) => isCurrent(failure, now));
  }
}
