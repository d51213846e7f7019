import type { RecommendationState } from '../../../apis/conditions.ts';
import { RECOMMENDATION_STATES } from '../../../apis/conditions.ts';
import { NODE_PROPERTY_CODES } from '#kube/records/refusal-code';
import type { FailedResize, ResizeMemory } from '../../../core/resize/model/situation.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { Counter, Gauge, Metrics } from '../../../ports/metrics.ts';

/** Whether throttling or pressure before and after a watched reduction could be compared. */
const WATCH_EVIDENCE = ['compared', 'none'] as const;
export type WatchEvidence = (typeof WATCH_EVIDENCE)[number];

/** Values of the label `reason` of roll-backs. */
const ROLL_BACK_REASONS: readonly NonNullable<ResizeMemory['rolledBack']>['reason'][] = [
  'restarts',
  'readiness',
  'errors',
  'throttling',
  'pressure',
  'request',
];

/** What is exported of a workload's latest decision; savings in US dollars per month, null where no price is known. */
interface DecidedWorkload {
  readonly state: RecommendationState;
  readonly potential: number | null;
  readonly reclaimed: number | null;
  /** Pods whose raise waits for capacity of their node. */
  readonly waitingRaises: number;
  /** Of the last watched reduction; null where none is watched. */
  readonly watch: WatchEvidence | null;
}

interface CountedWorkload extends DecidedWorkload {
  readonly potential: number;
  readonly reclaimed: number;
}

/** Metrics of decisions, resizes and evictions. */
export class RecommendationMetrics {
  readonly #resizes: Counter;
  readonly #workloads: Gauge;
  readonly #savings: Gauge;
  readonly #idle: Counter;
  readonly #rollBacks: Counter;
  readonly #watched: Gauge;
  readonly #waitingRaises: Gauge;
  readonly #nodeRefusals: Gauge;
  readonly #evictions: Counter;
  readonly #counted = new Map<WorkloadKey, CountedWorkload>();
  readonly #byState = new Map<RecommendationState, number>();
  readonly #byEvidence = new Map<WatchEvidence, number>();
  #potential = 0;
  #reclaimed = 0;
  #waiting = 0;

