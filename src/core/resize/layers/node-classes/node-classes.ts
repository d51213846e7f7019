// The outermost layer of a decision: where a DaemonSet's pods stand on nodes of more than one class, each class is decided by
// itself, from what its own pods have used and were given. With one class, and for every other kind, nothing is different.

import type { RecommendationState } from '../../../../apis/conditions.ts';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { DecisionNote } from '../../model/decision-note.ts';
import type { ChangeUnderWay, UserRequests, ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import { lowersAny } from '../../plan/stages.ts';
import type { ResizeLayer } from '../layer.ts';
import { isByNodeClass, ofClass, splitClassedName } from './class-name.ts';
import { areApart, memoryOfClass, currentClasses, type CurrentClass } from './current-classes.ts';

/** What a state of one class says of the whole, the most telling first. */
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
/** As many as the schema holds. */
const MAX_CLASSES = 32;
const MAX_CLASS_MESSAGE = 200;

export const nodeClasses: ResizeLayer = {
  name: 'node-classes',
  apply(context, next) {
    const { workload, pods, memory, nodeClasses: byNode, advice } = context;
    if (byNode === undefined || !isByNodeClass(workload)) return next(context);
    const current = currentClasses(pods, byNode);
    if (!areApart(current, memory)) return keeping(memory, next({ ...context, advice: advice.filter(isPlain) }));
    const [first, ...rest] = current.map((each, index) => ({ each, decision: next(partOf(context, each, current, index === 0)) }));
    return first === undefined ? next(context) : merged(first, rest, context);
  },
};

/** The change of any class that has to prove itself. */
export function underWayInAnyClass({ apply, classes }: ResizeMemory): ChangeUnderWay | null {
  return apply ?? [...(classes?.values() ?? [])].find((each) => each.apply !== null)?.apply ?? null;
}

/** Whether the change of any class lowers something. */
export function lowersInAnyClass({ apply, previous, classes }: ResizeMemory): boolean {
  if (apply !== null && lowersAny(apply, previous?.values ?? null)) return true;
  return [...(classes?.values() ?? [])].some(lowersInAnyClass);
}

interface Decided {
  readonly each: CurrentClass;
  readonly decision: WorkloadDecision;
}

/** The decision for one class alone. */
function partOf(situation: WorkloadSituation, own: CurrentClass, gateState: readonly CurrentClass[], isFirst: boolean): WorkloadSituation {
  const { advice, userRequests, memory } = situation;
  return {
    ...situation,
    pods: own.pods,
    advice: advice.flatMap((each): ContainerAdvice[] => {
      const split = splitClassedName(each.container);
      return split?.className === own.name ? [{ ...each, container: split.container }] : [];
    }),
    userRequests: requestsFor(userRequests, own.name, isFirst),
    memory: memoryOfClass(own, gateState, memory),
    // Of the last minutes only the most of all pods is known, and that is some other class's; throttling is known by pod.
    demand: situation.demand.map(({ container, throttled = [], throttlingMeasuredAt = null }) => {
      return { container, windows: [], throttled, throttlingMeasuredAt };
    }),
  };
}

/** What was approved or rejected of this class; where classes did not differ then, of the one that was shown. */
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

function merged(first: Decided, rest: readonly Decided[], situation: WorkloadSituation): WorkloadDecision {
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
    message: all.map(inWords).join('; '),
    memory: { ...first.decision.memory, classes: remembered(all, situation.memory) },
    steps: dryRun ? steps.slice(0, 1) : steps,
    ceilings: all.flatMap(({ decision }) => decision.ceilings ?? []),
    evict: all.find(({ decision }) => decision.evict !== null)?.decision.evict ?? null,
    notes: all.flatMap(notesOf),
    lookAgainInMs: Math.min(...all.map(({ decision }) => decision.lookAgainInMs)),
    classes: all.map(({ each, decision }) => ({ name: each.name, pods: each.pods, decision })),
  };
}

function inWords({ each, decision }: Decided): string {
  const { length } = each.pods;
  return `on ${each.name} (${length} ${length === 1 ? 'pod' : 'pods'}): ${decision.message.slice(0, MAX_CLASS_MESSAGE)}`;
}

function notesOf({ each, decision }: Decided): readonly DecisionNote[] {
  return decision.notes.map((note) => ({ ...note, message: `on ${each.name}: ${note.message}` }));
}

/** Current classes, then former ones: a pool that is scaled to zero at night comes back. */
function remembered(all: readonly Decided[], before: ResizeMemory): ReadonlyMap<string, ResizeMemory> {
  const gateState = all.map(({ each, decision }) => [each.name, decision.memory] as const);
  const names = new Set(gateState.map(([name]) => name));
  const away = [...(before.classes ?? [])].filter(([name]) => !names.has(name));
  return new Map([...gateState, ...away].slice(0, MAX_CLASSES));
}

function keeping({ classes }: ResizeMemory, decision: WorkloadDecision): WorkloadDecision {
  return classes === undefined || classes.size === 0 ? decision : { ...decision, memory: { ...decision.memory, classes } };
}

function isPlain({ container }: ContainerAdvice): boolean {
  return splitClassedName(container) === null;
}
