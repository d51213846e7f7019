// The cluster's health as one number and the reasons for it: a weighted mean of parts, each 0–100 and explained in
// words. A part that nothing is known of is left out, and the others carry its weight.

import type { DurationMs, Ratio } from '../model/units.ts';

export interface ClusterHealthInputs {
  readonly nodes: { readonly total: number; readonly ready: number };
  readonly pods: { readonly total: number; readonly unschedulable: number };
  /** Workloads with advice, and those of them that use more than they request. */
  readonly workloads: { readonly measured: number; readonly outsideRequests: number };
  /** Requested ÷ allocatable; null without nodes. */
  readonly requestedRatio: { readonly cpu: Ratio; readonly memory: Ratio } | null;
  /** Claims whose fill is known, and those over their threshold; null where no source tells. */
  readonly storage: { readonly measured: number; readonly overThreshold: number } | null;
  /** Disruption budgets, and those that allow no disruption although all their pods are healthy. */
  readonly budgets: { readonly total: number; readonly unsatisfiable: number };
  /** Age of the newest confirmation of what is shown; null before the first. */
  readonly dataAgeMs: DurationMs | null;
}

interface HealthPart {
  readonly name:
    | 'nodes-ready'
    | 'pods-schedulable'
    | 'workloads-inside-requests'
    | 'headroom'
    | 'storage'
    | 'disruption-budgets'
    | 'controller-freshness';
  readonly score: number;
  readonly weight: number;
  readonly reason: string;
}

export interface ClusterHealth {
  /** 0–100, whole. */
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'F';
  readonly parts: readonly HealthPart[];
}

/** Weights: what stops workloads from running weighs most, what may do so later less. */
const WEIGHTS: Readonly<Record<HealthPart['name'], number>> = {
  'nodes-ready': 25,
  'pods-schedulable': 25,
  'workloads-inside-requests': 15,
  headroom: 10,
  storage: 10,
  'disruption-budgets': 5,
  'controller-freshness': 10,
};

/** One lost node or pod in ten already is a bad day: the score falls five times as fast as the share. */
const STEEPNESS = 5;
/** Requests up to this share of what is allocatable leave room for a lost node. */
const COMFORTABLE_RATIO = 0.85;
/** Data this fresh is fresh; at `STALE_MS` it scores nothing. */
const FRESH_MS: DurationMs = 120_000;
const STALE_MS: DurationMs = 900_000;

/** Reckons the health of a cluster. Each part's words say what is wrong and how much of it. */
export function clusterHealth(inputs: ClusterHealthInputs): ClusterHealth {
  const parts = [
    nodesReady(inputs),
    podsSchedulable(inputs),
    workloadsInside(inputs),
    headroom(inputs),
    storage(inputs),
    budgets(inputs),
    freshness(inputs),
  ].filter((part) => part !== null);
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  const score = weight === 0 ? 0 : Math.round(parts.reduce((sum, part) => sum + part.score * part.weight, 0) / weight);
  return { score, grade: gradeOf(score), parts };
}

function nodesReady({ nodes }: ClusterHealthInputs): HealthPart {
  if (nodes.total === 0) return part('nodes-ready', 0, 'the cluster has no node');
  const missing = nodes.total - nodes.ready;
  return part(
    'nodes-ready',
    steep(missing / nodes.total),
    missing === 0 ? `all ${nodes.total} nodes are ready` : `${missing} of ${nodes.total} nodes are not ready`,
  );
}

function podsSchedulable({ pods }: ClusterHealthInputs): HealthPart {
  const { total, unschedulable } = pods;
  if (unschedulable === 0) return part('pods-schedulable', 100, 'every pod has a node');
  return part('pods-schedulable', steep(unschedulable / Math.max(1, total)), `${unschedulable} of ${total} pods fit on no node`);
}

function workloadsInside({ workloads }: ClusterHealthInputs): HealthPart | null {
  const { measured, outsideRequests } = workloads;
  if (measured === 0) return null;
  const reason =
    outsideRequests === 0
      ? `all ${measured} measured workloads stay inside their requests`
      : `${outsideRequests} of ${measured} workloads use more than they request`;
  return part('workloads-inside-requests', 100 * (1 - outsideRequests / measured), reason);
}

function headroom({ requestedRatio }: ClusterHealthInputs): HealthPart | null {
  if (requestedRatio === null) return null;
  const tightest = requestedRatio.cpu >= requestedRatio.memory ? 'cpu' : 'memory';
  const ratio = requestedRatio[tightest];
  const score = ratio <= COMFORTABLE_RATIO ? 100 : (100 * Math.max(0, 1 - ratio)) / (1 - COMFORTABLE_RATIO);
  return part('headroom', score, `${Math.round(ratio * 100)} % of the allocatable ${tightest === 'cpu' ? 'CPU' : 'memory'} is requested`);
}

function storage(inputs: ClusterHealthInputs): HealthPart | null {
  if (inputs.storage === null || inputs.storage.measured === 0) return null;
  const { measured, overThreshold } = inputs.storage;
  return part(
    'storage',
    steep(overThreshold / measured),
    overThreshold === 0 ? `all ${measured} measured claims have room` : `${overThreshold} of ${measured} claims are nearly full`,
  );
}

function budgets(inputs: ClusterHealthInputs): HealthPart | null {
  const { total, unsatisfiable } = inputs.budgets;
  if (total === 0) return null;
  const reason =
    unsatisfiable === 0
      ? `all ${total} disruption budgets can be satisfied`
      : `${unsatisfiable} of ${total} disruption budgets never allow a disruption`;
  return part('disruption-budgets', 100 * (1 - unsatisfiable / total), reason);
}

function freshness({ dataAgeMs }: ClusterHealthInputs): HealthPart {
  if (dataAgeMs === null) return part('controller-freshness', 0, 'nothing has been confirmed yet');
  const score = dataAgeMs <= FRESH_MS ? 100 : 100 * Math.max(0, 1 - (dataAgeMs - FRESH_MS) / (STALE_MS - FRESH_MS));
  return part('controller-freshness', score, `what is shown was confirmed ${Math.round(dataAgeMs / 1000)} s ago`);
}

function part(name: HealthPart['name'], score: number, reason: string): HealthPart {
  return { name, score: Math.round(score), weight: WEIGHTS[name], reason };
}

function steep(missingShare: Ratio): number {
  return 100 * Math.max(0, 1 - STEEPNESS * missingShare);
}

function gradeOf(score: number): ClusterHealth['grade'] {
  if (score >= 90) return 'A';
  if (score >= 80) return 'B';
  if (score >= 65) return 'C';
  return score >= 50 ? 'D' : 'F';
}
