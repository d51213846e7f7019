// Who would have to leave for a pod that fits nowhere: kube-scheduler's default preemption, as a rule. Source:
// pkg/scheduler/framework/plugins/defaultpreemption and pkg/scheduler/framework/preemption of kubernetes v1.36. The real one
// looks at a random hundred nodes or tenth of the cluster; this one looks at all.

import type { LabelSelector } from '../label-selector.ts';
import { matchesLabelSelector } from '../match-labels.ts';
import type { Feasibility } from './feasibility.ts';
import { NodeDraft } from './node-draft.ts';
import { composeMessage, final, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';

/** What a PodDisruptionBudget still allows. */
export interface Budget {
  readonly namespace: string;
  readonly selector: LabelSelector | null;
  readonly disruptionsAllowed: number;
  /** Names of pods whose disruption is counted already. */
  readonly disrupted: ReadonlySet<string>;
}

export interface Preemption {
  readonly node: SchedulingNode;
  /** The most important first; never none. */
  readonly victims: readonly SchedulingPod[];
  /** How many of them their budgets do not allow to go. Budgets are kept if at all possible, not at any price. */
  readonly budgetViolations: number;
}

/** What preemption looks at beyond the nodes. */
export interface PreemptionRules {
  /** Read when it comes to that: most pods need no preemption. */
  readonly budgets: () => readonly Budget[];
  /** Why this pod must not preempt now, as the end of the sentence; null when it may try. */
  readonly ineligible: string | null;
}

export const NO_BUDGETS: PreemptionRules = { budgets: () => [], ineligible: null };

export type PreemptionAnswer =
  | { readonly kind: 'room'; readonly preemption: Preemption }
  /** `message` as it ends the pod's PodScheduled condition. */
  | { readonly kind: 'no room'; readonly message: string };

const NO_VICTIMS = final('No preemption victims found for incoming pod');
const NOT_HELPFUL = final('Preemption is not helpful for scheduling');

/** The best node to make room on for a pod that every node refused. */
export function preempt(
  pod: SchedulingPod,
  view: SchedulingView,
  feasibility: Feasibility,
  refused: ReadonlyMap<SchedulingNode, Refusal>,
  rules: PreemptionRules,
): PreemptionAnswer {
  const ineligible = pod.mayPreempt ? rules.ineligible : 'not eligible due to preemptionPolicy=Never.';
  if (ineligible !== null) return { kind: 'no room', message: `preemption: ${ineligible}` };
  const budgets = rules.budgets();
  let best: Preemption | null = null;
  const refusals: Refusal[] = [];
  for (const node of view.nodes) {
    const candidate = refused.get(node)?.resolvable === true ? victimsOn(node, pod, feasibility, budgets) : NOT_HELPFUL;
    if (!('victims' in candidate)) refusals.push(candidate);
    else if (best === null || comparePreemptions(candidate, best) < 0) best = candidate;
  }
  if (best !== null) return { kind: 'room', preemption: best };
  return { kind: 'no room', message: `preemption: ${composeMessage(view.nodes.length, refusals)}` };
}

/**
 * The fewest pods that must leave one node: all of lower priority are taken away in thought, then let back one by one,
 * those first whose budgets would be violated, the important before the others. A refusal when even without them the pod does
 * not fit. The feasibility is left as it was found.
 */
export function victimsOn(
  node: SchedulingNode,
  pod: SchedulingPod,
  feasibility: Feasibility,
  budgets: readonly Budget[],
): Preemption | Refusal {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority).sort(compareImportance);
  if (lower.length === 0) return NO_VICTIMS;
  const draft = new NodeDraft(node);
  const move = (other: SchedulingPod, change: 1 | -1): void => {
    if (change === 1) draft.add(other);
    else draft.remove(other);
    feasibility.update(other, node, change);
  };
  for (const other of lower) move(other, -1);
  const refused = feasibility.refusalOf(draft);
  if (refused !== null) {
    for (const other of lower) feasibility.update(other, node, 1);
    return refused;
  }
  const victims: SchedulingPod[] = [];
  let budgetViolations = 0;
  const { violating, others } = splitByBudget(lower, budgets);
  for (const other of [...violating, ...others]) {
    move(other, 1);
    if (feasibility.refusalOf(draft) === null) continue;
    move(other, -1);
    victims.push(other);
    if (violating.includes(other)) budgetViolations++;
  }
  for (const other of victims) feasibility.update(other, node, 1);
  return { node, victims: victims.sort(compareImportance), budgetViolations };
}

/** Priority, then who has run for longer; who has not begun is the least. */
function compareImportance(a: SchedulingPod, b: SchedulingPod): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const aStart = a.startedAt ?? Infinity;
  const bStart = b.startedAt ?? Infinity;
  if (aStart !== bStart) return aStart < bStart ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Each pod spends of every budget that means it; those for whom one was spent already would violate it. */
function splitByBudget(
  pods: readonly SchedulingPod[],
  budgets: readonly Budget[],
): { readonly violating: readonly SchedulingPod[]; readonly others: readonly SchedulingPod[] } {
  const left = budgets.map(({ disruptionsAllowed }) => disruptionsAllowed);
  const violating: SchedulingPod[] = [];
  const others: SchedulingPod[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const [index, budget] of budgets.entries()) {
      if (!covers(budget, pod)) continue;
      const rest = (left[index] ?? 0) - 1;
      left[index] = rest;
      if (rest < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

function covers({ namespace, selector, disrupted }: Budget, pod: SchedulingPod): boolean {
  if (namespace !== pod.namespace || selector === null || disrupted.has(pod.name)) return false;
  const asksForNothing = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  return !asksForNothing && Object.keys(pod.labels).length > 0 && matchesLabelSelector(selector, pod.labels);
}

/**
 * Negative when `a` costs less: fewer violated budgets, a less important first victim, a smaller sum of priorities, fewer
 * victims, a most important victim that began later. Equal ones by the node's name.
 */
export function comparePreemptions(a: Preemption, b: Preemption): number {
  return comparePrice(a, b) || (a.node.name < b.node.name ? -1 : 1);
}

/** The same without the last word: 0 for candidates that are equally good. */
export function comparePrice(a: Preemption, b: Preemption): number {
  return (
    a.budgetViolations - b.budgetViolations ||
    highest(a) - highest(b) ||
    sumOfPriorities(a) - sumOfPriorities(b) ||
    a.victims.length - b.victims.length ||
    compareStarts(firstStart(b), firstStart(a))
  );
}

function highest({ victims }: Preemption): number {
  return victims[0]?.priority ?? 0;
}

/** Counted from the least possible priority, so that more victims never cost less. */
function sumOfPriorities({ victims }: Preemption): number {
  return victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);
}

function firstStart(preemption: Preemption): number {
  const important = preemption.victims.filter(({ priority }) => priority === highest(preemption));
  return Math.min(...important.map(({ startedAt }) => startedAt ?? Infinity));
}

function compareStarts(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
