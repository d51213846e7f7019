import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { Recommendation as RecommendationItem, RecommendationHpa, RecommendedContainer } from '../../apis/http/types.generated.ts';
import type { Recommendation, RecommendationStatus, RecommendationStatusContainer } from '../../apis/v1alpha1/index.ts';
import type { HpaRecord } from '../../core/model/cluster-records.ts';
import { UNSET_RESOURCES, type RequestsAndLimits } from '#kube/records/resources';
import type { Usd } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { centsOrNull } from '../../core/cost/cents.ts';
import { boundsOf } from '../policies/overrides.ts';
import { packageOf } from './package-of.ts';
import { readQuantities, readRequestsAndLimits } from '../../core/recommendations/quantities.ts';
import type { ReadSources } from '../sources.ts';

type RecordSources = Pick<ReadSources, 'cluster' | 'decisions' | 'usage'>;

/**
 * One workload's recommendation in the API. A published one is read only from its object, so that kubectl shows the same; an unpublished one
 * comes from the decision cache.
 */
export function recommendationRecord(
  workload: WorkloadRecord,
  published: Recommendation | undefined,
  sources: RecordSources,
  costPerMonthUsd: Usd | null,
): RecommendationItem {
  const key = workloadKey(workload);
  const governance = sources.decisions.governance(workload);
  const status: RecommendationStatus = published?.status ?? sources.decisions.unpublished(key) ?? {};
  return {
    namespace: workload.namespace,
    kind: workload.kind,
    name: workload.name,
    policy: published?.spec.policyRef?.name ?? governance.policy,
    mode: governance.mode,
    published: published !== undefined,
    state: stateOf(governance.mode, status),
    package: packageOf(workload),
    hpa: hpaOf(sources.cluster.hpasOf(key)),
    overrides: {
      floor: boundsOf(workload.annotations[WORKLOAD_ANNOTATIONS.floor]),
      ceiling: boundsOf(workload.annotations[WORKLOAD_ANNOTATIONS.ceiling]),
    },
    costPerMonthUsd,
    containers: containersOf(workload, status),
    replicas: workload.replicas.desired,
    ...verdictOf(status),
    // The mode may have changed since the last decision, whose reason then no longer applies.
    ...(governance.mode === 'Off' ? { reason: null, until: null, waitingForNodeCapacity: null } : {}),
    source: status.source ?? sources.usage.source(),
  };
}

/** The inputs of a workload's record besides the workload: while they are identical, the record is unchanged. */
export function recordInputs(
  workload: WorkloadRecord,
  { cluster, decisions, usage }: RecordSources,
  costPerMonthUsd: Usd | null,
): readonly unknown[] {
  const key = workloadKey(workload);
  const published = cluster.findRecommendation(key);
  const { policy, mode } = decisions.governance(workload);
  return [
    published,
    published?.status === undefined ? decisions.unpublished(key) : undefined,
    policy,
    mode,
    cluster.hpasOf(key)[0],
    costPerMonthUsd,
    usage.source(),
  ];
}

function verdictOf(
  status: RecommendationStatus,
): Pick<
  RecommendationItem,
  'reason' | 'until' | 'waitingForNodeCapacity' | 'confidence' | 'savingsPerMonthUsd' | 'risk' | 'updatedAt' | 'appliedAt'
> {
  return {
    reason: status.reason ?? null,
    until: status.until ?? null,
    waitingForNodeCapacity: waitingRaisesOf(status),
    confidence: status.confidence ?? null,
    savingsPerMonthUsd: centsOrNull(status.savingsPerMonthUsd ?? null),
    risk: status.risk ?? 'none',
    updatedAt: status.updatedAt ?? null,
    appliedAt: status.lastApplied?.at ?? null,
  };
}

function waitingRaisesOf({ waitingForNodeCapacity: waiting }: RecommendationStatus): RecommendationItem['waitingForNodeCapacity'] {
  return waiting === undefined ? null : { pods: waiting.pods, since: waiting.since, requests: readQuantities(waiting.requests) };
}

/** A workload without a decision counts as collecting history. */
function stateOf(mode: RecommendationItem['mode'], status: RecommendationStatus): RecommendationItem['state'] {
  return mode === 'Off' ? 'excluded' : (status.state ?? 'collecting');
}

function containersOf(workload: WorkloadRecord, status: RecommendationStatus): readonly RecommendedContainer[] {
  const decided = new Map((status.containers ?? []).map((container) => [container.name, container]));
  const templated = workload.containers.map(({ name, requests, limits }) => containerOf(name, { requests, limits }, decided.get(name)));
  // A container that an admission webhook adds is in the pods and not in the template.
  const injected = [...decided.values()].filter((container) => !workload.containers.some(({ name }) => name === container.name));
  return [...templated, ...injected.map((container) => containerOf(container.name, null, container))];
}

function containerOf(
  name: string,
  template: RequestsAndLimits | null,
  decided: RecommendationStatusContainer | undefined,
): RecommendedContainer {
  if (decided === undefined) return { name, ...UNDECIDED, current: template ?? UNSET };
  const { usage } = decided;
  return {
    name,
    current: decided.current === undefined ? (template ?? UNSET) : readRequestsAndLimits(decided.current),
    recommended: readRequestsAndLimits(decided.recommended),
    lowerBound: readQuantities(decided.lowerBound),
    upperBound: readQuantities(decided.upperBound),
    usage: {
      p50: readQuantities(usage?.p50),
      p95: readQuantities(usage?.p95),
      p99: readQuantities(usage?.p99),
      max: readQuantities(usage?.max),
    },
    oomKills: decided.oomKills ?? null,
    throttledRatio: decided.throttledRatio ?? null,
    cpuPressureRatio: decided.cpuPressureRatio ?? null,
  };
}

const UNSET: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

const UNDECIDED: Omit<RecommendedContainer, 'name' | 'current'> = {
  recommended: UNSET,
  lowerBound: UNSET_RESOURCES,
  upperBound: UNSET_RESOURCES,
  usage: { p50: UNSET_RESOURCES, p95: UNSET_RESOURCES, p99: UNSET_RESOURCES, max: UNSET_RESOURCES },
  oomKills: null,
  throttledRatio: null,
  cpuPressureRatio: null,
};

function hpaOf(hpas: readonly HpaRecord[]): RecommendationHpa | null {
  const [hpa] = hpas;
  if (hpa === undefined) return null;
  const target = (resource: 'cpu' | 'memory'): number | null =>
    hpa.resourceMetrics.find((metric) => metric.resource === resource && metric.targetUtilizationRatio !== null)?.targetUtilizationRatio ??
    null;
  return {
    name: hpa.name,
    minReplicas: hpa.minReplicas,
    maxReplicas: hpa.maxReplicas,
    currentReplicas: hpa.currentReplicas,
    desiredReplicas: hpa.desiredReplicas,
    cpuTargetRatio: target('cpu'),
    memoryTargetRatio: target('memory'),
  };
}
