// Decisions of our scheduling rules for a cluster, in the format of schedulerrules.

import { Feasibility } from '#kube/scheduling/feasibility';
import { comparePrice, victimsOn, type Preemption } from '#kube/scheduling/preemption';
import { explainGates } from '#kube/scheduling/queue-order';
import type { SchedulingView } from '#kube/scheduling/scheduling-model';
import { explainRefusals, filterNodes } from '#kube/scheduling/select-node';
import type { KubeObject } from '#embedded-cluster/api/kube-object';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { decodeBudget } from '#embedded-cluster/scheduler/budgets';
import { decodeSchedulingPod } from '#embedded-cluster/scheduler/decode-pod';
import { viewOf } from '../../builders/scheduling/view-of.ts';
import type { WireCluster } from '../../builders/scheduling/wire-cluster.ts';

export interface Verdict {
  readonly fits: boolean;
  readonly reasons?: readonly string[];
  readonly resolvable?: boolean;
}

/** The decision for one pending pod. */
export interface Decision {
  readonly pod: string;
  readonly gated?: string;
  readonly preFilter?: string;
  readonly nodes?: Readonly<Record<string, Verdict>>;
  /** Scores of the real scheduler for the nodes that fit. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly message?: string;
  readonly preemption?: {
    readonly ineligible?: string;
    readonly victims?: Readonly<Record<string, { readonly pods: readonly string[]; readonly budgetViolations: number }>>;
    readonly helpless?: Readonly<Record<string, readonly string[]>>;
    readonly chosen?: string;
  };
}

/** Our decision, and the nodes on which preemption is equally good. */
export interface OurDecision extends Decision {
  readonly equallyGood: readonly string[];
}

/** Decides every pending pod of a cluster. */
export function decideOurs(cluster: WireCluster): OurDecision[] {
  const view = viewOf(cluster);
  return cluster.pending.map((pod) => decidePod(pod as unknown as Pod, view, cluster));
}

function decidePod(wire: Pod, view: SchedulingView, { budgets }: WireCluster): OurDecision {
  const pod = decodeSchedulingPod(wire);
  const name = `${pod.namespace}/${pod.name}`;
  const gated = explainGates(pod);
  if (gated !== null) return { pod: name, gated, equallyGood: [] };
  const feasibility = new Feasibility(pod, view);
  const outcome = filterNodes(feasibility, view);
  const message = outcome.feasible.length > 0 ? {} : { message: explainRefusals(view.nodes.length, outcome) };
  if (outcome.excluded !== null) return { pod: name, preFilter: outcome.excluded, ...message, equallyGood: [] };
  const nodes: Record<string, Verdict> = {};
  for (const { name: node } of outcome.feasible) nodes[node] = { fits: true };
  for (const [node, { reasons, resolvable }] of outcome.refused)
    nodes[node.name] = { fits: false, reasons: [...reasons].sort(), ...(resolvable && { resolvable }) };
  if (outcome.feasible.length > 0) return { pod: name, nodes, equallyGood: [] };
  if (!pod.mayPreempt)
    return { pod: name, nodes, ...message, preemption: { ineligible: 'not eligible due to preemptionPolicy=Never.' }, equallyGood: [] };
  const candidates: Preemption[] = [];
  const helpless: Record<string, readonly string[]> = {};
  const decodedBudgets = budgets.map((budget) => decodeBudget(budget as unknown as KubeObject));
  for (const [node, refusal] of outcome.refused) {
    if (!refusal.resolvable) continue;
    const answer = victimsOn(node, pod, feasibility, decodedBudgets);
    if ('victims' in answer) candidates.push(answer);
    else helpless[node.name] = [...answer.reasons].sort();
  }
  const victims = Object.fromEntries(
    candidates.map(({ node, victims: gone, budgetViolations }) => [
      node.name,
      { pods: gone.map((victim) => `${victim.namespace}/${victim.name}`), budgetViolations },
    ]),
  );
  const equallyGood = candidates
    .filter((candidate) => candidates.every((other) => comparePrice(candidate, other) <= 0))
    .map(({ node }) => node.name);
  return { pod: name, nodes, ...message, preemption: { victims, helpless }, equallyGood };
}
