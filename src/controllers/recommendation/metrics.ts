import type { RecommendationState } from '../../apis/conditions.ts';
import { RECOMMENDATION_STATES } from '../../apis/conditions.ts';
import { NODE_PROPERTY_CODES } from '#kube/records/refusal-code';
import type { FailedResize } from '../../core/resize/model/situation.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { Counter, Gauge, Metrics } from '../../ports/metrics.ts';

/** Whether anything could be compared of a reduction that is watched. */
const WATCH_EVIDENCE = ['compared', 'none'] as const;
export type WatchEvidence = (typeof WATCH_EVIDENCE)[number];

/** A workload's newest decision, in what is counted of it. */
interface DecidedWorkload {
  readonly state: RecommendationState;
  readonly potential: number | null;
  readonly reclaimed: number | null;
  /** Pods whose raise waits until their node has room. */
  readonly waitingRaises: number;
  /** Of the last reduction that is watched; null: none is. */
  readonly watch: WatchEvidence | null;
}

/** What a workload counts for. */
interface CountedWorkload extends DecidedWorkload {
  readonly potential: number;
  readonly reclaimed: number;
}

/** What the controller counts. */
export class RecommendationMetrics {
  readonly #resizes: Counter;
  readonly #workloads: Gauge;
  readonly #savings: Gauge;
  readonly #idle: Counter;
  readonly #rollBacks: Counter;
  readonly #watched: Gauge;
  readonly #waitingRaises: Gauge;
  readonly #nodeRefusals: Gauge;
  readonly #known = new Map<WorkloadKey, CountedWorkload>();
  readonly #byState = new Map<RecommendationState, number>();
  readonly #byEvidence = new Map<WatchEvidence, number>();
  #potential = 0;
  #reclaimed = 0;
  #waiting = 0;

  constructor(metrics: Metrics) {
    this.#resizes = metrics.counter({
      name: 'evenkeel_pod_resizes_total',
      help: 'Resizes of pods, by kind (change, conform, write-back, overage, start-up) and outcome.',
      labels: ['kind', 'outcome'],
    });
    this.#workloads = metrics.gauge({
      name: 'evenkeel_recommendations',
      help: 'Workloads by the state of their recommendation.',
      labels: ['state'],
    });
    this.#savings = metrics.gauge({
      name: 'evenkeel_savings_per_month_usd',
      help: 'Savings in US dollars per month: potential (not applied yet) and reclaimed (given back so far).',
      labels: ['kind'],
    });
    this.#idle = metrics.counter({
      name: 'evenkeel_idle_transitions_total',
      help: 'Workloads that were idled because they were not used (idled), and restored to their natural size (woken).',
      labels: ['transition'],
    });
    this.#waitingRaises = metrics.gauge({
      name: 'evenkeel_raises_waiting_for_node_capacity',
      help: 'Pods whose raise waits until their node has room.',
      labels: [],
    });
    this.#nodeRefusals = metrics.gauge({
      name: 'evenkeel_node_pools_refusing_resize',
      help: 'Node pools whose kubelets refuse resizes whatever the amount, by reason (cpu-manager, memory-manager, swap, no-resize).',
      labels: ['reason'],
    });
    this.#rollBacks = metrics.counter({
      name: 'evenkeel_rollbacks_total',
      help: 'Changes that were taken back, by reason: restarts, readiness, errors, throttling, pressure, request (a user asked for it).',
      labels: ['reason'],
    });
    this.#watched = metrics.gauge({
      name: 'evenkeel_watched_reductions',
      help: 'Workloads with a reduction of the last day, by whether its throttling or pressure could be compared (compared, none).',
      labels: ['evidence'],
    });
    this.reset();
  }

  /** Nothing is known, or no longer this replica's to tell: of two that told it, a sum would count all twice. */
  reset(): void {
    this.#known.clear();
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

  /** What the kubelets of node pools refuse, whatever the amount. */
  nodeRefusals(refusals: readonly FailedResize[]): void {
    for (const reason of NODE_PROPERTY_CODES) {
      this.#nodeRefusals.set(new Set(refusals.flatMap(({ code, pool }) => (code === reason ? [pool] : []))).size, { reason });
    }
  }

  /** A workload fell idle, or woke. */
  idle(transition: 'idled' | 'woken'): void {
    this.#idle.add(1, { transition });
  }

  /** A change was taken back. */
  rolledBack(reason: string): void {
    this.#rollBacks.add(1, { reason });
  }

  resized(kind: string, outcome: string): void {
    this.#resizes.add(1, { kind, outcome });
  }

  /** A workload's newest decision; null when it is gone. */
  decided(workload: WorkloadKey, decision: DecidedWorkload | null): void {
    const before = this.#known.get(workload);
    if (decision !== null && before !== undefined && isSame(before, decision)) return;
    if (before !== undefined) {
      this.#count(before.state, -1);
      this.#countWatch(before.watch, -1);
      this.#potential -= before.potential;
      this.#reclaimed -= before.reclaimed;
      this.#waiting -= before.waitingRaises;
      this.#known.delete(workload);
    }
    if (decision !== null) {
      const { state, potential, reclaimed, waitingRaises, watch } = decision;
      this.#known.set(workload, { state, potential: potential ?? 0, reclaimed: reclaimed ?? 0, waitingRaises, watch });
      this.#count(state, 1);
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

  #count(state: RecommendationState, by: number): void {
    const count = (this.#byState.get(state) ?? 0) + by;
    this.#byState.set(state, count);
    this.#workloads.set(count, { state });
  }
}

function isSame(before: CountedWorkload, { state, potential, reclaimed, waitingRaises, watch }: DecidedWorkload): boolean {
  if (before.state !== state || before.waitingRaises !== waitingRaises || before.watch !== watch) return false;
  return before.potential === (potential ?? 0) && before.reclaimed === (reclaimed ?? 0);
}
