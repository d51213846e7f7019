import { Feasibility } from './feasibility.ts';
import { NO_BUDGETS, preempt, type Preemption, type PreemptionRules } from './preemption.ts';
import { composeMessage, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import { scoreNode } from './score-node.ts';
import { SoftSpread } from './filters/soft-spread.ts';

/** Result of scheduling a pod. */
export type Placement =
  | { readonly kind: 'placed'; readonly node: SchedulingNode }
  /** `message`: that of the PodScheduled condition; `preemption` null: it would not help. */
  | { readonly kind: 'unschedulable'; readonly message: string; readonly preemption: Preemption | null };

// Text that kube-scheduler 1.36 adds before the result of preemption: its DynamicResources plugin has no claims to deallocate, or no
// cycle state if the filters were not reached.
const NO_CLAIMS_TO_FREE = 'no new claims to deallocate';
const NO_CLAIM_STATE = 'not found';

/** Result of filtering all nodes. */
export interface FilterOutcome {
  /** Why every node is infeasible; null: nodes were filtered. */
  readonly excluded: string | null;
  readonly feasible: readonly SchedulingNode[];
  readonly refused: ReadonlyMap<SchedulingNode, Refusal>;
}

/** Filters every node, scores the feasible ones and selects the best; ties by name, which makes it deterministic. */
export function selectNode(pod: SchedulingPod, view: SchedulingView, rules: PreemptionRules = NO_BUDGETS): Placement {
  if (view.nodes.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods', preemption: null };
  const feasibility = new Feasibility(pod, view);
  const outcome = filterNodes(feasibility, view);
  const best = bestOf(pod, outcome.feasible, view);
  if (best !== null) return { kind: 'placed', node: best };
  const message = explainRefusals(view.nodes.length, outcome);
  if (outcome.excluded !== null) return { kind: 'unschedulable', message: `${message} ${NO_CLAIM_STATE}`, preemption: null };
  const answer = preempt(pod, view, feasibility, outcome.refused, rules);
  if (answer.kind === 'room') return { kind: 'unschedulable', message, preemption: answer.preemption };
  return { kind: 'unschedulable', message: `${message} ${NO_CLAIMS_TO_FREE}, ${answer.message}`, preemption: null };
}

/** Filters every node. */
export function filterNodes(feasibility: Feasibility, view: SchedulingView): FilterOutcome {
  const feasible: SchedulingNode[] = [];
  const refused = new Map<SchedulingNode, Refusal>();
  if (feasibility.excluded === null) {
    for (const node of view.nodes) {
      const refusal = feasibility.refusalOf(node);
      if (refusal === null) feasible.push(node);
      else refused.set(node, refusal);
    }
  }
  return { excluded: feasibility.excluded, feasible, refused };
}

/** kube-scheduler's message, without the part of preemption. */
export function explainRefusals(
  nodes: number,
  { excluded, refused }: { readonly excluded: string | null; readonly refused: ReadonlyMap<unknown, Refusal> },
): string {
  return excluded === null ? composeMessage(nodes, refused.values()) : `0/${nodes} nodes are available: ${excluded}.`;
}

function bestOf(pod: SchedulingPod, feasible: readonly SchedulingNode[], view: SchedulingView): SchedulingNode | null {
  const [only] = feasible;
  if (feasible.length <= 1) return only ?? null;
  const spread = new SoftSpread(pod, view);
  let best: SchedulingNode | null = null;
  let bestScore = -Infinity;
  for (const node of feasible) {
    const score = scoreNode(pod, node, view, spread);
    if (score > bestScore || (score === bestScore && best !== null && node.name < best.name)) {
      best = node;
      bestScore = score;
    }
  }
  return best;
}
