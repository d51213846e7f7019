// Looks for harm in a change under way that has to prove itself.

import { carryOut } from './carry-out.ts';
import type { Values } from '../model/container-values.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { evidenceOfHarm } from './evidence-of-harm.ts';
import { harmOf, type Harm } from './harm-of-change.ts';
import { mustProveItself } from './stages.ts';
import { throttledRatioOf } from './what-is-due.ts';

const NOTHING: Values = new Map();
const NO_KILLS: NonNullable<WorkloadSituation['countedKills']> = new Map();

/** Why the change under way should be taken back; null: there is none, or no sign of harm. */
export function harmSeen(situation: WorkloadSituation): Harm | null {
  const { memory, policy, errorRate, pods, now, countedKills = NO_KILLS } = situation;
  if (memory.apply === null || !mustProveItself(memory.apply, memory.previous?.values ?? null)) return null;
  const changed = carryOut(situation, memory.apply.values, { kind: 'change', most: 0, because: '' }).settled;
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const previous = memory.previous?.values ?? null;
  const throttledRatio = throttledRatioOf(situation);
  const proof = { now, change: memory.apply, previous, changed, others, countedKills, throttledRatio, errorRate };
  const { apply } = memory;
  const reduction = { since: apply.startedAt, before: previous ?? NOTHING, inForce: apply.values, changed, others };
  return harmOf(proof, policy.rollback) ?? evidenceOfHarm(situation, reduction).harm;
}
