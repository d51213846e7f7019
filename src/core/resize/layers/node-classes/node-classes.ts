// The outermost layer: where a DaemonSet's pods run on nodes of several size classes, each class is decided separately, by the usage and
// memory of its own pods. It does nothing for a single class and for other kinds.

import type { RecommendationState } from '../../../../apis/conditions.ts';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import type { ChangeUnderWay, UserRequests, ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import { isReducingChange } from '../../plan/due/stages.ts';
import type { ResizeLayer } from '../layer.ts';
import { isByNodeClass, ofClass, splitClassedName } from './class-name.ts';
import { hasSeveralClasses, memoryOfClass, currentClasses, type CurrentClass } from './current-classes.ts';

/** Priority of the classes' states for the state of the workload, the highest first. */
const STATE_PRIORITY: readonly RecommendationState[] = [
  'applying',
  'exception',
  'blocked',
  'awaiting',
  'recommended',
  'idle',
  'collecting',
  'applied',
  'optimal',
  'excluded',
];
/** Maximum number of items by the schema. */
const MAX_CLASSES = 32;
const MAX_CLASS_MESSAGE = 200;

export const nodeClasses: ResizeLayer = {
  name: 'node-classes',
  apply(context, next) {
    const { workload, pods, memory, nodeClasses: byNode, advice } = context;
    if (byNode === undefined || !isByNodeClass(workload)) return next(context);
    const current = currentClasses(pods, byNode);
    if (!hasSeveralClasses(current, memory)) return keepClasses(memory, next({ ...context, advice: advice.filter(isPlain) }));
    const [first, ...rest] = current.map((each, index) => ({
      each,
      decision: next(situationOfClass(context, each, current, index === 0)),
    }));
    return first === undefined ? next(context) : mergeDecisions(first, rest, context);
  },
};

/** The first change under way of any class; null: none. */
export function findChangeInAnyClass({ apply, classes }: ResizeMemory): ChangeUnderWay | null {
  return apply ?? [...(classes?.values() ?? [])].find((each) => each.apply !== null)?.apply ?? null;
}

/** Whether the change under way of any class lowers an amount. */
export function hasReductionInAnyClass({ apply, previous, classes }: ResizeMemory): boolean {
  if (apply !== null && isReducingChange(apply, previous?.values ?? null)) return true;
  return [...(classes?.values() ?? [])].some(hasReductionInAnyClass);
}

interface Decided {
  readonly each: CurrentClass;
  readonly decision: WorkloadDecision;
}

/** The situation of one class. */
function situationOfClass(
  situation: WorkloadSituation,
  nodeClass: CurrentClass,
  current: readonly CurrentClass[],
  isFirst: boolean,
): WorkloadSituation {
  const { advice, userRequests, memory } = situation;
  return {
    ...situation,
    pods: nodeClass.pods,
    advice: advice.flatMap((each): ContainerAdvice[] => {
      const split = splitClassedName(each.container);
      return split?.className === nodeClass.name ? [{ ...each, container: split.container }] : [];
    }),
    userRequests: requestsFor(userRequests, nodeClass.name, isFirst),
    memory: memoryOfClass(nodeClass, current, memory),
    // Windows contain the highest usage of all classes together, so they are dropped; throttling is known by pod.
    demand: situation.demand.map(({ container, throttled = [], throttlingMeasuredAt = null }) => {
      return { container, windows: [], throttled, throttlingMeasuredAt };
    }),
  };
}

/** Approval and rejection of one class. Those without classes apply to the first class, whose values were shown then. */
function requestsFor(userRequests: UserRequests, name: string, isFirst: boolean): UserRequests {
  const part = <W extends UserRequests['approved']>(request: W): W | null => {
    if (request === null) return null;
    const isClassed = [...request.values.keys()].some((key) => splitClassedName(key) !== null);
    if (!isClassed) return isFirst ? request : null;
    const values = ofClass(request.values, name);
    return values.size === 0 ? null : { ...request, values };
  };
  return { ...userRequests, approved: part(userRequests.approved), rejected: part(userRequests.rejected) };
}

function mergeDecisions(first: Decided, rest: readonly Decided[], situation: WorkloadSituation): WorkloadDecision {
  const all = [first, ...rest];
  const representative =
    all.toSorted((a, b) => STATE_PRIORITY.indexOf(a.decision.state) - STATE_PRIORITY.indexOf(b.decision.state))[0] ?? first;
  const steps = all.flatMap(({ decision }) => decision.steps);
  const dryRun = situation.gateState.dryRun || situation.policy.dryRun;
  return {
    ...first.decision,
    state: representative.decision.state,
    reason: representative.decision.reason,
    until: representative.decision.until,
    message: all.map(describeClass).join('; '),
    memory: { ...first.decision.memory, classes: remembered(all, situation.memory) },
    steps: dryRun ? steps.slice(0, 1) : steps,
    ceilings: all.flatMap(({ decision }) => decision.ceilings ?? []),
    evict: all.find(({ decision }) => decision.evict !== null)?.decision.evict ?? null,
    events: all.flatMap(eventsOfClass),
    reconcileAfterMs: Math.min(...all.map(({ decision }) => decision.reconcileAfterMs)),
    classes: all.map(({ each, decision }) => ({ name: each.name, pods: each.pods, decision })),
  };
}

function describeClass({ each, decision }: Decided): string {
  return `${placeOf(each)}: ${decision.message.slice(0, MAX_CLASS_MESSAGE)}`;
}

/** Events begin as the message of the status, so that what it says already is recognized. */
function eventsOfClass({ each, decision }: Decided): readonly DecisionEvent[] {
  return decision.events.map((event) => ({ ...event, message: `${placeOf(each)}: ${event.message}` }));
}

function placeOf({ name, pods: { length } }: CurrentClass): string {
  return `on ${name} (${length} ${length === 1 ? 'pod' : 'pods'})`;
}

/** Memory of the current classes, then of former ones, whose node pools may be scaled to zero for a night. */
function remembered(all: readonly Decided[], before: ResizeMemory): ReadonlyMap<string, ResizeMemory> {
  const current = all.map(({ each, decision }) => [each.name, decision.memory] as const);
  const names = new Set(current.map(([name]) => name));
  const former = [...(before.classes ?? [])].filter(([name]) => !names.has(name));
  return new Map([...current, ...former].slice(0, MAX_CLASSES));
}

function keepClasses({ classes }: ResizeMemory, decision: WorkloadDecision): WorkloadDecision {
  return classes === undefined || classes.size === 0 ? decision : { ...decision, memory: { ...decision.memory, classes } };
}

function isPlain({ container }: ContainerAdvice): boolean {
  return splitClassedName(container) === null;
}
