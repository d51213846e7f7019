// Pods that get new values only when they are born again: because the policy says so, because they end before a resize
// would be worth it, or because a resize would restart them anyway.

import { isShortLived } from './interlocks.ts';
import type { Waiting } from './waiting.ts';
import { outcome, type Outcome } from './decision.ts';
import { fitPod } from './pod-change.ts';
import type { ResizeMemory, WorkloadSituation } from './situation.ts';

/** Nothing of the workload is ever resized in place. */
export function isSizedAtBirthAlone({ policy, workload }: Pick<WorkloadSituation, 'policy' | 'workload'>): boolean {
  return policy.apply === 'OnRestart' || isShortLived(workload.kind);
}

/** No pod can be given the values in place, and all of them would be born with them: then they are in force from now on. */
export function comesWithBirth(situation: WorkloadSituation, waits: readonly Waiting[]): boolean {
  if (situation.standing.admission !== true) return false;
  return isSizedAtBirthAlone(situation) || (waits.length > 0 && waits.every(({ reason }) => reason === 'restart'));
}

/**
 * How far what is in force has come by births; null: every pod that lives has it, and at least one ever had.
 * `pods`: how many have it now, to be remembered.
 */
export function birthsAwaited(situation: WorkloadSituation): { readonly outcome: Outcome | null; readonly pods: number } | null {
  const { memory, pods, kubeletVersions, workload } = situation;
  const settled = memory.lastApplied;
  if (settled === null || !isSizedAtBirthAlone(situation)) return null;
  const having = pods.filter((pod) => fitPod(pod, settled.values, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits').length;
  const seen = Math.max(settled.pods, having);
  if (having < pods.length) {
    const older = `${pods.length - having} of ${pods.length} pods were born before this came in force`;
    return { outcome: outcome('awaiting', 'restart', `${older}; they get it when they are born again`), pods: seen };
  }
  if (seen > 0) return { outcome: null, pods: seen };
  const next = isShortLived(workload.kind) ? `the next run of this ${workload.kind}` : 'the next pod';
  return { outcome: outcome('awaiting', 'restart', `in force, and ${next} is born with it`), pods: 0 };
}

/** What is remembered with so many pods that have what is in force. */
export function withPods(memory: ResizeMemory, pods: number): Partial<ResizeMemory> {
  return memory.lastApplied === null || memory.lastApplied.pods === pods ? {} : { lastApplied: { ...memory.lastApplied, pods } };
}
