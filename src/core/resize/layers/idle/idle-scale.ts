// Reduces replicas while a workload is idle, where the policy allows it: by its `scale` subresource, or by minReplicas of its
// autoscaler. Replicas that another tool manages are not changed.

import { findKeeper } from '../../../hpa/autoscaler-state.ts';
import { hasAutoscaler } from './idle-originals.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ScaleStep } from '../../model/decision.ts';
import type { IdleMemory } from '../../model/evidence/idle-memory.ts';

export type ScalePlan = Pick<IdleMemory, 'idleReplicas' | 'autoscaler'> & {
  /** Why the replicas are kept although the policy sets fewer; null: they are reduced, or the policy sets none. */
  readonly why: string | null;
};

const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);
const UNCHANGED: ScalePlan = { idleReplicas: null, autoscaler: null, why: null };

/** The replicas of the workload while it is idle. */
export function planScale({ policy, workload, hpas, scaledObjects }: WorkloadSituation): ScalePlan {
  const wanted = policy.idle.replicas;
  if (wanted === null || !(SCALABLE.has(workload.kind) || workload.scalable === true)) return UNCHANGED;
  const stays = (why: string): ScalePlan => ({ ...UNCHANGED, why });
  const [scaled] = scaledObjects;
  if (scaled !== undefined) return stays(`ScaledObject ${scaled.name} manages its replicas`);
  const [hpa, ...others] = hpas;
  if (hpa === undefined) return workload.replicas.desired > wanted ? { ...UNCHANGED, idleReplicas: wanted } : UNCHANGED;
  if (others.length > 0) return stays('several HorizontalPodAutoscalers scale it');
  const keeper = findKeeper(hpa, scaledObjects);
  if (keeper !== null) return stays(`${keeper} manages HorizontalPodAutoscaler ${hpa.name}`);
  // An autoscaler does not scale a workload with 0 replicas, so it would never wake it.
  const least = Math.max(1, wanted);
  if (hpa.minReplicas <= least) return UNCHANGED;
  return { idleReplicas: least, autoscaler: { name: hpa.name, minReplicas: hpa.minReplicas }, why: null };
}

/** Present value of the field to lower; null: the object was deleted. */
function currentReplicas({ workload, hpas }: Pick<WorkloadSituation, 'workload' | 'hpas'>, { autoscaler }: IdleMemory): number | null {
  if (autoscaler === null) return workload.replicas.desired;
  return hpas.find(({ name }) => name === autoscaler.name)?.minReplicas ?? null;
}

/** Value of that field before the workload was idled. */
function naturalOf({ autoscaler, replicas }: IdleMemory): number {
  return autoscaler === null ? replicas : autoscaler.minReplicas;
}

/** Whether the idle replicas are in force now. */
export function isScaled(situation: Pick<WorkloadSituation, 'workload' | 'hpas'>, idle: IdleMemory): boolean {
  return idle.idleReplicas !== null && currentReplicas(situation, idle) === idle.idleReplicas;
}

/** The reduction of replicas that is still to be made; null: none. */
export function scaleDown(situation: WorkloadSituation, idle: IdleMemory): ScaleStep | null {
  const now = currentReplicas(situation, idle);
  if (idle.idleReplicas === null || now === null || now <= idle.idleReplicas) return null;
  return { autoscaler: idle.autoscaler?.name ?? null, from: now, to: idle.idleReplicas, reason: 'idle' };
}

/**
 * The restoration of replicas; null: none, or another manager has changed them meanwhile. An autoscaler whose minReplicas a user has
 * set keeps them; only idle mode's annotation is removed.
 */
export function restoreScale(situation: WorkloadSituation, idle: IdleMemory, reason: string): ScaleStep | null {
  const autoscaler = idle.autoscaler?.name ?? null;
  if (isScaled(situation, idle) && idle.idleReplicas !== null) return { autoscaler, from: idle.idleReplicas, to: naturalOf(idle), reason };
  const hpa = situation.hpas.find(({ name }) => name === autoscaler);
  if (hpa === undefined || !hasAutoscaler(idle, hpa)) return null;
  return { autoscaler, from: hpa.minReplicas, to: hpa.minReplicas, reason };
}

/** Message about a change of the replicas by another manager while the workload is idle; null: none. */
export function describeExternalScale(situation: WorkloadSituation, idle: IdleMemory): string | null {
  if (idle.idleReplicas === null) return null;
  const now = currentReplicas(situation, idle);
  const expected = idle.scaled ? [idle.idleReplicas] : [idle.idleReplicas, naturalOf(idle)];
  if (now !== null && expected.includes(now)) return null;
  const what = idle.autoscaler === null ? 'the replicas were' : `minReplicas of HorizontalPodAutoscaler ${idle.autoscaler.name} was`;
  return now === null ? 'its HorizontalPodAutoscaler was deleted' : `${what} set to ${now} by another manager`;
}
