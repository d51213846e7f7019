// The last decision of each workload: unpublished statuses, evidence, and written statuses that the informers may not have yet.

import type { ResizeMode } from '../apis/conditions.ts';
import type { PodResizePolicy, RecommendationStatus } from '../apis/v1alpha1/index.ts';
import type { WorkloadKey, WorkloadRecord } from '#kube/records/workload';
import type { ContainerAdvice } from '../core/recommender/advice.ts';
import { type SourcedRule, wideningOverrides } from '../core/resize/policy/container-rules.ts';
import { modeInForce } from '../core/resize/policy/policy-rules.ts';
import { isReducingChange } from '../core/resize/plan/due/stages.ts';
import { readMemory } from '../core/resize/status/memory-codec.ts';
import type { Changes } from '../ports/changes.ts';
import type { PolicyResolver } from './policy-resolver.ts';

/** The last decision of a workload. */
export interface DecidedWorkload {
  /** null: no policy governs it. */
  readonly policy: string | null;
  readonly published: boolean;
  /** UID of the Recommendation at the decision; absent: there was none. */
  readonly recommendationUid?: string;
  /** Version of the Recommendation with the status; absent: unknown, and the informers' version counts. */
  readonly resourceVersion?: string;
  /** The decided status; if it is published, the last written one. */
  readonly status: RecommendationStatus;
  readonly advice: readonly ContainerAdvice[];
  readonly savings: { readonly potentialPerMonthUsd: number | null; readonly reclaimedPerMonthUsd: number | null };
}

/** Receives decisions; null: the decision was deleted. */
export type DecisionListener = (workload: WorkloadKey, decided: DecidedWorkload | null) => void;

/** Decisions by workload, and counts of changes in progress by policy. */
export class DecisionCache {
  readonly #policies: PolicyResolver;
  readonly #decided = new Map<WorkloadKey, DecidedWorkload>();
  /** Workloads with a reduction in progress, by policy. */
  readonly #inProgress = new Map<string | null, Set<WorkloadKey>>();
  /** Count of workloads with pods, by policy. */
  readonly #governed = new Map<string | null, number>();
  /** Policy of the reduction in progress, by workload. */
  readonly #policyInProgress = new Map<WorkloadKey, string | null>();
  readonly #listeners = new Set<DecisionListener>();
  readonly #changeListeners = new Set<(workload: WorkloadKey) => void>();
  #revision = 0;
  /** Decisions that were stored or deleted, those of other replicas included. */
  readonly changes: Changes<WorkloadKey> = {
    revision: () => this.#revision,
    subscribe: (listener) => {
      this.#changeListeners.add(listener);
      return () => this.#changeListeners.delete(listener);
    },
  };

  constructor(policies: PolicyResolver) {
    this.#policies = policies;
  }

  /** Stores a decision of this replica and notifies the listeners. */
  record(workload: WorkloadKey, decided: DecidedWorkload): void {
    this.#setDecision(workload, decided);
    for (const listener of this.#listeners) listener(workload, decided);
  }

  /** Stores a decision of another replica, or deletes it (null), without notifying the listeners. */
  takeOver(workload: WorkloadKey, decided: DecidedWorkload | null): void {
    this.#setDecision(workload, decided);
  }

