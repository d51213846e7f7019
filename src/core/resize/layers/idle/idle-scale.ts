// Fewer replicas while idle, where the policy allows it: by the workload's own `scale`, or by the autoscaler's least where
// there is one. What another tool keeps as it wants it is left to that tool.

import { keeperOf } from '../../../hpa/autoscaler-state.ts';
import { hasAutoscaler } from './idle-originals.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ScaleStep } from '../../model/scale-step.ts';
import type { IdleMemory } from '../../model/idle-memory.ts';

export type ScalePlan = Pick<IdleMemory, 'idleReplicas' | 'autoscaler'> & {
  /** Why the replicas stay although the policy would have fewer; null: no reason, or none wanted. */
  readonly why: string | null;
};

const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);
const AS_THEY_ARE: ScalePlan = { idleReplicas: null, autoscaler: null, why: null };

export function scalePlan({ policy, workload, hpas, scaledObjects }: WorkloadSituation): ScalePlan {
  const wanted = policy.idle.replicas;
  if (wanted === null || !(SCALABLE.has(workload.kind) || workload.scalable === true)) return AS_THEY_ARE;
  const stays = (why: string): ScalePlan => ({ ...AS_THEY_ARE, why });
  const [scaled] = scaledObjects;
  if (scaled !== undefined) return stays(`ScaledObject ${scaled.name} keeps its replicas`);
  const [hpa, ...others] = hpas;
  if (hpa === undefined) return workload.replicas.desired > wanted ? { ...AS_THEY_ARE, idleReplicas: wanted } : AS_THEY_ARE;
  if (others.length > 0) return stays('several HorizontalPodAutoscalers scale it');
  const keeper = keeperOf(hpa, scaledObjects);
  if (keeper !== null) return stays(`${keeper} keeps HorizontalPodAutoscaler ${hpa.name}`);
  // With none left an autoscaler scales nothing any more, and would never wake it.
  const least = Math.max(1, wanted);
  if (hpa.minReplicas <= least) return AS_THEY_ARE;
  return { idleReplicas: least, autoscaler: { name: hpa.name, minReplicas: hpa.minReplicas }, why: null };
}

/** Current value of the field to lower; null: the object is gone. */
function currentReplicas({ workload, hpas }: Pick<WorkloadSituation, 'workload' | 'hpas'>, { autoscaler }: IdleMemory): number | null {
  if (autoscaler === null) return workload.replicas.desired;
  return hpas.find(({ name }) => name === autoscaler.name)?.minReplicas ?? null;
}

/** What it was before. */
function naturalOf({ autoscaler, replicas }: IdleMemory): number {
  return autoscaler === null ? replicas : autoscaler.minReplicas;
}

/** Whether the idle replicas are in force now. */
export function isScaled(situation: Pick<WorkloadSituation, 'workload' | 'hpas'>, idle: IdleMemory): boolean {
  return idle.idleReplicas !== null && currentReplicas(situation, idle) === idle.idleReplicas;
}

/** What is to be lowered still; null: nothing. */
export function scaleDown(situation: WorkloadSituation, idle: IdleMemory): ScaleStep | null {
  const now = currentReplicas(situation, idle);
  if (idle.idleReplicas === null || now === null || now <= idle.idleReplicas) return null;
  return { autoscaler: idle.autoscaler?.name ?? null, from: now, to: idle.idleReplicas, because: 'idle' };
}

/**
 * What is to be restored; null: nothing, or another writer has changed it meanwhile. An autoscaler whose minReplicas a user has set
 * keeps them, and its note is rid of idle mode.
 */
export function scaleBack(situation: WorkloadSituation, idle: IdleMemory, because: string): ScaleStep | null {
  const autoscaler = idle.autoscaler?.name ?? null;
  if (isScaled(situation, idle) && idle.idleReplicas !== null) return { autoscaler, from: idle.idleReplicas, to: naturalOf(idle), because };
  const hpa = situation.hpas.find(({ name }) => name === autoscaler);
  if (hpa === undefined || !hasAutoscaler(idle, hpa)) return null;
  return { autoscaler, from: hpa.minReplicas, to: hpa.minReplicas, because };
}

/** Another writer has set the replicas since, on purpose. null: none has. */
export function scaledByOthers(situation: WorkloadSituation, idle: IdleMemory): string | null {
  if (idle.idleReplicas === null) return null;
  const now = currentReplicas(situation, idle);
  const expected = idle.scaled ? [idle.idleReplicas] : [idle.idleReplicas, naturalOf(idle)];
  if (now !== null && expected.includes(now)) return null;
  const what = idle.autoscaler === null ? 'the replicas were' : `minReplicas of HorizontalPodAutoscaler ${idle.autoscaler.name} was`;
  return now === null ? 'its autoscaler is gone' : `${what} set to ${now} by somebody else`;
}
