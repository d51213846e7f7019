// What this process decided last about each workload: what is not published, the evidence behind it, and what it wrote,
// which the informers may not have shown it yet.

import type { ResizeMode } from '../apis/conditions.ts';
import type { PodResizePolicy, RecommendationStatus } from '../apis/v1alpha1/index.ts';
import type { WorkloadKey, WorkloadRecord } from '#kube/records/workload';
import type { ContainerAdvice } from '../core/recommender/advice.ts';
import { type SourcedRule, wideningOverrides } from '../core/resize/policy/container-rules.ts';
import { modeInForce } from '../core/resize/policy/policy-rules.ts';
import { lowersAny } from '../core/resize/plan/stages.ts';
import { readMemory } from '../core/resize/status/memory-codec.ts';
import type { PolicyResolver } from './policy-resolver.ts';

export interface DecidedWorkload {
  /** null: no policy governs. */
  readonly policy: string | null;
  readonly published: boolean;
  /** Of the Recommendation that was seen when this was decided; absent: none was yet. */
  readonly recommendationUid?: string;
  /** As decided; of a published one, what was written last. */
  readonly status: RecommendationStatus;
  readonly advice: readonly ContainerAdvice[];
  readonly savings: { readonly potentialPerMonthUsd: number | null; readonly reclaimedPerMonthUsd: number | null };
}

/** null: nothing is decided about it any more. */
export type DecisionListener = (workload: WorkloadKey, decided: DecidedWorkload | null) => void;

export class DecisionCache {
  readonly #policies: PolicyResolver;
  readonly #decided = new Map<WorkloadKey, DecidedWorkload>();
  /** Of each policy, which workloads a change is under way on that lowers something: each decision asks how many. */
  readonly #underWay = new Map<string | null, Set<WorkloadKey>>();
  /** Of each policy, how many of its workloads have pods. */
  readonly #governed = new Map<string | null, number>();
  /** By which policy a change is under way on a workload. */
  readonly #changing = new Map<WorkloadKey, string | null>();
  readonly #listeners = new Set<DecisionListener>();

  constructor(policies: PolicyResolver) {
    this.#policies = policies;
  }

  record(workload: WorkloadKey, decided: DecidedWorkload): void {
    this.#put(workload, decided);
    for (const listener of this.#listeners) listener(workload, decided);
  }

  /** Takes over what another replica decided, or (null) decides no more; not told to listeners. */
  takeOver(workload: WorkloadKey, decided: DecidedWorkload | null): void {
    this.#put(workload, decided);
  }

  /** Tells each decision of this replica as it is recorded or forgotten. Returns the cancel. */
  onRecord(listener: DecisionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every workload of which something was decided. */
  workloads(): IterableIterator<WorkloadKey> {
    return this.#decided.keys();
  }

  forget(workload: WorkloadKey): void {
    this.#atRest(workload);
    if (!this.#decided.has(workload)) return;
    this.#put(workload, null);
    for (const listener of this.#listeners) listener(workload, null);
  }

  find(workload: WorkloadKey): DecidedWorkload | undefined {
    return this.#decided.get(workload);
  }

  /** All that a policy governs (null: those that none does), as last decided. */
  *of(policy: string | null): Generator<[WorkloadKey, DecidedWorkload]> {
    for (const entry of this.#decided) if (entry[1].policy === policy) yield entry;
  }

  /** On how many workloads of a policy (null: of none) a change is under way, one left out. */
  underWay(policy: string | null, except: WorkloadKey): number {
    const changing = this.#underWay.get(policy);
    return changing === undefined ? 0 : changing.size - Number(changing.has(except));
  }

  /** How many workloads that have pods a policy (null: none) governs, of those that were looked at. */
  governed(policy: string | null): number {
    return this.#governed.get(policy) ?? 0;
  }

  /**
   * A reduction is about to be written down and carried out: from here on it counts as under way. Those that decide while it is
   * being written would all find the same place free.
   */
  intend(workload: WorkloadKey, policy: string | null): void {
    this.#atRest(workload);
    this.#changing.set(workload, policy);
    let changing = this.#underWay.get(policy);
    if (changing === undefined) this.#underWay.set(policy, (changing = new Set()));
    changing.add(workload);
  }

  /** The policy that governs a workload, the mode in force, and whether the policy is in dry run. */
  governance(workload: WorkloadRecord): { readonly policy: string | null; readonly mode: ResizeMode; readonly dryRun: boolean } {
    const { rules, overrides } = this.#policies.governanceOf(workload);
    return { policy: rules.name, mode: overrides.excluded ? 'Off' : modeInForce(rules, overrides), dryRun: rules.dryRun };
  }

  /** Whether a policy is in dry run, overrides counted. */
  isDryRun(policy: PodResizePolicy): boolean {
    return this.#policies.inForce(policy).policy.spec.dryRun === true;
  }

  /** What its annotations ask for and its policy ignores, in words: the policy takes only stricter ones. */
  wideningOverrides(workload: WorkloadRecord): readonly string[] {
    const { rules, overrides } = this.#policies.governanceOf(workload);
    return wideningOverrides(rules, overrides);
  }

  /** In mode Observe: the status that would be published; undefined where there is none. */
  unpublished(workload: WorkloadKey): RecommendationStatus | undefined {
    const decided = this.#decided.get(workload);
    return decided === undefined || decided.published ? undefined : decided.status;
  }

  /** The evidence behind what is recommended, by container. */
  evidence(workload: WorkloadKey): readonly ContainerAdvice[] | undefined {
    return this.#decided.get(workload)?.advice;
  }

  /** Every rule in force for a workload, with where it came from. */
  rules(workload: WorkloadRecord): readonly SourcedRule[] {
    return this.#policies.rulesInForce(workload);
  }

  #put(workload: WorkloadKey, decided: DecidedWorkload | null): void {
    this.#atRest(workload);
    const before = this.#decided.get(workload);
    if (before !== undefined && hasPods(before)) this.#governed.set(before.policy, this.governed(before.policy) - 1);
    if (decided === null) {
      this.#decided.delete(workload);
      return;
    }
    this.#decided.set(workload, decided);
    if (hasPods(decided)) this.#governed.set(decided.policy, this.governed(decided.policy) + 1);
    if (isResizing(decided.status) || (decided.status.classes ?? []).some(isResizing)) this.intend(workload, decided.policy);
  }

  #atRest(workload: WorkloadKey): void {
    // null is a policy here, too: that of workloads that none governs.
    const policy = this.#changing.get(workload);
    if (policy !== undefined) this.#underWay.get(policy)?.delete(workload);
    this.#changing.delete(workload);
  }
}

function hasPods({ status }: DecidedWorkload): boolean {
  return (status.replicas ?? 0) > 0;
}

/**
 * Whether other workloads wait for this one. A change that waits (for pods that are gone or never ready, for an autoscaler) keeps
 * none waiting, and one that only raises takes no place.
 */
function isResizing({ apply, previous, state }: Pick<RecommendationStatus, 'apply' | 'previous' | 'state'>): boolean {
  if (apply === undefined || state !== 'applying') return false;
  const memory = readMemory({ apply, ...(previous === undefined ? {} : { previous }) });
  return memory.apply === null || lowersAny(memory.apply, memory.previous?.values ?? null);
}
