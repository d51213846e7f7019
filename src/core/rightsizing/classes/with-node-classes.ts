// The outermost layer of a decision: where a DaemonSet's pods stand on nodes of more than one class, each class is decided by
// itself, from what its own pods have used and were given. With one class, and for every other kind, nothing is different.

import type { RecommendationState } from '../../../apis/conditions.ts';
import type { ContainerAdvice } from '../advice.ts';
import type { WorkloadDecision } from '../apply/decision.ts';
import type { DecisionNote } from '../apply/decision-note.ts';
import type { ChangeUnderWay, PersonalWishes, ResizeMemory, WorkloadSituation } from '../apply/situation.ts';
import { isByNodeClass, ofClass, splitClassedName } from './class-name.ts';
import { areApart, memoryOfClass, standingClasses, type StandingClass } from './standing-classes.ts';

/** What a state of one class says of the whole, the most telling first. */
const TELLING: readonly RecommendationState[] = [
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
const MOST_CLASSES = 32;
const LONGEST_CLASS_MESSAGE = 200;

/** @param decide the decision about pods of one class */
export function withNodeClasses(
  situation: WorkloadSituation,
  decide: (situation: WorkloadSituation) => WorkloadDecision,
): WorkloadDecision {
  const { workload, pods, memory, nodeClasses } = situation;
  if (nodeClasses === undefined || !isByNodeClass(workload)) return decide(situation);
  const standing = standingClasses(pods, nodeClasses);
  if (!areApart(standing, memory)) return keeping(memory, decide({ ...situation, advice: situation.advice.filter(isPlain) }));
  const [first, ...rest] = standing.map((each, index) => ({ each, decision: decide(partOf(situation, each, standing, index === 0)) }));
  return first === undefined ? decide(situation) : merged(first, rest, situation);
}

/** The change of any class that has to prove itself. */
export function underWayInAnyClass({ apply, classes }: ResizeMemory): ChangeUnderWay | null {
  return apply ?? [...(classes?.values() ?? [])].find((each) => each.apply !== null)?.apply ?? null;
}

interface Decided {
  readonly each: StandingClass;
  readonly decision: WorkloadDecision;
}

/** What one class alone would be told. */
function partOf(situation: WorkloadSituation, own: StandingClass, standing: readonly StandingClass[], isFirst: boolean): WorkloadSituation {
  const { advice, wishes, memory } = situation;
  return {
    ...situation,
    pods: own.pods,
    advice: advice.flatMap((each): ContainerAdvice[] => {
      const split = splitClassedName(each.container);
      return split?.className === own.name ? [{ ...each, container: split.container }] : [];
    }),
    wishes: wishesFor(wishes, own.name, isFirst),
    memory: memoryOfClass(own, standing, memory),
    // Of the last minutes only the most of all pods is known, and that is some other class's.
    demand: [],
  };
}

/** What was approved or rejected of this class; where no classes were told apart then, of the one that was shown. */
function wishesFor(wishes: PersonalWishes, name: string, isFirst: boolean): PersonalWishes {
  const part = <W extends PersonalWishes['approved']>(wish: W): W | null => {
    if (wish === null) return null;
    const isClassed = [...wish.values.keys()].some((key) => splitClassedName(key) !== null);
    if (!isClassed) return isFirst ? wish : null;
    const values = ofClass(wish.values, name);
    return values.size === 0 ? null : { ...wish, values };
  };
  return { ...wishes, approved: part(wishes.approved), rejected: part(wishes.rejected) };
}

function merged(first: Decided, rest: readonly Decided[], situation: WorkloadSituation): WorkloadDecision {
  const all = [first, ...rest];
  const telling = all.toSorted((a, b) => TELLING.indexOf(a.decision.state) - TELLING.indexOf(b.decision.state))[0] ?? first;
  const steps = all.flatMap(({ decision }) => decision.steps);
  const dryRun = situation.standing.dryRun || situation.policy.dryRun;
  return {
    ...first.decision,
    state: telling.decision.state,
    reason: telling.decision.reason,
    until: telling.decision.until,
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
  return `on ${each.name} (${length} ${length === 1 ? 'pod' : 'pods'}): ${decision.message.slice(0, LONGEST_CLASS_MESSAGE)}`;
}

function notesOf({ each, decision }: Decided): readonly DecisionNote[] {
  return decision.notes.map((note) => ({ ...note, message: `on ${each.name}: ${note.message}` }));
}

/** Those that stand, then those that have stood: a pool that is away for the night comes back. */
function remembered(all: readonly Decided[], before: ResizeMemory): ReadonlyMap<string, ResizeMemory> {
  const standing = all.map(({ each, decision }) => [each.name, decision.memory] as const);
  const names = new Set(standing.map(([name]) => name));
  const away = [...(before.classes ?? [])].filter(([name]) => !names.has(name));
  return new Map([...standing, ...away].slice(0, MOST_CLASSES));
}

function keeping({ classes }: ResizeMemory, decision: WorkloadDecision): WorkloadDecision {
  return classes === undefined || classes.size === 0 ? decision : { ...decision, memory: { ...decision.memory, classes } };
}

function isPlain({ container }: ContainerAdvice): boolean {
  return splitClassedName(container) === null;
}
