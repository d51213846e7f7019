// Idle mode of one workload: falls idle, sleeps, wakes. The rules are in core/idle; here they become steps on pods and
// what is to be remembered of them.

import { formatDuration } from '../../model/duration.ts';
import type { ResizeMode } from '../../../apis/conditions.ts';
import type { PodRecord } from '../../model/pod.ts';
import { UNSET_RESOURCES } from '../../model/resources.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '../../model/units.ts';
import { idleCandidacy } from '../../idle/falling-idle.ts';
import type { IdleMemory, LastIdle, Sizes } from '../../idle/idle-memory.ts';
import { requestsOnly } from '../../idle/idle-memory.ts';
import { idleSizes, isSmaller } from '../../idle/idle-size.ts';
import { wakeReason, wakesOn } from '../../idle/waking.ts';
import type { RecommenderRules, ResourceRules } from '../advice.ts';
import { boundsOf } from '../policy/workload-overrides.ts';
import { carryOut, type CarryOut, type ResizeStep } from './carry-out.ts';
import { changeSummary } from './change-summary.ts';
import { FIELD, RESOURCES, withAmount } from './container-values.ts';
import { mostTelling } from './interlocks.ts';
import { isResizable } from './pod-change.ts';
import type { DecisionNote, Outcome, WorkloadDecision } from './decision.ts';
import { modeInForce, type ResizeMemory, type WorkloadSituation } from './situation.ts';
import { workloadFigures, type ContainerFigures } from './workload-figures.ts';

interface IdleVerdict {
  /** null: the workload is awake again, and is decided about like any other. */
  readonly outcome: Outcome | null;
  readonly memory: Partial<ResizeMemory>;
  readonly steps: readonly ResizeStep[];
  readonly notes: readonly DecisionNote[];
}

/** A node that cannot give a pod its natural size yet keeps the rest of right-sizing from it no longer than this. */
const NODES_PATIENCE_MS: DurationMs = 30 * MINUTE_MS;

/** While it wakes, pods are looked at this often. */
const UNDER_WAY_MS: DurationMs = MINUTE_MS;

/** Decides about a workload that is idle, or that may fall idle; all else is decided as ever. */
export function withIdleMode(situation: WorkloadSituation, decide: (awake: WorkloadSituation) => WorkloadDecision): WorkloadDecision {
  const mode = modeInForce(situation.policy, situation.overrides);
  const verdict = whileIdle(situation, mode);
  const asIdle = verdict?.outcome ?? null;
  if (verdict !== null && asIdle !== null) return decisionOf(situation, mode, verdict, asIdle);
  const awake = { ...situation, memory: { ...situation.memory, ...verdict?.memory } };
  const decided = decide(awake);
  const falling = fallsIdle({ ...awake, memory: decided.memory }, mode, decided.containers, decided);
  const notes = [...(verdict?.notes ?? []), ...decided.notes, ...(falling?.notes ?? [])];
  const fallen = falling?.outcome ?? null;
  if (falling === null || fallen === null) return { ...decided, notes };
  if (falling.steps.length === 0) return { ...decided, ...fallen, notes };
  return decisionOf({ ...awake, memory: decided.memory }, mode, { ...falling, notes }, fallen);
}

/** The figures that savings are counted by: while it is idle nothing is to be changed, so nothing more can be saved. */
export function dueFigures({ containers, memory }: WorkloadDecision): readonly ContainerFigures[] {
  return memory.idle === null ? containers : containers.map((figures) => ({ ...figures, target: null, targetInputs: null }));
}

function decisionOf(situation: WorkloadSituation, mode: ResizeMode, verdict: IdleVerdict, outcome: Outcome): WorkloadDecision {
  const { policy, standing } = situation;
  const memory = { ...situation.memory, ...verdict.memory };
  return {
    ...outcome,
    mode,
    containers: workloadFigures({ ...situation, memory }),
    memory,
    steps: standing.dryRun || policy.dryRun ? verdict.steps.slice(0, 1) : verdict.steps,
    autoscalers: [],
    evict: null,
    notes: verdict.notes,
    lookAgainInMs: outcome.state === 'idle' ? policy.intervalMs : Math.min(UNDER_WAY_MS, policy.intervalMs),
  };
}

/** What becomes of a workload that is idle; null: it is not. Comes before everything else that might be decided. */
function whileIdle(situation: WorkloadSituation, mode: ResizeMode): IdleVerdict | null {
  const { idle } = situation.memory;
  if (idle === null) return null;
  if (idle.waking !== null) return wakes(situation, idle, []);
  const reason = wakeReason(situation, mode, idle);
  if (reason === null) return sleeps(situation, idle);
  const waking = { ...idle, waking: { since: situation.now, ...reason } };
  return wakes(situation, waking, [{ type: 'Normal', reason: 'Woken', message: `back to its natural size: ${reason.because}` }]);
}

/**
 * Makes a workload small that is idle; null where it is not, or where what was decided about it otherwise goes first.
 * @param decided what stands without idle mode
 */
