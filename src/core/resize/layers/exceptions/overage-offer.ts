// The temporary limit that pods may get: where the policy permits it, where it can be taken back, and within free capacity.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { ResourceName } from '#kube/records/resources';
import type { DurationMs } from '#kube/units';
import { isHeldByUser } from '../../plan/blockers/blockers.ts';
import { canLowerMemoryLimit } from '../../plan/pod/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { Evidence } from './evidence.ts';
import { isApplied, type LimitException } from '../../model/limit-exception.ts';
import { overageValue } from './proposal.ts';

/** A temporary limit in millicores or bytes, or the reason for none. */
export interface OverageOffer {
  /** Whether the policy permits overages. */
  readonly allowed: boolean;
  /** null: none, or not now. */
  readonly value: number | null;
  readonly cappedBy: string | null;
  readonly forMs: DurationMs;
  /** Why there is none although the policy permits it; null: there is one, or the policy does not permit it. */
  readonly noneReason: string | null;
}

export interface OfferInputs {
  readonly situation: WorkloadSituation;
  /** null: the container does not exist any more. */
  readonly plan: ContainerPlan | null;
  readonly resource: ResourceName;
  readonly before: LimitException | null;
  readonly evidence: Evidence | null;
  readonly proposed: number | null;
  /** Whether the pods may be changed now. */
  readonly canAct: boolean;
  readonly ownMode: ResizeMode;
}

/** The overage for an exception. */
export function overageOffer(inputs: OfferInputs): OverageOffer {
  const { situation, plan, resource, before, evidence, proposed } = inputs;
  const { mode, forMs } = situation.policy.limitOverage;
  const allowed = mode === 'Temporary';
  const none = { allowed, value: null, cappedBy: null, forMs, noneReason: null };
  if (!allowed || plan === null || evidence?.bound !== 'limit') return none;
  const why = findOfferBlocker(inputs, plan);
  if (why !== null) return { ...none, noneReason: why };
  const given = before !== null && isApplied(before) ? before.overage : null;
  // Computed from the previous limit, not from the overage, which would otherwise grow with each decision.
  const base = given?.before ?? evidence.limit;
  const { value, cappedBy } = overageValue(situation, resource, base, proposed ?? base);
  return { allowed, value, cappedBy, forMs, noneReason: value === null ? `bounded by ${cappedBy ?? 'the cluster'}` : null };
}

function findOfferBlocker({ situation, resource, canAct, ownMode }: OfferInputs, plan: ContainerPlan): string | null {
  const { gateState, policy, hpas, pods } = situation;
  if (gateState.dryRun || policy.dryRun) return 'dry run';
  if (ownMode !== 'Auto' && ownMode !== 'Approve') return `mode ${ownMode} makes no changes`;
  if (!canAct) return 'pods may not be changed now';
  if (isHeldByUser(situation)) return 'held by the annotation evenkeel.io/held-until';
  const measured = hpas.some(({ resourceMetrics }) =>
    resourceMetrics.some((metric) => metric.resource === resource && metric.targetUtilizationRatio !== null),
  );
  // The request of a Guaranteed pod would be raised with the limit, and the autoscaler measures against the request.
  if (measured && pods[0]?.qosClass === 'Guaranteed')
    return 'a HorizontalPodAutoscaler measures against the request, which equals the limit';
  return findReturnBlocker(situation, plan.name, resource);
}

/** Why an overage could not be taken back, so that it is not granted; null: it can. */
function findReturnBlocker({ pods, kubeletVersions }: WorkloadSituation, name: string, resource: ResourceName): string | null {
  for (const { containers, node } of pods) {
    const container = containers.find((each) => each.name === name);
    if (container === undefined) continue;
    if (container.resizePolicy[resource] === 'RestartContainer') return 'the container restarts when it is resized (resizePolicy)';
    if (resource === 'memory' && !canLowerMemoryLimit(container, kubeletVersions.get(node ?? '') ?? ''))
      return 'the kubelet could not lower the memory limit again without a restart (requires Kubernetes 1.34)';
  }
  return null;
}
