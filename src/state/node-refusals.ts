// What kubelets have been seen to refuse whatever the amount, by node pool, whichever workload met it first. Their
// configuration is not readable; nothing is kept beyond the process, because each Recommendation's status has its own.

import type { Instant } from '#kube/units';
import { NODE_PROPERTY_CODES } from '#kube/records/refusal-code';
import type { FailedResize, ResizeMemory } from '../core/resize/model/situation.ts';
import { afterEarlier, failureKey, isCurrent, rememberedUntil } from '../core/resize/plan/failed-resizes.ts';

export class NodeRefusals {
  readonly #byKey = new Map<string, FailedResize>();

  record({ failures, classes }: Pick<ResizeMemory, 'failures' | 'classes'>): void {
    for (const failure of [...failures, ...[...(classes?.values() ?? [])].flatMap((each) => each.failures)]) {
      if (failure.pool === null || !NODE_PROPERTY_CODES.includes(failure.code)) continue;
      const key = failureKey(failure);
      const known = this.#byKey.get(key);
      if (failure.since >= (known?.since ?? failure.since)) this.#byKey.set(key, afterEarlier(failure, known));
    }
  }

  /** Those that count now, one of each pool, reason and resource. */
  current(now: Instant): readonly FailedResize[] {
    for (const [key, failure] of this.#byKey) if (now >= rememberedUntil(failure)) this.#byKey.delete(key);
    return [...this.#byKey.values()].filter((failure) => isCurrent(failure, now));
  }
}