  constructor(metrics: Metrics) {
    this.#resizes = metrics.counter({
      name: 'evenkeel_pod_resizes_total',
      help: 'Resizes of pods, by kind (change, correct-drift, revert, overage, start-up) and outcome.',
      labels: ['kind', 'outcome'],
    });
    this.#workloads = metrics.gauge({
      name: 'evenkeel_recommendations',
      help: 'Workloads by the state of their recommendation.',
      labels: ['state'],
    });
    this.#savings = metrics.gauge({
      name: 'evenkeel_savings_per_month_usd',
      help: 'Savings in US dollars per month: potential (not applied yet) and reclaimed (already applied).',
      labels: ['kind'],
    });
    this.#idle = metrics.counter({
      name: 'evenkeel_idle_transitions_total',
      help: 'Workloads idled because they were not used (idled), and idled workloads restored to their natural size (woken).',
      labels: ['transition'],
    });
    this.#waitingRaises = metrics.gauge({
      name: 'evenkeel_raises_waiting_for_node_capacity',
      help: 'Pods whose raise waits for capacity of their node.',
      labels: [],
    });
    this.#nodeRefusals = metrics.gauge({
      name: 'evenkeel_node_pools_refusing_resize',
      help: 'Node pools whose kubelets refuse resizes whatever the amount, by reason (cpu-manager, memory-manager, swap, no-resize).',
      labels: ['reason'],
    });
    this.#rollBacks = metrics.counter({
      name: 'evenkeel_rollbacks_total',
      help: 'Changes rolled back, by reason: restarts, readiness, errors, throttling, pressure, request (by a user).',
      labels: ['reason'],
    });
    // A series that began with its first roll-back would have no increase, and no alert.
    for (const reason of ROLL_BACK_REASONS) this.#rollBacks.add(0, { reason });
    this.#evictions = metrics.counter({
      name: 'evenkeel_pod_evictions_total',
      help: 'Requested evictions, by outcome (done, budget, refused, blocked, gone, conflict, dry-run).',
      labels: ['outcome'],
    });
    this.#watched = metrics.gauge({
      name: 'evenkeel_watched_reductions',
      help: 'Workloads with a reduction in the last day, by whether throttling or pressure before and after it could be compared (compared, none).',
      labels: ['evidence'],
    });
    this.reset();
  }

  /** Clears every series. Called at start and when leadership ends: two replicas that export it would double every sum. */
  reset(): void {
    this.#counted.clear();
    this.#byState.clear();
    this.#potential = 0;
    this.#reclaimed = 0;
    this.#waiting = 0;
    this.#waitingRaises.remove({});
    for (const reason of NODE_PROPERTY_CODES) this.#nodeRefusals.remove({ reason });
    for (const state of RECOMMENDATION_STATES) this.#workloads.set(0, { state });
    this.#byEvidence.clear();
    for (const evidence of WATCH_EVIDENCE) this.#watched.set(0, { evidence });
    this.#savings.remove({ kind: 'potential' });
    this.#savings.remove({ kind: 'reclaimed' });
  }

  /** Sets the node pools whose kubelets refuse resizes of any amount. */
  setNodeRefusals(refusals: readonly FailedResize[]): void {
    for (const reason of NODE_PROPERTY_CODES) {
      this.#nodeRefusals.set(new Set(refusals.flatMap(({ code, pool }) => (code === reason ? [pool] : []))).size, { reason });
    }
  }

  countIdleTransition(transition: 'idled' | 'woken'): void {
    this.#idle.add(1, { transition });
  }

  /** Counts the roll-backs of a workload and its node classes that the memory after a decision adds. */
  countRollBacks(before: ResizeMemory, after: ResizeMemory): void {
    const earlier = new Map(memoriesOf(before));
    // Where node classes differ, the workload's own memory repeats the first class.
    const counted = after.classes === undefined ? memoriesOf(after) : [...after.classes];
    for (const [name, { rolledBack }] of counted) {
      if (rolledBack === null || rolledBack.at === (earlier.get(name)?.rolledBack?.at ?? null)) continue;
      this.#rollBacks.add(1, { reason: rolledBack.reason });
    }
  }

  countResize(kind: string, outcome: string): void {
    this.#resizes.add(1, { kind, outcome });
  }

  countEviction(outcome: string): void {
    this.#evictions.add(1, { outcome });
  }

  /** Sets a workload's latest decision; null once the workload is gone. */
  setWorkload(workload: WorkloadKey, decision: DecidedWorkload | null): void {
    const before = this.#counted.get(workload);
    if (decision !== null && before !== undefined && isSame(before, decision)) return;
    if (before !== undefined) {
      this.#countState(before.state, -1);
      this.#countWatch(before.watch, -1);
      this.#potential -= before.potential;
      this.#reclaimed -= before.reclaimed;
      this.#waiting -= before.waitingRaises;
      this.#counted.delete(workload);
    }
    if (decision !== null) {
      const { state, potential, reclaimed, waitingRaises, watch } = decision;
      this.#counted.set(workload, { state, potential: potential ?? 0, reclaimed: reclaimed ?? 0, waitingRaises, watch });
      this.#countState(state, 1);
      this.#countWatch(watch, 1);
      this.#potential += potential ?? 0;
      this.#reclaimed += reclaimed ?? 0;
      this.#waiting += waitingRaises;
    }
    this.#savings.set(this.#potential, { kind: 'potential' });
    this.#savings.set(this.#reclaimed, { kind: 'reclaimed' });
    this.#waitingRaises.set(this.#waiting);
  }

  #countWatch(evidence: WatchEvidence | null, by: number): void {
    if (evidence === null) return;
    const count = (this.#byEvidence.get(evidence) ?? 0) + by;
    this.#byEvidence.set(evidence, count);
    this.#watched.set(count, { evidence });
  }

  #countState(state: RecommendationState, by: number): void {
    const count = (this.#byState.get(state) ?? 0) + by;
    this.#byState.set(state, count);
    this.#workloads.set(count, { state });
  }
}

/** `compared` where any watched reduction of the workload or its node classes has comparable hours; null where none is watched. */
export function watchEvidence(memory: ResizeMemory): WatchEvidence | null {
  const watched = memoriesOf(memory).flatMap(([, classMemory]) => classMemory.observedReductions.slice(-1));
  if (watched.length === 0) return null;
  return watched.some(({ comparedHours }) => comparedHours > 0) ? 'compared' : 'none';
}

/** The memory of a workload (named '') and of each of its node classes. */
function memoriesOf(memory: ResizeMemory): readonly (readonly [string, ResizeMemory])[] {
  return [['', memory], ...(memory.classes ?? [])];
}

function isSame(before: CountedWorkload, { state, potential, reclaimed, waitingRaises, watch }: DecidedWorkload): boolean {
  if (before.state !== state || before.waitingRaises !== waitingRaises || before.watch !== watch) return false;
  return before.potential === (potential ?? 0) && before.reclaimed === (reclaimed ?? 0);
}
