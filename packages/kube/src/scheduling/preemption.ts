// kube-scheduler's default preemption. Source: pkg/scheduler/framework/plugins/defaultpreemption and
// pkg/scheduler/framework/preemption of kubernetes v1.36. kube-scheduler evaluates a random sample of nodes (at least 100, or a
// tenth); this evaluates all.

import type { LabelSelector } from '../label-selector.ts';
import { isLabelSelectorMatch } from '../match-labels.ts';
import type { Feasibility } from './feasibility.ts';
import { NodeDraft } from './node-draft.ts';
import { composeMessage, final, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';

/** A PodDisruptionBudget with its remaining disruptions. */
export interface Budget {
  readonly namespace: string;
  readonly selector: LabelSelector | null;
  readonly disruptionsAllowed: number;
  /** Names of pods whose disruption is counted already (`status.disruptedPods`). */
  readonly disrupted: ReadonlySet<string>;
}

/** A node with the victims that make the pod fit. */
export interface Preemption {
  readonly node: SchedulingNode;
  /** Most important first; not empty. */
  readonly victims: readonly SchedulingPod[];
  /** Count of victims whose budgets do not allow their disruption; preemption respects budgets on a best-effort basis. */
  readonly budgetViolations: number;
}

/** Inputs of preemption besides the nodes. */
export interface PreemptionRules {
  /** Read on demand, because most pods need no preemption. */
  readonly budgets: () => readonly Budget[];
  /** Why the pod must not preempt, as the end of the message; null: it may. */
  readonly ineligible: string | null;
}

/** Rules without budgets. */
export const NO_BUDGETS: PreemptionRules = { budgets: () => [], ineligible: null };

/** Result of preemption. */
export type PreemptionAnswer =
  | { readonly kind: 'room'; readonly preemption: Preemption }
  /** `message`: the end of the message in the PodScheduled condition. */
  | { readonly kind: 'no room'; readonly message: string };

const NO_VICTIMS = final('No preemption victims found for incoming pod');
const UNRESOLVABLE = final('Preemption is not helpful for scheduling');

/** Selects the best node for preemption after every node was refused. */
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
    const candidate = refused.get(node)?.resolvable === true ? victimsOn(node, pod, feasibility, budgets) : UNRESOLVABLE;
    if (!('victims' in candidate)) refusals.push(candidate);
    else if (best === null || comparePreemptions(candidate, best) < 0) best = candidate;
  }
  if (best !== null) return { kind: 'room', preemption: best };
  return { kind: 'no room', message: `preemption: ${composeMessage(view.nodes.length, refusals)}` };
}

/**
 * Selects the victims on a node: removes all pods of lower priority, then reprieves them one by one, those with violated budgets
 * first, by importance. Returns a refusal if the pod does not fit without them. The feasibility is unchanged afterwards.
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

/** Importance: by priority, then by earlier start; a pod that has not started is last. */
function compareImportance(a: SchedulingPod, b: SchedulingPod): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const aStart = a.startedAt ?? Infinity;
  const bStart = b.startedAt ?? Infinity;
  if (aStart !== bStart) return aStart < bStart ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Splits pods by whether their disruption, in order, would exceed a budget. */
function splitByBudget(
  pods: readonly SchedulingPod[],
  budgets: readonly Budget[],
): { readonly violating: readonly SchedulingPod[]; readonly others: readonly SchedulingPod[] } {
  const remaining = budgets.map(({ disruptionsAllowed }) => disruptionsAllowed);
  const violating: SchedulingPod[] = [];
  const others: SchedulingPod[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const [index, budget] of budgets.entries()) {
      if (!isCovered(budget, pod)) continue;
      const rest = (remaining[index] ?? 0) - 1;
      remaining[index] = rest;
      if (rest < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

function isCovered({ namespace, selector, disrupted }: Budget, pod: SchedulingPod): boolean {
  if (namespace !== pod.namespace || selector === null || disrupted.has(pod.name)) return false;
  const isEmptySelector = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  return !isEmptySelector && Object.keys(pod.labels).length > 0 && isLabelSelectorMatch(selector, pod.labels);
}

/**
 * Orders candidates, best first: fewer budget violations, lower highest priority, lower sum of priorities, fewer victims, later
 * start of the most important victims, then the node's name.
 */
export function comparePreemptions(a: Preemption, b: Preemption): number {
  return comparePrice(a, b) || (a.node.name < b.node.name ? -1 : 1);
}

/** The same without the node's name: 0 for equally good candidates. */
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

/** Priorities are offset by the minimum, so that more victims never have a lower sum. */
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
