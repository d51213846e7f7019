// Keeps the number of replicas stable while requests change: selects the autoscaler targets to adjust, and the state to store before
// anything is written.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { AutoscalerState } from '../../../hpa/autoscaler-state.ts';
import { hasOriginalRequest, isWorthStoring, type FollowedAutoscaler, type FollowedTarget } from '../../../hpa/follow-targets.ts';
import { readOriginal, type AutoscalerMemory } from '../../../hpa/recorded-target.ts';
import { meanRequest, usualRequest } from '../../../hpa/scale-point.ts';
import { copyContainer, copyPod, type PodRecord } from '#kube/records/pod';
import { autoscalersIn } from './autoscalers.ts';
import type { ResizeStep } from '../../model/resize-step.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/** Autoscalers to adjust, their state to store, and Events. */
export interface Preserving {
  readonly followed: readonly FollowedAutoscaler[];
  readonly memory: readonly AutoscalerMemory[];
  readonly events: readonly DecisionEvent[];
}

/**
 * An adjusted target is followed in every mode until its pods have their original requests again: re-created pods have the request of
 * their template, for which the adjusted target would be wrong. Other targets are only adjusted in mode Auto.
 */
export function preserveReplicas(situation: WorkloadSituation, mode: ResizeMode, steps: readonly ResizeStep[]): Preserving {
  const { memory, policy, pods, now } = situation;
  if (policy.hpa === 'Off') return { followed: [], memory: memory.autoscalers, events: [] };
  const after = podsAfter(pods, steps);
  const canRemoveRecord = memory.apply === null;
  const followed: FollowedAutoscaler[] = [];
  const remembered: AutoscalerMemory[] = [];
  const events: DecisionEvent[] = [];
  for (const autoscaler of autoscalersIn(situation)) {
    const { hpa } = autoscaler;
    const movable = autoscaler.blocker === null && mode === 'Auto';
    const targets = autoscaler.targets.flatMap((target): FollowedTarget[] => {
      const stays = target.minKeptRequest !== null;
      if (target.kept !== null) return [{ ...target.kept, stays }];
      if ((!movable && !stays) || meanRequest(pods, target.metric) === meanRequest(after, target.metric)) return [];
      const request = usualRequest(pods, target.metric);
      const { resource, container } = target.metric;
      return request === null ? [] : [{ resource, container, percent: target.live, request, set: target.live, stays }];
    });
    const follows = targets.length > 0 && (movable || (autoscaler.blocker === null && !autoscaler.memory.isReverted));
    if (follows) followed.push({ namespace: hpa.namespace, name: hpa.name, targets, canRemoveRecord });
    // The new target is not stored before it is written: one patch writes target and annotation, so the HPA has both or neither.
    // The original target is stored until it is restored and the annotation is removed.
    const isBack = autoscaler.targets.every(({ live, kept }) => kept === null || live === kept.percent);
    const hasRecord = readOriginal(hpa) !== null;
    const isRestored = canRemoveRecord && isBack && !hasRecord && targets.every((target) => hasOriginalRequest(target, after));
    const issuedAt =
      autoscaler.memory.targets.length > 0 ? autoscaler.memory.issuedAt : Math.max(now, (autoscaler.memory.issuedAt ?? 0) + 1);
    remembered.push({
      ...autoscaler.memory,
      ...(isRestored || targets.length === 0 ? { targets: [], issuedAt: null } : { targets, issuedAt }),
    });
    if (autoscaler.newlyReverted) events.push(revertEvent(autoscaler));
  }
  const gone = memory.autoscalers.filter(({ name }) => !situation.hpas.some((hpa) => hpa.name === name));
  const ofDeletedHpas = gone.filter(({ targets }) => !targets.every((target) => hasOriginalRequest(target, pods)));
  return { followed, memory: [...remembered, ...ofDeletedHpas].filter(isWorthStoring), events };
}

/** The pods as they are after the steps. */
export function podsAfter(pods: readonly PodRecord[], steps: readonly Pick<ResizeStep, 'pod' | 'containers'>[]): readonly PodRecord[] {
  const byUid = new Map(steps.map((step) => [step.pod.uid, step]));
  return pods.map((pod) => {
    const step = byUid.get(pod.uid);
    if (step === undefined) return pod;
    const containers = pod.containers.map((container) => {
      const to = step.containers.find(({ name }) => name === container.name)?.to;
      return to === undefined ? container : copyContainer(container, to);
    });
    return copyPod(pod, { containers });
  });
}

function revertEvent({ hpa, memory, blocker }: AutoscalerState): DecisionEvent {
  const what = `HorizontalPodAutoscaler ${hpa.name}: the adjusted target was reverted by ${memory.revertedBy ?? 'another manager'}`;
  return {
    type: 'Warning',
    reason: 'AutoscalerReverted',
    message: blocker === null ? `${what}; it is adjusted once more` : `${what}; it is not adjusted again`,
  };
}
