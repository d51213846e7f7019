import { Feasibility } from './feasibility.ts';
import { NO_BUDGETS, preempt, type Preemption, type PreemptionRules } from './preemption.ts';
import { composeMessage, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import { scoreNode } from './score-node.ts';
import { SoftSpread } from './soft-spread.ts';

export type Placement =
  | { readonly kind: 'placed'; readonly node: SchedulingNode }
  /** `message` as PodScheduled has it; `preemption` says who has to go for the pod, null when that would not help. */
  | { readonly kind: 'unschedulable'; readonly message: string; readonly preemption: Preemption | null };

// What kube-scheduler 1.36 adds to its message before preemption is asked: its plug-in for resource claims tries to free some,
// and finds none, or, where the filters were never reached, not even its own notes.
const NO_CLAIMS_TO_FREE = 'no new claims to deallocate';
const NO_CLAIM_STATE = 'not found';

/** Why each node refused a pod. */
export interface FilterOutcome {
  /** Why no node can do, whichever it is. */
  readonly excluded: string | null;
  readonly feasible: readonly SchedulingNode[];
  readonly refused: ReadonlyMap<SchedulingNode, Refusal>;
}

/** Filters every node, scores those left, takes the best; equal ones by name, so that the same cluster gives the same answer. */
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

/** Why every node refused, without preemption's part. */
export function explainRefusals(nodes: number, { excluded, refused }: FilterOutcome): string {
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