function fallsIdle(
  situation: WorkloadSituation,
  mode: ResizeMode,
  figures: readonly ContainerFigures[],
  decided: Outcome,
): IdleVerdict | null {
  const { policy, standing, now, pods } = situation;
  if (mode !== 'Auto' || isOccupied(situation, decided)) return null;
  const candidacy = idleCandidacy(situation);
  if (candidacy.kind === 'no') return null;
  const natural: Sizes = new Map(figures.map(({ name, inForce }) => [name, inForce]));
  const { overrides, limitRanges, advice } = situation;
  const floorOf = (name: string) => boundsOf(overrides.floor, name);
  const sizes = idleSizes({ rules: policy.idle, natural, pods: pods.length, advice, floorOf, limitRanges });
  if (!isSmaller(sizes, natural)) return null;
  const nothing = { memory: {}, steps: [], notes: [] };
  if (candidacy.kind === 'held') {
    const { reason, message, until } = candidacy;
    // What waits for something else tells of that.
    return decided.state === 'awaiting' ? null : { ...nothing, outcome: { state: 'awaiting', reason, message, until } };
  }
  const quiet = formatDuration(Math.floor((now - candidacy.quietSince) / MINUTE_MS) * MINUTE_MS);
  const progress = carryOut(situation, sizes, { kind: 'change', most: Number.POSITIVE_INFINITY, because: `idle: quiet for ${quiet}` });
  const summary = changeSummary(natural, withLimitsOf(sizes, natural));
  if (progress.reachable === 0) return decided.state === 'awaiting' ? null : { ...nothing, outcome: cannotBeSmall(progress, quiet) };
  if (standing.dryRun || policy.dryRun) {
    const message = `dry run: idle, quiet for ${quiet}; would be made small: ${summary}`;
    return { ...nothing, steps: progress.steps, outcome: { state: 'awaiting', reason: 'dry-run', message, until: null } };
  }
  const idle: IdleMemory = {
    since: now,
    natural,
    sizes,
    ...nextFloor(situation, figures),
    replicas: situation.workload.replicas.desired,
    idleReplicas: null,
    autoscaler: null,
    scaled: false,
    waking: null,
    wakesOn: wakesOn(policy.idle.cpuThreshold, null),
  };
  return {
    outcome: asleep(idle, summary),
    memory: { idle },
    steps: progress.steps,
    notes: [{ type: 'Normal', reason: 'Idled', message: `quiet for ${quiet}; ${summary}` }],
  };
}

/** Something goes first: a change under way, a stop, or a state in which nothing may be done. */
function isOccupied({ memory, policy, standing, wishes }: WorkloadSituation, { state }: Outcome): boolean {
  if (memory.apply !== null || memory.idle !== null) return true;
  if (standing.paused !== null || standing.stale !== null || policy.paused || wishes.paused) return true;
  return state === 'blocked' || state === 'excluded' || state === 'applying' || state === 'exception';
}

function sleeps(situation: WorkloadSituation, idle: IdleMemory): IdleVerdict {
  const because = 'idle: the pod has its natural size still';
  const { steps } = carryOut(situation, idle.sizes, { kind: 'conform', most: Number.POSITIVE_INFINITY, because });
  const { standing, now } = situation;
  const calm = standing.calmUntil !== null && standing.calmUntil > now;
  return {
    outcome: asleep(idle, changeSummary(idle.natural, withLimitsOf(idle.sizes, idle.natural))),
    memory: {},
    steps: standing.paused !== null || standing.stale !== null || calm ? [] : steps,
    notes: [],
  };
}

function asleep({ wakesOn: wakes, since }: IdleMemory, summary: string): Outcome {
  return {
    state: 'idle',
    reason: null,
    message: `idle since ${new Date(since).toISOString()}: ${summary}; wakes on ${wakes}`,
    until: null,
  };
}

/** To all pods at once: an increase has nothing to prove, and waits for no window and no cool-down. */
function wakes(situation: WorkloadSituation, idle: IdleMemory, notes: readonly DecisionNote[]): IdleVerdict {
  const { now, pods, standing } = situation;
  const { waking, natural } = idle;
  if (waking === null) return { outcome: null, memory: {}, steps: [], notes };
  const short = pods.filter((pod) => isShort(pod, natural));
  // A node that tells no usage can be asked to give more all the same.
  const reachable = { ...situation, pods: short.filter(isResizable), unreadNodes: new Set<string>() };
  const wanted: Sizes = new Map([...natural].map(([name, { requests }]) => [name, requestsOnly(requests)]));
  const progress = carryOut(reachable, wanted, { kind: 'change', most: Number.POSITIVE_INFINITY, because: `woken: ${waking.because}` });
  const patient = now - waking.since < NODES_PATIENCE_MS;
  const refused = patient ? pods.filter(({ resize }) => resize.state === 'deferred' || resize.state === 'infeasible') : [];
  if (short.length + refused.length === 0) {
    return { outcome: null, memory: { idle: null, lastIdle: lastIdleOf(situation, idle, waking) }, steps: [], notes };
  }
  const dryRun = standing.dryRun || situation.policy.dryRun;
  const what = `waking (${waking.because}): ${short.length + refused.length} of ${pods.length} pods lack their natural size`;
  const waiting = progress.steps.length > 0 ? null : mostTelling(progress.waits);
  const message = dryRun ? `dry run: ${what}` : [what, ...(waiting === null ? [] : [waiting.message])].join('; ');
  const outcome: Outcome =
    waiting === null || dryRun
      ? { state: 'applying', reason: null, message, until: null }
      : { state: 'awaiting', reason: waiting.reason, message, until: waiting.until };
  return { outcome, memory: { idle }, steps: progress.steps, notes };
}

