// Decides one workload: collects its situation and calls the core. Reads only; every write is made by carry-out/ and publish/.

import { withRefusals } from '../../../core/hpa/recorded-target.ts';
import type { ContainerAdvice } from '../../../core/recommender/advice.ts';
import { decideWorkload } from '../../../core/resize/layers/decide-workload.ts';
import { refusedEviction } from '../../../core/resize/layers/evictions/evictions.ts';
import { hasReductionInAnyClass, findChangeInAnyClass } from '../../../core/resize/layers/node-classes/node-classes.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import type { FailedResize, WorkloadSituation } from '../../../core/resize/model/situation.ts';
import { errorRateQuery, isErrorRateNeeded } from '../../../core/resize/plan/blockers/error-rate.ts';
import { PoolRefusals } from '../../../state/evidence/pool-refusals.ts';
import type { AssumedResizes } from '../observe/assumed-resizes.ts';
import type { GovernedWorkload } from '../observe/governed-workload.ts';
import { findLatestMemory, type LatestMemory } from '../observe/latest-memory.ts';
import { collectSituation } from '../observe/situation.ts';
import type { RecommendationPorts } from '../ports.ts';
import type { RecommendationMetrics } from '../publish/metrics.ts';

/** A decision with the input that it was made from. */
export interface DecidedSituation {
  readonly situation: WorkloadSituation;
  readonly decision: WorkloadDecision;
  /** The Recommendation and the memory that the situation was collected from. */
  readonly basis: LatestMemory;
}

/** Writes that the API server refused, to be stored in the memory of the workload. */
export interface Refusals {
  readonly pods: readonly FailedResize[];
  /** HorizontalPodAutoscalers by name. */
  readonly targets: readonly { readonly name: string; readonly message: string }[];
  /** Message of the disruption budget; null where none refused an eviction. */
  readonly eviction: string | null;
}

export class WorkloadDecider {
  readonly #ports: RecommendationPorts;
  readonly #metrics: RecommendationMetrics;
  readonly #assumed: AssumedResizes;
  readonly #nodeRefusals = new PoolRefusals();

  constructor(ports: RecommendationPorts, metrics: RecommendationMetrics, assumed: AssumedResizes) {
    this.#ports = ports;
    this.#metrics = metrics;
    this.#assumed = assumed;
  }

  /** Queries the error rate only where the policy has a query and a change is under way or about to start, and then decides again. */
  async decide(governed: GovernedWorkload, advice: readonly ContainerAdvice[], signal: AbortSignal): Promise<DecidedSituation> {
    const { errorRates } = this.#ports;
    const first = this.#decideNow(governed, advice, null);
    const query = errorRateQuery(first.situation);
    if (query === null || !isErrorRateNeeded(first.situation, findChangeInAnyClass(first.decision.memory))) return first;
    const errorRate = (await errorRates?.query(query, first.situation.now, signal)) ?? null;
    return this.#decideNow(governed, advice, { errorRate });
  }

  /** The decision with the server's refusals in its memory: state and message name them. */
  decideAfterRefusals({ situation, decision }: DecidedSituation, refusals: Refusals): Pick<DecidedSituation, 'situation' | 'decision'> {
    // Later than the first decision: the statuses of both are ordered by updatedAt.
    const now = Math.max(this.#ports.clock.now(), situation.now + 1);
    const { memory } = decision;
    const failures = [...memory.failures.filter(({ uid }) => !refusals.pods.some((refused) => refused.uid === uid)), ...refusals.pods];
    const autoscalers = withRefusals(memory.autoscalers, refusals.targets, now);
    const evictions = refusals.eviction === null ? memory.evictions : refusedEviction(memory.evictions, now, refusals.eviction);
    const current = { ...situation, now };
    return { situation: current, decision: decideWorkload({ ...current, memory: { ...memory, failures, autoscalers, evictions } }) };
  }

  #decideNow(
    { key, workload, governance }: GovernedWorkload,
    advice: readonly ContainerAdvice[],
    answered: Pick<WorkloadSituation, 'errorRate'> | null,
  ): DecidedSituation {
    const now = this.#ports.clock.now();
    const basis = findLatestMemory(this.#ports, key);
    this.#nodeRefusals.record(basis.memory);
    const observed = collectSituation(this.#ports, workload, governance, advice, basis, this.#nodeRefusals.current(now), now);
    const situation = { ...observed, pods: this.#assumed.applyTo(key, observed.pods, now), ...answered };
    const decision = decideWorkload(situation);
    this.#nodeRefusals.record(decision.memory);
    this.#metrics.setNodeRefusals(this.#nodeRefusals.current(now));
    // Counted before it is written: workloads that are decided in between would exceed the limit of concurrent changes.
    if (decision.state === 'applying' && hasReductionInAnyClass(decision.memory))
      this.#ports.decisions.markInProgress(key, situation.policy.name);
    return { situation, decision, basis };
  }
}
