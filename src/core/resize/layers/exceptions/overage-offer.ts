// What pods may have for a while: where the policy lets it, where it can be taken back, and where there is room.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { ResourceName } from '#kube/records/resources';
import type { DurationMs } from '#kube/units';
import { heldByPerson } from '../../plan/interlocks.ts';
import { mayLowerMemoryLimit } from '../../plan/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { Evidence } from './evidence.ts';
import { isApplied, type LimitException } from '../../model/limit-exception.ts';
import { overageValue } from './proposal.ts';

export interface OverageOffer {
  /** Whether the policy lets limits be passed for a while at all. */
  readonly allowed: boolean;
  /** null: nothing, or not now. */
  readonly value: number | null;
  readonly cappedBy: string | null;
  readonly forMs: DurationMs;
  /** Why there is none although the policy lets it; null: there is one, or the policy does not. */
  readonly noneReason: string | null;
}

export interface OfferInputs {
  readonly situation: WorkloadSituation;
  /** null: nothing is known of the container. */
  readonly own: ContainerPlan | null;
  readonly resource: ResourceName;
  readonly before: LimitException | null;
  readonly evidence: Evidence | null;
  readonly proposed: number | null;
  /** Whether anything may be done to the pods. */
  readonly acts: boolean;
  readonly ownMode: ResizeMode;
}

export function overageOffer(inputs: OfferInputs): OverageOffer {
  const { situation, own, resource, before, evidence, proposed } = inputs;
  const { mode, forMs } = situation.policy.limitOverage;
  const allowed = mode === 'Temporary';
  const none = { allowed, value: null, cappedBy: null, forMs, noneReason: null };
  if (!allowed || own === null || evidence?.bound !== 'limit') return none;
  const why = whyNone(inputs, own);
  if (why !== null) return { ...none, noneReason: why };
  const given = before !== null && isApplied(before) ? before.overage : null;
  // From the limit before, never from what was given: a bump must not feed itself.
  const base = given?.before ?? evidence.limit;
  const { value, cappedBy } = overageValue(situation, resource, base, proposed ?? base);
  return { allowed, value, cappedBy, forMs, noneReason: value === null ? `${cappedBy ?? 'the cluster'} leaves no room` : null };
}

function whyNone({ situation, resource, acts, ownMode }: OfferInputs, own: ContainerPlan): string | null {
  const { gateState, policy, hpas, pods } = situation;
  if (gateState.dryRun || policy.dryRun) return 'dry run';
  if (ownMode !== 'Auto' && ownMode !== 'Approve') return `mode ${ownMode} applies nothing`;
  if (!acts) return 'nothing may be changed now';
  if (heldByPerson(situation)) return 'held by the annotation evenkeel.io/held-until';
  const measured = hpas.some(({ resourceMetrics }) =>
    resourceMetrics.some((metric) => metric.resource === resource && metric.targetUtilizationRatio !== null),
  );
  // Its request goes with its limit, and the autoscaler measures against the request.
  if (measured && pods[0]?.qosClass === 'Guaranteed')
    return 'a HorizontalPodAutoscaler measures against the request, which equals the limit';
  return whyNotBack(situation, own.name, resource);
}

/** An overage that cannot be taken back is not given. */
function whyNotBack({ pods, kubeletVersions }: WorkloadSituation, name: string, resource: ResourceName): string | null {
  for (const { containers, node } of pods) {
    const container = containers.find((each) => each.name === name);
    if (container === undefined) continue;
    if (container.resizePolicy[resource] === 'RestartContainer') return 'the container restarts when it is resized (resizePolicy)';
    if (resource === 'memory' && !mayLowerMemoryLimit(container, kubeletVersions.get(node ?? '') ?? ''))
      return 'its kubelet could not take it back without a restart (Kubernetes 1.34 can)';
  }
  return null;
}
