// Looks for harm in a change under way that has to prove itself.

import { carryOut } from './carry-out.ts';
import type { WorkloadSituation } from './situation.ts';
import { harmOf, mustProveItself } from './stages.ts';
import { throttledRatioOf } from './what-is-due.ts';

/** Why the change under way should be taken back; null: there is none, or no sign of harm. */
export function harmSeen(situation: WorkloadSituation): ReturnType<typeof harmOf> {
  const { memory, policy, errorRate, pods, now } = situation;
  if (memory.apply === null || !mustProveItself(memory.apply, memory.previous?.values ?? null)) return null;
  const changed = carryOut(situation, memory.apply.values, { kind: 'change', most: 0, because: '' }).settled;
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const proof = { now, change: memory.apply, changed, others, throttledRatio: throttledRatioOf(situation), errorRate };
  return harmOf(proof, policy.rollback);
}
