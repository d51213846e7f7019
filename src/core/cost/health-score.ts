// Health score of the cluster: a weighted mean of parts, each with a reason.

import type { Cluster, HealthPart } from '../../apis/http/types.generated.ts';

/** Inputs of the score. */
export interface HealthEvidence {
  readonly nodes: { readonly total: number; readonly ready: number };
  readonly pods: { readonly active: number; readonly unschedulable: number; readonly pending: number };
  /** Containers with usage and a request, and how many of them exceed their request. */
  readonly requests: { readonly measured: number; readonly overMemory: number; readonly overCpu: number };
  /** Unrequested share of allocatable, the lower of CPU and memory; null: there is no node. */
  readonly headroomRatio: number | null;
  readonly volumes: { readonly measured: number; readonly nearlyFull: number };
  /** Disruption budgets that select pods, and those that never allow an eviction. */
  readonly budgets: { readonly total: number; readonly unsatisfiable: number };
  /** Seconds since the served data was last confirmed; null: never. */
  readonly dataAgeSeconds: number | null;
}

/** Free share below which the pods of a failed node may not fit elsewhere. */
const HEADROOM_TARGET = 0.1;
/** Scores by age of the data; older data is stale. */
const FRESHNESS = [
  { withinSeconds: 60, score: 100, reason: 'The data was confirmed within the last minute.' },
  { withinSeconds: 120, score: 50, reason: 'The data was confirmed more than a minute ago.' },
];
const STALE = { score: 0, reason: 'The data was confirmed more than two minutes ago.' };

/** Score, grade and parts. An unknown part does not count; the score is null if all are unknown. */
export function computeHealth(evidence: HealthEvidence): Cluster['health'] {
  const parts: readonly HealthPart[] = [
    nodesReady(evidence),
    podsSchedulable(evidence),
    insideRequests(evidence),
    headroom(evidence),
    storage(evidence),
    budgets(evidence),
    freshness(evidence),
  ];
  const known = parts.filter((part): part is HealthPart & { score: number } => part.score !== null);
  const weight = known.reduce((sum, part) => sum + part.weight, 0);
  const score = weight === 0 ? null : Math.round(known.reduce((sum, part) => sum + part.score * part.weight, 0) / weight);
  return { score, grade: score === null ? null : gradeOf(score), parts };
}

function gradeOf(score: number): 'A' | 'B' | 'C' | 'D' | 'F' {
  if (score >= 90) return 'A';
  if (score >= 80) return 'B';
  if (score >= 70) return 'C';
  return score >= 60 ? 'D' : 'F';
}

function nodesReady({ nodes }: HealthEvidence): HealthPart {
  const reason = nodes.total === 0 ? 'There is no node.' : `${nodes.ready} of ${nodes.total} nodes are ready.`;
  return { name: 'Nodes ready', score: share(nodes.ready, nodes.total), weight: 3, reason };
}

function podsSchedulable({ pods }: HealthEvidence): HealthPart {
  const reason = pods.unschedulable === 0 ? 'Every pod fits on a node.' : `${pods.unschedulable} of ${pods.active} pods fit on no node.`;
  // Ten percent unschedulable pods give the score 0.
  return { name: 'Pods schedulable', score: pods.active === 0 ? null : penalty(pods.unschedulable / pods.active, 10), weight: 3, reason };
}

function insideRequests({ requests }: HealthEvidence): HealthPart {
  const { measured, overMemory, overCpu } = requests;
  const reason =
    measured === 0
      ? 'No usage is measured yet.'
      : overMemory + overCpu === 0
        ? `${all(measured, 'container stays within its request', 'containers stay within their requests')}.`
        : `${overMemory} of ${measured} containers exceed their memory request, ${overCpu} their CPU request.`;
  // Memory above the request risks an eviction; CPU above it only uses idle capacity.
  return { name: 'Inside requests', score: measured === 0 ? null : penalty((overMemory + overCpu / 3) / measured, 2), weight: 2, reason };
}

function headroom({ headroomRatio }: HealthEvidence): HealthPart {
  if (headroomRatio === null) return { name: 'Headroom', score: null, weight: 1, reason: 'There is no node.' };
  const percent = Math.round(headroomRatio * 100);
  const reason =
    headroomRatio >= HEADROOM_TARGET
      ? `${percent} % of the scarcer resource is not requested.`
      : `Only ${percent} % of the scarcer resource is not requested; pods of a failed node may not fit on other nodes.`;
  return { name: 'Headroom', score: Math.round(Math.min(1, Math.max(0, headroomRatio) / HEADROOM_TARGET) * 100), weight: 1, reason };
}

function storage({ volumes }: HealthEvidence): HealthPart {
  const reason =
    volumes.measured === 0
      ? 'No volume is measured.'
      : volumes.nearlyFull === 0
        ? `${all(volumes.measured, 'volume is', 'volumes are')} less than 80 % full.`
        : `${volumes.nearlyFull} of ${volumes.measured} volumes are at least 80 % full.`;
  return { name: 'Storage', score: volumes.measured === 0 ? null : penalty(volumes.nearlyFull / volumes.measured, 3), weight: 1, reason };
}

function budgets({ budgets: { total, unsatisfiable } }: HealthEvidence): HealthPart {
  const reason =
    total === 0
      ? 'No pod has a disruption budget.'
      : unsatisfiable === 0
        ? `${all(total, 'disruption budget', 'disruption budgets')} can be satisfied.`
        : `${unsatisfiable} of ${total} disruption budgets can never be satisfied: they require every replica to be available, so no pod may be evicted.`;
  return { name: 'Budgets', score: total === 0 ? null : share(total - unsatisfiable, total), weight: 1, reason };
}

function freshness({ dataAgeSeconds }: HealthEvidence): HealthPart {
  if (dataAgeSeconds === null) return { name: 'Freshness', score: 0, weight: 1, reason: 'No data has been confirmed yet.' };
  // Steps instead of the age, which is in `meta.dataAge` and changes with every request.
  const step = FRESHNESS.find(({ withinSeconds }) => dataAgeSeconds <= withinSeconds) ?? STALE;
  return { name: 'Freshness', score: step.score, weight: 1, reason: step.reason };
}

function all(count: number, one: string, many: string): string {
  return count === 1 ? `The one ${one}` : `All ${count} ${many}`;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 100);
}

function penalty(ratio: number, steepness: number): number {
  return Math.round(Math.max(0, 1 - ratio * steepness) * 100);
}
