// Publishes decisions: the Recommendation and its status, the decision cache, Events, metrics and log.

import { workloadKey, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { Recommendation, RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { ContainerAdvice } from '../../../core/recommender/advice.ts';
import type { DecisionEvent } from '../../../core/resize/model/decision-event.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import { isApplied } from '../../../core/resize/model/limit-exception.ts';
import type { ResizeMemory, WorkloadSituation } from '../../../core/resize/model/situation.ts';
import { raisesWaitingForNodes } from '../../../core/resize/plan/steps/waiting-raises.ts';
import { recommendationStatus } from '../../../core/resize/status/recommendation-status.ts';
import type { DecidedWorkload } from '../../../state/decision-cache.ts';
import type { CarryOutResult } from '../carry-out/carry-out-decision.ts';
import type { DecidedSituation } from '../decide/workload-decider.ts';
import type { GovernedWorkload } from '../observe/governed-workload.ts';
import { latestStatus, latestVersion } from '../observe/latest-memory.ts';
import type { RecommendationPorts } from '../ports.ts';
import { logDecision, logEvents } from './decision-log.ts';
import { decisionEvent } from './events.ts';
import { ExceptionMetrics } from './exception-metrics.ts';
import { watchEvidence, type RecommendationMetrics } from './metrics.ts';
import { calculateMoney } from './money.ts';
import {
  annotateResized,
  deleteRecommendation,
  findDueWrite,
  writeRecommendation,
  type RecommendationOwner,
  type StatusContents,
} from './recommendation-object.ts';
import { WorkloadMetrics } from './workload-metrics.ts';
import { WriteBudget } from './write-budget.ts';

interface PublishedStatus {
  readonly status: RecommendationStatus;
  /** resourceVersion of the Recommendation with the status; undefined where none is known. */
  readonly resourceVersion: string | undefined;
  /** Whether a newer status waits for the write budget. */
  readonly isWaiting: boolean;
  /** Whether the status is in the object. */
  readonly isPublished: boolean;
}

export class DecisionPublisher {
  readonly #ports: RecommendationPorts;
  readonly #metrics: RecommendationMetrics;
  readonly #exceptions: ExceptionMetrics;
  readonly #workloads: WorkloadMetrics;
  readonly #budget: WriteBudget;

  constructor(ports: RecommendationPorts, metrics: RecommendationMetrics) {
    this.#ports = ports;
    this.#metrics = metrics;
    this.#exceptions = new ExceptionMetrics(ports.metrics);
    this.#workloads = new WorkloadMetrics(ports.metrics, ports.maxWorkloadMetrics, ports.logger);
    const waiting = ports.metrics.gauge({
      name: 'evenkeel_recommendations_waiting',
      help: 'Recommendations with changes that wait to be written, because at most 15 are written per second.',
    });
    this.#budget = new WriteBudget({ clock: ports.clock, onTurn: ports.enqueue, waiting });
  }

  recordEvents(workload: WorkloadRecord, decided: readonly DecisionEvent[]): void {
    const notes = this.#withoutRepetitions(workload, decided);
    logEvents(this.#ports.logger, workloadKey(workload), notes);
    for (const event of notes) {
      this.#ports.events.record(decisionEvent(workload, event));
      if (event.reason === 'Idled') this.#metrics.countIdleTransition('idled');
      if (event.reason === 'Woken') this.#metrics.countIdleTransition('woken');
    }
  }

  /** A lapsed approval stays in the spec and is decided anew each time, but is reported once. */
  #withoutRepetitions(workload: WorkloadRecord, notes: readonly DecisionEvent[]): readonly DecisionEvent[] {
    const { cluster } = this.#ports;
    const key = workloadKey(workload);
    const { reason, message } = latestStatus(this.#ports, key, cluster.findRecommendation(key)) ?? {};
    const isReported = (note: DecisionEvent): boolean =>
      (reason === 'approval' || reason === 'dry-run') && (message ?? '').includes(note.message);
    return notes.filter((note) => note.reason !== 'ApprovalLapsed' || !isReported(note));
  }

  /**
   * Writes the Recommendation, or deletes it where the mode publishes none, and records the decision in the cache, the log and the metrics.
   * A write that is not urgent may have to wait for the write budget; the workload is decided again when its turn comes.
   * @returns `conflict` where the Recommendation has changed since it was read: nothing was published, and the workload has to be decided
   * again
   * @throws when the API server refuses a write or cannot be reached: a decision that is not stored may not be carried out
   */
  async publish(
    governed: GovernedWorkload,
    decided: Pick<DecidedSituation, 'situation' | 'decision'>,
    signal: AbortSignal,
  ): Promise<'published' | 'conflict'> {
    const { key, workload, governance } = governed;
    const { situation, decision } = decided;
    const { cluster, decisions, usageSource, logger } = this.#ports;
    const present = cluster.findRecommendation(key);
    const previous = latestStatus(this.#ports, key, present);
    const { potentialPerMonthUsd, reclaimedPerMonthUsd, costPerMonthUsd } = calculateMoney(this.#ports, situation, decision);
    const waitingRaises = raisesWaitingForNodes(situation, decision);
    const policy = governance.rules.name;
    const facts = {
      now: situation.now,
      replicas: situation.pods.length,
      savingsPerMonthUsd: potentialPerMonthUsd,
      costPerMonthUsd,
      waitingRaises,
      source: usageSource(),
    };
    const contents = { decision, facts, before: previous };
    const owner = { workload, policy, present, resourceVersion: latestVersion(this.#ports, key, present) };
    const published = isToBePublished(decision, present !== undefined)
      ? await this.#write(key, owner, contents, signal)
      : await this.#withhold(key, owner, contents, signal);
    if (published === 'conflict') return this.#forgetVersion(key);
    const { status, resourceVersion, isWaiting, isPublished } = published;
    if (isNewlyApplied(previous, status)) await annotateResized(this.#ports, workload, status, signal);
    decisions.record(key, {
      policy,
      published: isPublished,
      ...recommendationUid(present),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      status,
      advice: displayedAdvice(situation, decision),
      savings: { potentialPerMonthUsd, reclaimedPerMonthUsd },
    });
    // A change that waits is logged when it is written, so that it is logged once.
    if (!isWaiting || !isPublished) logDecision(logger, key, previous, decision);
    this.#metrics.setWorkload(key, {
      state: decision.state,
      potential: potentialPerMonthUsd,
      reclaimed: reclaimedPerMonthUsd,
      waitingRaises: waitingRaises?.pods ?? 0,
      watch: watchEvidence(decision.memory),
    });
    this.#workloads.setWorkload(key, isPublished || isWaiting ? decision.containers : null);
    return 'published';
  }

  /** Others have changed the Recommendation since the last write, so the informers' version counts from now on. */
  #forgetVersion(key: WorkloadKey): 'conflict' {
    const { decisions } = this.#ports;
    const { resourceVersion, ...decided } = decisions.find(key) ?? {};
    if (resourceVersion !== undefined) decisions.record(key, decided as DecidedWorkload);
    return 'conflict';
  }

  /** Writes the Recommendation where it is due and its turn has come; else the status in the object stays, and counts as the last one. */
  async #write(
    key: WorkloadKey,
    owner: RecommendationOwner,
    contents: StatusContents,
    signal: AbortSignal,
  ): Promise<PublishedStatus | 'conflict'> {
    const { present, resourceVersion } = owner;
    const cached = this.#ports.decisions.find(key);
    // An unpublished status is not in the object, which may have been created without its status.
    const inObject = cached?.published === true ? present && contents.before : present?.status;
    const due = findDueWrite(owner, contents, inObject);
    if (due === null) this.#budget.withdraw(key);
    else if (this.#budget.admit(key, due.priority, due.writes)) {
      const written = await writeRecommendation(this.#ports, owner, contents, inObject, signal);
      return written === 'conflict' ? written : { ...written, isWaiting: false, isPublished: true };
    }
    return { status: inObject ?? unwrittenStatus(contents), resourceVersion, isWaiting: due !== null, isPublished: inObject !== undefined };
  }

  async #withhold(
    key: WorkloadKey,
    owner: RecommendationOwner,
    contents: StatusContents,
    signal: AbortSignal,
  ): Promise<PublishedStatus | 'conflict'> {
    this.#budget.withdraw(key);
    if (owner.present !== undefined && (await deleteRecommendation(this.#ports, owner, signal)) === 'conflict') return 'conflict';
    return { status: unwrittenStatus(contents), resourceVersion: undefined, isWaiting: false, isPublished: false };
  }

  /** Counts the roll-backs and limit exceptions that a decision adds or ends. */
  countTransitions(key: WorkloadKey, before: ResizeMemory, after: ResizeMemory): void {
    this.#metrics.countRollBacks(before, after);
    this.#exceptions.setExceptions(key, before.limitExceptions, after.limitExceptions);
  }

  /** Reports the result to the resize cycle of the policy. */
  reportToCycle(
    { key, governance: { rules } }: GovernedWorkload,
    decision: WorkloadDecision,
    { resizes: { changed, failed } }: CarryOutResult,
  ): void {
    const { cycles, clock, cluster } = this.#ports;
    const isDeferred = ({ state }: { readonly state: string }): boolean => state === 'deferred';
    const deferredPods = [...cluster.podsOf(key)].filter(({ resize }) => isDeferred(resize)).length;
    const deferred = deferredPods + decision.memory.failures.filter(isDeferred).length;
    const { state, reason } = decision;
    cycles.report(rules.name ?? '', key, { changed, failed, deferred, blocked: state === 'blocked', reason }, clock.now());
  }

  forget(key: WorkloadKey): void {
    this.#metrics.setWorkload(key, null);
    this.#exceptions.setExceptions(key, [], null);
    this.#workloads.setWorkload(key, null);
    this.#budget.withdraw(key);
  }

  /** Clears every series at the end of the leader's term. */
  close(): void {
    this.#metrics.reset();
    this.#exceptions.reset();
    this.#workloads.reset();
    this.#budget.close();
  }
}

function unwrittenStatus({ decision, facts, before }: StatusContents): RecommendationStatus {
  return recommendationStatus(decision, { ...facts, generation: null }, before);
}

/** Mode Observe publishes no Recommendation, except while it stores values that have to be restored. */
function isToBePublished({ memory, mode, state }: WorkloadDecision, isPresent: boolean): boolean {
  const memories = [memory, ...(memory.classes?.values() ?? [])];
  if (memory.idle !== null || memory.autoscalers.some(({ targets }) => targets.length > 0)) return true;
  if (memories.some(({ limitExceptions }) => limitExceptions.some(isApplied))) return true;
  // An excluded workload keeps a Recommendation that it has and gets no new one.
  return mode !== 'Observe' && (state !== 'excluded' || isPresent);
}

function isNewlyApplied(previous: RecommendationStatus | undefined, status: RecommendationStatus): boolean {
  return status.lastApplied !== undefined && status.lastApplied.at !== previous?.lastApplied?.at;
}

function recommendationUid(present: Recommendation | undefined): Pick<DecidedWorkload, 'recommendationUid'> {
  const uid = present?.metadata.uid;
  return uid === undefined ? {} : { recommendationUid: uid };
}

/** Advice of the displayed node class where classes differ; without the hourly evidence, which is not sent to other replicas. */
function displayedAdvice({ advice }: WorkloadSituation, { classes, containers }: WorkloadDecision): readonly ContainerAdvice[] {
  const displayed = classes === undefined ? advice : containers.flatMap((plan) => plan.advice ?? []);
  return displayed.map(({ evidence: _hours, ...rest }) => rest);
}
