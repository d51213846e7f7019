// Reconciles one workload: observe → decide → publish → carry out. The decision is stored before it is carried out, so that a process
// that ends in between continues it. The rules are in core/resize.

import { SECOND_MS, type DurationMs } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice } from '../../core/recommender/advice.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import { carryOutDecision, hasRefusals } from './carry-out/carry-out-decision.ts';
import { WorkloadDecider } from './decide/workload-decider.ts';
import { AssumedResizes } from './observe/assumed-resizes.ts';
import { findGovernedWorkload } from './observe/governed-workload.ts';
import { findLatestMemory, isRecommendationDeleted } from './observe/latest-memory.ts';
import { requestAdvice } from './observe/situation.ts';
import type { RecommendationPorts } from './ports.ts';
import { DecisionPublisher } from './publish/decision-publisher.ts';
import { RecommendationMetrics } from './publish/metrics.ts';
import { findRejectedAnnotations } from './publish/rejected-annotations.ts';
import { writeIdleAnnotations } from './publish/write-idle-annotations.ts';

/** Long enough for the informers to show the last writes. */
const UNFINISHED_MS: DurationMs = 10 * SECOND_MS;
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
/** The informers show what others wrote within this time, which enqueues the workload already where they are faster. */
const CONFLICT_MS: DurationMs = SECOND_MS;
/**
 * The policy's resize cycle enqueues each workload. The workload's own requeue comes this much later, so that it is decided once
 * per interval, and also where no cycle runs.
 */
const AFTER_CYCLE_MS: DurationMs = 10 * SECOND_MS;

export class RecommendationReconciler implements Reconciler<WorkloadKey> {
  readonly #ports: RecommendationPorts;
  readonly #metrics: RecommendationMetrics;
  readonly #assumed = new AssumedResizes();
  readonly #decider: WorkloadDecider;
  readonly #publisher: DecisionPublisher;

  constructor(ports: RecommendationPorts) {
    this.#ports = ports;
    this.#metrics = new RecommendationMetrics(ports.metrics);
    this.#decider = new WorkloadDecider(ports, this.#metrics, this.#assumed);
    this.#publisher = new DecisionPublisher(ports, this.#metrics);
  }

  /** Level-triggered and idempotent: safe to call at any time, any number of times, after any crash. */
  async reconcile(key: WorkloadKey, signal: AbortSignal): Promise<ReconcileResult> {
    if (!this.#ports.cluster.isSynced()) return { requeueAfterMs: NOT_SYNCED_MS };
    const advice = await this.#observeUsage(key);
    // Read after the awaits: policies and workload may have changed.
    const governed = findGovernedWorkload(this.#ports, key);
    if (governed === null) return this.#forget(key);
    const { workload } = governed;

    const decided = await this.#decider.decide(governed, advice, signal);
    const { situation, decision, basis } = decided;

    this.#publisher.recordEvents(workload, [...decision.events, ...findRejectedAnnotations(this.#ports, workload, situation, basis)]);
    await writeIdleAnnotations(this.#ports, workload, decision.memory.idle, signal);
    if (isRecommendationDeleted(this.#ports, key, basis)) return { requeueAfterMs: 0 };
    if ((await this.#publisher.publish(governed, decided, signal)) === 'conflict') return { requeueAfterMs: CONFLICT_MS };
    this.#publisher.countTransitions(key, situation.memory, decision.memory);

    const dependencies = { ports: this.#ports, metrics: this.#metrics, assumed: this.#assumed };
    const result = await carryOutDecision(dependencies, governed, decided, signal);

    let last = decision;
    if (hasRefusals(result.refusals)) {
      const refused = this.#decider.decideAfterRefusals(decided, result.refusals);
      if ((await this.#publisher.publish(governed, refused, signal)) === 'conflict') return { requeueAfterMs: CONFLICT_MS };
      last = refused.decision;
    }
    this.#publisher.reportToCycle(governed, last, result);
    const { intervalMs } = governed.governance.rules;
    const nextMs = last.reconcileAfterMs < intervalMs ? last.reconcileAfterMs : intervalMs + AFTER_CYCLE_MS;
    return { requeueAfterMs: result.isUnfinished ? Math.min(UNFINISHED_MS, nextMs) : nextMs };
  }

  /** Clears the metrics at the end of the leader's term: another replica exports them from then on. */
  close(): void {
    this.#publisher.close();
  }

  /** Updates the idle tracker and requests advice; no advice where the workload is not governed. */
  async #observeUsage(key: WorkloadKey): Promise<readonly ContainerAdvice[]> {
    const { idle, clock } = this.#ports;
    const governed = findGovernedWorkload(this.#ports, key);
    if (governed === null) return [];
    const { workload, governance } = governed;
    const { rules } = governance;
    await idle?.watch(workload, idle.enabled && rules.idle.enabled ? rules.idle : null, clock.now());
    return requestAdvice(this.#ports, workload, governance, findLatestMemory(this.#ports, key), clock.now());
  }

  #forget(key: WorkloadKey): ReconcileResult {
    const { cycles, decisions, clock, idle } = this.#ports;
    decisions.forget(key);
    this.#assumed.forget(key);
    idle?.forget(key);
    cycles.leave(key, clock.now());
    this.#publisher.forget(key);
    return { done: true };
  }
}