  /** Calls the listener with each decision that this replica records or deletes. Returns the cancel function. */
  onRecord(listener: DecisionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All workloads with a decision. */
  workloads(): IterableIterator<WorkloadKey> {
    return this.#decided.keys();
  }

  /** Deletes a decision and notifies the listeners. */
  forget(workload: WorkloadKey): void {
    this.#clearInProgress(workload);
    if (!this.#decided.has(workload)) return;
    this.#setDecision(workload, null);
    for (const listener of this.#listeners) listener(workload, null);
  }

  find(workload: WorkloadKey): DecidedWorkload | undefined {
    return this.#decided.get(workload);
  }

  /** Decisions of the workloads that a policy governs; null: that no policy governs. */
  *of(policy: string | null): Generator<[WorkloadKey, DecidedWorkload]> {
    for (const entry of this.#decided) if (entry[1].policy === policy) yield entry;
  }

  /** Count of a policy's workloads (null: without a policy) with a reduction in progress, except one. */
  countInProgress(policy: string | null, except: WorkloadKey): number {
    const changing = this.#inProgress.get(policy);
    return changing === undefined ? 0 : changing.size - Number(changing.has(except));
  }

  /** Count of a policy's workloads (null: without a policy) with pods and a decision. */
  governed(policy: string | null): number {
    return this.#governed.get(policy) ?? 0;
  }

  /**
   * Counts a reduction as in progress before it is written. Decisions of other workloads during the write would otherwise
   * exceed the concurrency of the policy.
   */
  markInProgress(workload: WorkloadKey, policy: string | null): void {
    this.#clearInProgress(workload);
    this.#policyInProgress.set(workload, policy);
    let changing = this.#inProgress.get(policy);
    if (changing === undefined) this.#inProgress.set(policy, (changing = new Set()));
    changing.add(workload);
  }

  /** The policy that governs a workload, the mode in force, and whether the policy is in dry run. */
  governance(workload: WorkloadRecord): { readonly policy: string | null; readonly mode: ResizeMode; readonly dryRun: boolean } {
    const { rules, overrides } = this.#policies.governanceOf(workload);
    return { policy: rules.name, mode: overrides.excluded ? 'Off' : modeInForce(rules, overrides), dryRun: rules.dryRun };
  }

  /** Whether a policy is in dry run, including its overrides. */
  isDryRun(policy: PodResizePolicy): boolean {
    return this.#policies.findEffectivePolicy(policy).policy.spec.dryRun === true;
  }

  /** Messages about annotations that the policy ignores because they are less strict than it. */
  wideningOverrides(workload: WorkloadRecord): readonly string[] {
    const { rules, overrides } = this.#policies.governanceOf(workload);
    return wideningOverrides(rules, overrides);
  }

  /** The status that mode Observe does not publish; undefined: none, or it is published. */
  unpublished(workload: WorkloadKey): RecommendationStatus | undefined {
    const decided = this.#decided.get(workload);
    return decided === undefined || decided.published ? undefined : decided.status;
  }

  /** Advice behind the decision, by container. */
  evidence(workload: WorkloadKey): readonly ContainerAdvice[] | undefined {
    return this.#decided.get(workload)?.advice;
  }

  /** Every rule in force for a workload, with its source. */
  rules(workload: WorkloadRecord): readonly SourcedRule[] {
    return this.#policies.listEffectiveRules(workload);
  }

  #setDecision(workload: WorkloadKey, decided: DecidedWorkload | null): void {
    this.#revision += 1;
    for (const listener of this.#changeListeners) listener(workload);
    this.#clearInProgress(workload);
    const before = this.#decided.get(workload);
    if (before !== undefined && hasPods(before)) this.#governed.set(before.policy, this.governed(before.policy) - 1);
    if (decided === null) {
      this.#decided.delete(workload);
      return;
    }
    this.#decided.set(workload, decided);
    if (hasPods(decided)) this.#governed.set(decided.policy, this.governed(decided.policy) + 1);
    if (isResizing(decided.status) || (decided.status.classes ?? []).some(isResizing)) this.markInProgress(workload, decided.policy);
  }

  #clearInProgress(workload: WorkloadKey): void {
    // null is a valid key: that of workloads without a policy.
    const policy = this.#policyInProgress.get(workload);
    if (policy !== undefined) this.#inProgress.get(policy)?.delete(workload);
    this.#policyInProgress.delete(workload);
  }
}

function hasPods({ status }: DecidedWorkload): boolean {
  return (status.replicas ?? 0) > 0;
}

/**
 * Whether a decision counts as a reduction in progress. A change that waits (for pods or an autoscaler) and a change that only
 * raises do not count.
 */
function isResizing({ apply, previous, state }: Pick<RecommendationStatus, 'apply' | 'previous' | 'state'>): boolean {
  if (apply === undefined || state !== 'applying') return false;
  const memory = readMemory({ apply, ...(previous === undefined ? {} : { previous }) });
  return memory.apply === null || isReducingChange(memory.apply, memory.previous?.values ?? null);
}