/** Whether a pod asks for less than the natural size. */
function isShort(pod: PodRecord, natural: Sizes): boolean {
  return pod.containers.some(({ name, requests }) => {
    const full = natural.get(name)?.requests;
    return full !== undefined && RESOURCES.some((resource) => isLess(requests[FIELD[resource]], full[FIELD[resource]]));
  });
}

function isLess(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a < b;
}

function lastIdleOf({ now, memory, policy }: WorkloadSituation, idle: IdleMemory, waking: NonNullable<IdleMemory['waking']>): LastIdle {
  const slept = waking.since - idle.since;
  const before = memory.lastIdle?.shortNaps ?? 0;
  const shortNaps = slept >= policy.idle.afterMs ? 0 : waking.by === 'load' ? before + 1 : before;
  return { since: idle.since, wokenAt: now, because: waking.because, shortNaps, awakeMs: idle.awakeMs, floor: idle.floor };
}

/**
 * What is recommended now, before the idle hours are learnt, is recommended at least until the workload has been awake for as
 * long as a recommendation takes to be made. One who naps every night keeps the floor over the naps until then.
 */
function nextFloor(situation: WorkloadSituation, figures: readonly ContainerFigures[]): Pick<IdleMemory, 'floor' | 'awakeMs'> {
  const floor = floorInForce(situation.memory, situation.policy.minSamplesMs, situation.now);
  if (floor !== null) return { floor, awakeMs: awakeMs(situation.memory.lastIdle, situation.now) };
  return { floor: new Map(figures.map(({ name, target, inForce }) => [name, requestsOnly((target ?? inForce).requests)])), awakeMs: 0 };
}

/** Requests below which nothing is recommended because of idle hours; null: there is no such floor now. */
function floorInForce(memory: ResizeMemory, minSamplesMs: DurationMs, now: number): Sizes | null {
  if (memory.idle !== null) return memory.idle.floor;
  const { lastIdle } = memory;
  return lastIdle === null || awakeMs(lastIdle, now) >= minSamplesMs ? null : lastIdle.floor;
}

/** The same rules with that floor as the least, so that advice and its explanation agree. A greatest value that is less wins. */
export function withIdleFloor(
  rulesFor: (container: string) => RecommenderRules,
  memory: ResizeMemory,
  minSamplesMs: DurationMs,
  now: Instant,
): (container: string) => RecommenderRules {
  const floor = floorInForce(memory, minSamplesMs, now);
  if (floor === null) return rulesFor;
  return (container) => {
    const rules = rulesFor(container);
    const least = floor.get(container)?.requests ?? UNSET_RESOURCES;
    const raised = (own: ResourceRules, amount: number | null): ResourceRules => ({
      ...own,
      min: Math.max(own.min, Math.min(amount ?? 0, own.max ?? Number.POSITIVE_INFINITY)),
    });
    return { ...rules, cpu: raised(rules.cpu, least.cpuMillicores), memory: raised(rules.memory, least.memoryBytes) };
  };
}

function awakeMs(last: LastIdle | null, now: number): DurationMs {
  return last === null ? 0 : last.awakeMs + Math.max(0, now - last.wokenAt);
}

function cannotBeSmall({ waits }: CarryOut, quiet: string): Outcome {
  const waiting = mostTelling(waits);
  const why = waiting?.message ?? 'no pod can be resized now';
  return {
    state: 'awaiting',
    reason: waiting?.reason ?? 'capacity',
    message: `idle, quiet for ${quiet}; not made small: ${why}`,
    until: waiting?.until ?? null,
  };
}

/** For a summary: limits stay. */
function withLimitsOf(sizes: Sizes, natural: Sizes): Sizes {
  return new Map(
    [...sizes].map(([name, { requests }]) => {
      let kept = requests;
      const before = natural.get(name);
      for (const resource of RESOURCES)
        kept = withAmount(kept, resource, kept[FIELD[resource]] ?? before?.requests[FIELD[resource]] ?? null);
      return [name, { requests: kept, limits: before?.limits ?? requestsOnly(kept).limits }];
    }),
  );
}
