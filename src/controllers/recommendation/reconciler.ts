// Brings one workload's pods to what they should have, and tells so on its Recommendation. The shell around
// core/resize: it reads, asks, writes down, acts and reports; it decides nothing itself.

import type { Recommendation, RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { withRefusals } from '../../core/hpa/recorded-target.ts';
import { isApplied } from '../../core/resize/model/limit-exception.ts';
import { isoTime } from '#kube/time/iso-time';
import { SECOND_MS, type DurationMs } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { refusedEviction } from '../../core/resize/layers/evictions/evictions.ts';
import { decideWorkload } from '../../core/resize/layers/decide-workload.ts';
import type { WorkloadDecision } from '../../core/resize/model/decision.ts';
import type { DecisionEvent } from '../../core/resize/model/decision-event.ts';
import { recommendationStatus } from '../../core/resize/status/recommendation-status.ts';
import { errorRateQuery, needsErrorRate } from '../../core/resize/plan/error-rate.ts';
import { raisesWaitingForNodes } from '../../core/resize/plan/waiting-raises.ts';
import { lowersInAnyClass, underWayInAnyClass } from '../../core/resize/layers/node-classes/node-classes.ts';
import type { ContainerAdvice } from '../../core/recommender/advice.ts';
import type { ResizeMemory, WorkloadSituation } from '../../core/resize/model/situation.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import type { DecidedWorkload } from '../../state/decision-cache.ts';
import { NodeRefusals } from '../../state/node-refusals.ts';
import type { WorkloadGovernance } from '../../state/policy-resolver.ts';
import { writeApprovedCeilings } from './approved-ceilings.ts';
import { carryOutScale } from './carry-out-scale.ts';
import { carryOutSteps, type StepsOutcome } from './carry-out-steps.ts';
import { evict, evictionCounter } from './eviction.ts';
import { noteEvent } from './events.ts';
import { TargetFollowing, type FollowOutcome } from './follow-targets.ts';
import { keepIdleNote } from './idle-note.ts';
import { ExceptionMetrics } from './exception-metrics.ts';
import { RecommendationMetrics, type WatchEvidence } from './metrics.ts';
import { OwnResizes } from './own-resizes.ts';
import type { RecommendationPorts } from './ports.ts';
import { ensureObject, noteOnWorkload, publish, unpublish } from './publish.ts';
import { refusedRecords } from './refused-records.ts';
import { latestStatus, remembered, wasDeleted, type Remembered } from './remembered.ts';
import { adviceFor, moneyOfDecision, situationOf } from './situation.ts';

/** Soon enough for what was left over, late enough for the informers to have caught up. */
const LEFT_OVER_MS: DurationMs = 10 * SECOND_MS;
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
/**
 * The next cycle of its policy looks at each workload. One that asked for that same moment would be looked at twice: it asks for
 * a little later, for where no cycle comes.
 */
const CYCLE_COMES_WITHIN_MS: DurationMs = 10 * SECOND_MS;
const NOTHING_DONE: StepsOutcome = { taken: [], changed: 0, failed: 0, refused: [], unfinished: false };

export class RecommendationReconciler implements Reconciler<WorkloadKey> {
  readonly #ports: RecommendationPorts;
  readonly #metrics: RecommendationMetrics;
  readonly #evictions: (outcome: string) => void;
  readonly #exceptions: ExceptionMetrics;
  readonly #own = new OwnResizes();
  readonly #nodeRefusals = new NodeRefusals();

  constructor(ports: RecommendationPorts) {
    this.#ports = ports;
    this.#metrics = new RecommendationMetrics(ports.metrics);
    this.#evictions = evictionCounter(ports.metrics);
    this.#exceptions = new ExceptionMetrics(ports.metrics);
  }

  /** Level-triggered and idempotent: safe to call at any time, any number of times, after any crash. */
  async reconcile(key: WorkloadKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, cluster } = this.#ports;
    if (!cluster.synced()) return { requeueAfterMs: NOT_SYNCED_MS };
    const before = this.#governed(key);
    if (before !== null) await this.#watchIdle(before.workload, before.governance);
    const known = remembered(this.#ports, key);
    const advice = before === null ? [] : await adviceFor(this.#ports, before.workload, before.governance, known, clock.now());
    // Looked at again: the world moves on while advice is made.
    const governed = this.#governed(key);
    if (governed === null) return this.#forget(key);
    const { workload, governance } = governed;
    const { situation, decision, basis } = await this.#decide(workload, governance, advice, signal);
    for (const note of [...decision.events, ...refusedRecords(this.#ports, workload, situation, basis)]) this.#recordNote(workload, note);
    // Written down before it is acted on, so that a crash in between is found again.
    await keepIdleNote(this.#ports, workload, decision.memory.idle, signal);
    if (wasDeleted(this.#ports, key, basis)) return { requeueAfterMs: 0 };
    await this.#publish(key, workload, governance, situation, decision, signal);
    for (const reason of newRollBacks(situation.memory, decision.memory)) this.#metrics.rolledBack(reason);
    this.#exceptions.decided(key, situation.memory.limitExceptions, decision.memory.limitExceptions);
    await writeApprovedCeilings(this.#ports, workload, decision, signal);
    const following = new TargetFollowing(this.#ports, { workload, policy: governance.rules, pods: situation.pods, decision }, signal);
    const steps = await following.before();
    const outcome =
      steps.length === 0
        ? NOTHING_DONE
        : await carryOutSteps(this.#ports, this.#metrics, workload, governance.rules, { ...decision, steps }, signal);
    this.#own.note(key, outcome.taken, clock.now());
    const targets = await following.after(outcome.taken);
    const scaling = { workload, policy: governance.rules, pods: situation.pods, decision };
    const unscaled = await carryOutScale(this.#ports, scaling, signal);
    const stays =
      decision.evict === null ? null : await evict(this.#ports, this.#evictions, workload, governance.rules, decision.evict, signal);
    const refusals = { pods: outcome.refused, targets: targets.refused, eviction: stays };
    const last =
      refusals.pods.length + refusals.targets.length === 0 && stays === null
        ? decision
        : await this.#publishRefusals(key, workload, governance, situation, decision, refusals, signal);
    this.#report(key, governance, last, outcome);
    const { intervalMs } = governance.rules;
    const ownMs = last.lookAgainInMs < intervalMs ? last.lookAgainInMs : intervalMs + CYCLE_COMES_WITHIN_MS;
    return { requeueAfterMs: outcome.unfinished || targets.unfinished || unscaled ? Math.min(LEFT_OVER_MS, ownMs) : ownMs };
  }

  /** Ends the term: another replica tells how things stand from now on. */
  close(): void {
    this.#metrics.reset();
    this.#exceptions.reset();
  }

  /** null: gone (the garbage collector takes its Recommendation along), or none of ours. */
  #governed(key: WorkloadKey): { readonly workload: WorkloadRecord; readonly governance: WorkloadGovernance } | null {
    const { cluster, policies } = this.#ports;
    const workload = cluster.findWorkload(key);
    if (workload?.deletionAt !== null) return null;
    // Goes with its namespace, in which nothing can be made any more.
    if ((cluster.findNamespace(workload.namespace)?.deletionAt ?? null) !== null) return null;
    const governance = policies.governanceOf(workload);
    return governance.outOfScope ? null : { workload, governance };
  }

  #situation(
    workload: WorkloadRecord,
    governance: WorkloadGovernance,
    advice: readonly ContainerAdvice[],
    basis: Remembered,
  ): WorkloadSituation {
    const now = this.#ports.clock.now();
    this.#nodeRefusals.record(basis.memory);
    return this.#seenOrWritten(situationOf(this.#ports, workload, governance, advice, basis, this.#nodeRefusals.current(now), now));
  }

  #seenOrWritten(situation: WorkloadSituation): WorkloadSituation {
    return { ...situation, pods: this.#own.over(workloadKey(situation.workload), situation.pods, situation.now) };
  }

  /** A reduction that is begun counts at once: others decide while this one is being written down. */
  #decideNow(situation: WorkloadSituation): WorkloadDecision {
    const decision = decideWorkload(situation);
    this.#nodeRefusals.record(decision.memory);
    this.#metrics.nodeRefusals(this.#nodeRefusals.current(situation.now));
    if (decision.state === 'applying' && lowersInAnyClass(decision.memory))
      this.#ports.decisions.intend(workloadKey(situation.workload), situation.policy.name);
    return decision;
  }

  /** Where errors are a sign of harm and a change is under way, or is about to be, they are asked for first. */
  async #decide(
    workload: WorkloadRecord,
    governance: WorkloadGovernance,
    advice: readonly ContainerAdvice[],
    signal: AbortSignal,
  ): Promise<{ readonly situation: WorkloadSituation; readonly decision: WorkloadDecision; readonly basis: Remembered }> {
    const { errorRates } = this.#ports;
    const key = workloadKey(workload);
    const first = remembered(this.#ports, key);
    const situation = this.#situation(workload, governance, advice, first);
    const decision = this.#decideNow(situation);
    const query = errorRateQuery(situation);
    if (query === null || !needsErrorRate(situation, underWayInAnyClass(decision.memory))) {
      return { situation, decision, basis: first };
    }
    const errorRate = (await errorRates?.ask(query, situation.now, signal)) ?? null;
    const basis = remembered(this.#ports, key);
    const now = { ...this.#situation(workload, governance, advice, basis), errorRate };
    return { situation: now, decision: this.#decideNow(now), basis };
  }

  #recordNote(workload: WorkloadRecord, note: DecisionEvent): void {
    this.#ports.events.record(noteEvent(workload, note));
    if (note.reason === 'Idled') this.#metrics.idle('idled');
    if (note.reason === 'Woken') this.#metrics.idle('woken');
  }

  async #watchIdle(workload: WorkloadRecord, { rules }: WorkloadGovernance): Promise<void> {
    const { idle, clock } = this.#ports;
    await idle?.watch(workload, idle.enabled && rules.idle.enabled ? rules.idle : null, clock.now());
  }

  #forget(key: WorkloadKey): ReconcileResult {
    const { cycles, decisions, clock } = this.#ports;
    decisions.forget(key);
    this.#own.forget(key);
    this.#ports.idle?.forget(key);
    cycles.leave(key, clock.now());
    this.#metrics.decided(key, null);
    this.#exceptions.decided(key, [], null);
    return { done: true };
  }

  async #publish(
    key: WorkloadKey,
    workload: WorkloadRecord,
    governance: WorkloadGovernance,
    situation: WorkloadSituation,
    decision: WorkloadDecision,
    signal: AbortSignal,
  ): Promise<void> {
    const { cluster, decisions, usageSource } = this.#ports;
    const present = cluster.findRecommendation(key);
    const before = latestStatus(this.#ports, key, present);
    const money = moneyOfDecision(this.#ports, situation, decision);
    const { potentialPerMonthUsd, reclaimedPerMonthUsd, costPerMonthUsd } = money;
    const waitingRaises = raisesWaitingForNodes(situation, decision);
    const published = isToBePublished(decision, present !== undefined);
    const policy = governance.rules.name;
    const facts = {
      now: situation.now,
      generation: published ? await ensureObject(this.#ports, workload, policy, present, signal) : null,
      replicas: situation.pods.length,
      savingsPerMonthUsd: potentialPerMonthUsd,
      costPerMonthUsd,
      waitingRaises,
      source: usageSource(),
    };
    // One that was just made has no status yet, whatever this process remembers.
    const earlier = present === undefined ? undefined : before;
    const parts = { decision, facts, before };
    const written = published
      ? await publish(this.#ports, workload, parts, earlier, signal)
      : recommendationStatus(decision, facts, before);
    if (!published && present !== undefined) await unpublish(this.#ports, workload, signal);
    if (hasNewlyApplied(before, written)) await noteOnWorkload(this.#ports, workload, written, signal);
    decisions.record(key, {
      policy,
      published,
      ...recommendationUid(present),
      status: written,
      advice: shownAdvice(situation, decision),
      savings: { potentialPerMonthUsd, reclaimedPerMonthUsd },
    });
    if (before?.state !== decision.state || (before.reason ?? null) !== decision.reason) this.#log(key, before, decision);
    this.#metrics.decided(key, {
      state: decision.state,
      potential: potentialPerMonthUsd,
      reclaimed: reclaimedPerMonthUsd,
      waitingRaises: waitingRaises?.pods ?? 0,
      watch: watchEvidence(decision.memory),
    });
  }

  // When it turns, not each time it is looked at: a log is read for what changed.
  #log(key: WorkloadKey, before: RecommendationStatus | undefined, decision: WorkloadDecision): void {
    const { state, reason, message, until } = decision;
    const was = before?.state === undefined ? undefined : [before.state, before.reason].filter((word) => word !== undefined).join(' ');
    const { logger } = this.#ports;
    const fields = {
      object: key,
      state,
      ...(reason === null ? {} : { reason }),
      why: message,
      ...(until === null ? {} : { until: isoTime(until) }),
      ...(was === undefined ? {} : { was }),
    };
    if (isRoutine(state, reason)) logger.debug('Decided', fields);
    else logger.info('Decided', fields);
  }

  /** The server said no: remembered, and the state says why. */
  async #publishRefusals(
    key: WorkloadKey,
    workload: WorkloadRecord,
    governance: WorkloadGovernance,
    situation: WorkloadSituation,
    decision: WorkloadDecision,
    refused: { readonly pods: StepsOutcome['refused']; readonly targets: FollowOutcome['refused']; readonly eviction: string | null },
    signal: AbortSignal,
  ): Promise<WorkloadDecision> {
    const failures = [
      ...decision.memory.failures.filter(({ uid }) => !refused.pods.some((failure) => failure.uid === uid)),
      ...refused.pods,
    ];
    // A moment later than the first, so that what was written last can be told.
    const now = Math.max(this.#ports.clock.now(), situation.now + 1);
    const autoscalers = withRefusals(decision.memory.autoscalers, refused.targets, now);
    const { evictions } = decision.memory;
    const tries = refused.eviction === null ? evictions : refusedEviction(evictions, now, refused.eviction);
    const again = decideWorkload({ ...situation, now, memory: { ...decision.memory, failures, autoscalers, evictions: tries } });
    await this.#publish(key, workload, governance, { ...situation, now }, again, signal);
    return again;
  }

  #report(key: WorkloadKey, { rules }: WorkloadGovernance, decision: WorkloadDecision, { changed, failed }: StepsOutcome): void {
    const { cycles, clock, cluster } = this.#ports;
    const isDeferred = ({ state }: { readonly state: string }): boolean => state === 'deferred';
    const waitingNow = [...cluster.podsOf(key)].filter(({ resize }) => isDeferred(resize)).length;
    const deferred = waitingNow + decision.memory.failures.filter(isDeferred).length;
    cycles.report(
      rules.name ?? '',
      key,
      { changed, failed, deferred, blocked: decision.state === 'blocked', reason: decision.reason },
      clock.now(),
    );
  }
}

function isToBePublished({ memory, mode, state }: WorkloadDecision, isPresent: boolean): boolean {
  // What was given for a while is remembered until it is taken back, whatever the mode.
  const memories = [memory, ...(memory.classes?.values() ?? [])];
  // An autoscaler's original targets are remembered until they are back.
  if (memory.idle !== null || memory.autoscalers.some(({ targets }) => targets.length > 0)) return true;
  if (memories.some(({ limitExceptions }) => limitExceptions.some(isApplied))) return true;
  // Observe publishes nothing; a workload that is to be left alone keeps what it has and gets nothing new.
  return mode !== 'Observe' && (state !== 'excluded' || isPresent);
}

/** Of a workload and each of its classes of nodes. */
function memoriesOf(memory: ResizeMemory): readonly (readonly [string, ResizeMemory])[] {
  return [['', memory], ...(memory.classes ?? [])];
}

/** Where classes of nodes are told apart, the workload's own memory is that of the first of them. */
function newRollBacks(before: ResizeMemory, after: ResizeMemory): readonly string[] {
  const earlier = new Map(memoriesOf(before));
  const counted = after.classes === undefined ? memoriesOf(after) : [...after.classes];
  return counted.flatMap(([name, { rolledBack }]) =>
    rolledBack === null || rolledBack.at === (earlier.get(name)?.rolledBack?.at ?? null) ? [] : [rolledBack.reason],
  );
}

function watchEvidence(memory: ResizeMemory): WatchEvidence | null {
  const watched = memoriesOf(memory).flatMap(([, each]) => each.watched.slice(-1));
  if (watched.length === 0) return null;
  return watched.some(({ comparedHours }) => comparedHours > 0) ? 'compared' : 'none';
}

function recommendationUid(seen: Recommendation | undefined): Pick<DecidedWorkload, 'recommendationUid'> {
  const uid = seen?.metadata.uid;
  return uid === undefined ? {} : { recommendationUid: uid };
}

/** Of the class that is shown, where classes are told apart; without the hours of a watch, which are shared with no other replica. */
function shownAdvice({ advice }: WorkloadSituation, { classes, containers }: WorkloadDecision): readonly ContainerAdvice[] {
  const shown = classes === undefined ? advice : containers.flatMap((plans) => plans.advice ?? []);
  return shown.map(({ evidence: _hours, ...each }) => each);
}

/** A change that goes its way, which the lines of its resizes tell already: dozens a workload and day. */
function isRoutine(state: WorkloadDecision['state'], reason: WorkloadDecision['reason']): boolean {
  return state === 'applying' || (state === 'applied' && reason === null) || reason === 'cooldown';
}

function hasNewlyApplied(before: RecommendationStatus | undefined, after: RecommendationStatus): boolean {
  return after.lastApplied !== undefined && after.lastApplied.at !== before?.lastApplied?.at;
}
