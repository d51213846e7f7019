// What a run reports, as the tables, the JSON output and the report print it.

import type { GapPart } from '../../../core/packing/gap/split-gap.ts';
import { isFree } from '../../../core/packing/free-nodes.ts';
import type { BoundKind } from '../../../core/packing/choose-bound.ts';
import { totalDemand } from '../../../core/packing/lower-bound.ts';
import { nodesByShape } from '../../../core/packing/packing.ts';
import { type PackingProblem, RESOURCE_COUNT } from '../../../core/packing/packing-problem.ts';
import type { PackInput, PendingPod } from '../input/read-input.ts';
import type { PreferenceResult } from '../prefer.ts';
import type { PackingPlan, PeerResult, PricedPacking } from '../plan.ts';
import type { TypeTotals } from './type-totals.ts';
import { type ExistingTotals, existingTotals, stayingTotals } from './existing-totals.ts';

/** A packing compared with the lower bound. */
export interface PackingTotals {
  readonly method: string;
  /** `none`: no packing within the `max` of the machine types; `unfinished`: nothing in time. Then what follows is null. */
  readonly outcome: 'found' | 'none' | 'unfinished';
  readonly nodes: number | null;
  readonly usdPerHour: number | null;
  /** Cost over the lower bound, relative to the bound; null, too, where the bound is 0. */
  readonly gap: number | null;
}

export interface PackSummary {
  readonly pods: number;
  readonly classes: number;
  readonly requested: { readonly cores: number; readonly memoryGib: number; readonly gpus: number };
  readonly machineTypes: readonly TypeTotals[];
  readonly methods: readonly PackingTotals[];
  readonly lowerBound: {
    readonly kind: BoundKind | 'patterns';
    readonly usdPerHour: number;
    /** Marginal prices, in dollars an hour. */
    readonly usdPerCore: number;
    readonly usdPerGib: number;
    readonly usdPerGpu: number;
    readonly usdPerPod: number;
  };
  readonly search: { readonly seed: number; readonly steps: number };
  /** What the result depends on and is not stated. */
  readonly notes: readonly string[];
  /** Pods that stay pending, the highest priority first. They are in no other number. */
  readonly pending: readonly PendingPod[];
  /** Whether kube-scheduler's filters take every pod on its node: of manifests. The pods of a CSV file have no rules. */
  readonly isProvenByFilters: boolean;
  /** Null: no pod has a preference. */
  readonly preferences: PreferenceResult | null;
  /** Null: nodes that exist are not asked for. */
  readonly existing: ExistingTotals | null;
  /** Parts between the cost now and `boundUsdPerHour`; null, too, where no nodes that exist are given. */
  readonly gap: { readonly boundUsdPerHour: number; readonly parts: readonly GapPart[] } | null;
}

/** Name of this program's method in `methods`. */
export const OWN_METHOD = 'evenkeel pack';

/** @param gap of the nodes that exist */
export function summaryOf(
  { problem, notes, pending, facts, existing }: PackInput,
  plan: PackingPlan,
  best: PricedPacking,
  gap: PackSummary['gap'] = null,
): Omit<PackSummary, 'preferences'> {
  const { bound, patternBoundUsdPerHour, seed, steps } = plan;
  const paidUsd = existing?.usdPerHour ?? 0;
  const boundUsd = (patternBoundUsdPerHour ?? bound.usdPerHour) + paidUsd;
  const totals = (method: string, result: PeerResult): PackingTotals => {
    if (result === null || result === 'unfinished') {
      return { method, outcome: result ?? 'none', nodes: null, usdPerHour: null, gap: null };
    }
    const usdPerHour = result.usdPerHour + paidUsd;
    const bought = result.packing.nodes.filter(({ shape }) => !isFree(problem, shape));
    const nodes = bought.reduce((sum, { copies }) => sum + copies, existing?.staying.length ?? 0);
    return { method, outcome: 'found', nodes, usdPerHour, gap: boundUsd === 0 ? null : Math.max(0, usdPerHour / boundUsd - 1) };
  };
  const demand = totalDemand(problem);
  const [cpu = 0, memory = 0, gpu = 0, pod = 0] = bound.unitPrices;
  return {
    pods: demand[3] ?? 0,
    classes: problem.classCount,
    requested: { cores: (demand[0] ?? 0) / 1000, memoryGib: (demand[1] ?? 0) / 1024, gpus: demand[2] ?? 0 },
    machineTypes: [...totalsByType(problem, best), ...(existing === null ? [] : stayingTotals(problem, existing, best.packing))].sort(
      (a, b) => b.usdPerHour - a.usdPerHour || (a.machineType < b.machineType ? -1 : 1),
    ),
    methods: [totals(OWN_METHOD, best), ...[...plan.peers].map(([peer, result]) => totals(peer, result))],
    lowerBound: {
      kind: patternBoundUsdPerHour === null ? bound.kind : 'patterns',
      usdPerHour: boundUsd,
      usdPerCore: cpu * 1000,
      usdPerGib: memory * 1024,
      usdPerGpu: gpu,
      usdPerPod: pod,
    },
    search: { seed, steps },
    notes,
    pending,
    isProvenByFilters: facts !== null,
    existing: existing === null ? null : existingTotals(existing),
    gap,
  };
}

/** Totals of nodes that are bought, by machine type. */
function totalsByType(problem: PackingProblem, { packing }: PricedPacking): TypeTotals[] {
  const used = new Float64Array(problem.machineTypes.length * RESOURCE_COUNT);
  for (const { shape, classes, counts, copies } of packing.nodes) {
    classes.forEach((podClass, at) => {
      for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
        const place = shape * RESOURCE_COUNT + resource;
        const request = problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
        used[place] = (used[place] ?? 0) + request * (counts[at] ?? 0) * copies;
      }
    });
  }
  const share = (shape: number, resource: number, nodes: number): number | null => {
    const capacity = (problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0) * nodes;
    return capacity === 0 ? null : (used[shape * RESOURCE_COUNT + resource] ?? 0) / capacity;
  };
  return nodesByShape(problem, packing).flatMap((nodes, shape): TypeTotals[] => {
    const type = problem.machineTypes[shape];
    if (nodes === 0 || type === undefined || isFree(problem, shape)) return [];
    return [
      {
        machineType: type.offering?.machineType ?? type.name,
        zone: type.offering?.zone ?? null,
        capacityType: type.offering?.capacityType ?? null,
        stays: false,
        nodes,
        usdPerHour: nodes * type.usdPerHour,
        pods: used[shape * RESOURCE_COUNT + RESOURCE_COUNT - 1] ?? 0,
        cpuRequested: share(shape, 0, nodes),
        memoryRequested: share(shape, 1, nodes),
      },
    ];
  });
}
