// Resolves the policy that governs a workload and its rules. Each version of a policy is parsed once.

import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import type { Resources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { effectiveSpec, readPolicyOverrides, type PolicyOverride } from '../core/policies/policy-overrides.ts';
import type { AutoscalerLease } from '../core/resize/policy/autoscaler-lease.ts';
import { containerRules, sourcedRules, type SourcedRule } from '../core/resize/policy/container-rules.ts';
import { governanceOf, isReservedNamespace, type Selectable } from '../core/resize/policy/governing-policy.ts';
import { DEFAULT_POLICY_RULES, modeInForce, paceInForce, type PolicyRules } from '../core/resize/policy/policy-rules.ts';
import { readPolicy, type PolicyCapabilities, type PolicyReading } from '../core/resize/policy/read-policy.ts';
import { readOverrides, type WorkloadOverrides } from '../core/resize/policy/workload-overrides.ts';
import { greatest } from '../core/resize/plan/pod/largest-node.ts';
import type { Pace, RecommenderRules } from '../core/recommender/advice.ts';
import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';
import { FreeCapacity } from './free-capacity.ts';
import { LargestNode } from './largest-node.ts';
import { ALL_DEFAULTS, ruleSources } from './rule-sources.ts';

/** Policy, rules and user requests of one workload. */
export interface WorkloadGovernance {
  /** null: no policy governs it. */
  readonly policy: PodResizePolicy | null;
  readonly rules: PolicyRules;
  /** Why the governing policy is invalid; null: it is valid. */
  readonly problem: string | null;
  /** The valid parts of an invalid policy; null: it is valid, or there is none. */
  readonly readableRules: PolicyRules | null;
  readonly overrides: WorkloadOverrides;
  /** Other policies that select the workload. */
  readonly outranked: readonly PodResizePolicy[];
  /** Whether it is in a reserved namespace that no policy names, so that Evenkeel ignores it. */
  readonly outOfScope: boolean;
}

/** Dependencies of `PolicyResolver`. */
export interface PolicyResolverDependencies {
  readonly cluster: Pick<ClusterReader, 'podResizePolicies' | 'findNamespace' | 'findNode' | 'nodes' | 'podsOnNode' | 'subscribe'>;
  readonly capabilities: PolicyCapabilities;
  /** Evenkeel's namespace. */
  readonly ownNamespace: string;
  readonly now: () => Instant;
  /** The last read lease. */
  readonly autoscalerLease: () => AutoscalerLease;
}

/** A policy with its overrides at some time. */
export interface EffectivePolicy {
  /** The policy with the overrides applied to its spec. */
  readonly policy: PodResizePolicy;
  readonly reading: PolicyReading;
  readonly overrides: readonly PolicyOverride[];
  /** Messages about ignored overrides. */
  readonly ignored: readonly string[];
  /** Earliest expiry of an override; null: none expires. */
  readonly until: Instant | null;
}

/** A governance with what it was resolved from. */
interface ResolvedGovernance {
  readonly policies: readonly PodResizePolicy[];
  readonly namespaceLabels: Selectable['namespaceLabels'];
  readonly governance: WorkloadGovernance;
}

const NO_LABELS: Selectable['namespaceLabels'] = {};

/** Resolves policies by workload. */
export class PolicyResolver {
  readonly #dependencies: PolicyResolverDependencies;
  readonly #findEffectivePolicy = new WeakMap<PodResizePolicy, EffectivePolicy>();

  #policies: readonly PodResizePolicy[] = [];
  /** Governance of each version of a workload: a policy's reconcile asks for that of all workloads, and a decision several times. */
  readonly #resolved = new WeakMap<WorkloadRecord, ResolvedGovernance>();
  readonly #largestNode: LargestNode;
  readonly #freeCapacity: FreeCapacity;

  constructor(dependencies: PolicyResolverDependencies) {
    this.#dependencies = dependencies;
    this.#freeCapacity = new FreeCapacity(dependencies.cluster);
    this.#largestNode = new LargestNode(dependencies.cluster);
  }

  /** Whether pods are sized at creation. */
  get isAdmissionEnabled(): boolean {
    return this.#dependencies.capabilities.admission;
  }

  get autoscalerLease(): AutoscalerLease {
    return this.#dependencies.autoscalerLease();
  }

  /** Effective pace of a workload. */
  paceOf({ rules, overrides }: Pick<WorkloadGovernance, 'rules' | 'overrides'>): Pace {
    return paceInForce(rules, modeInForce(rules, overrides), this.autoscalerLease.isHeld);
  }

  governanceOf(workload: WorkloadRecord): WorkloadGovernance {
    const policies = this.#currentPolicies();
    const namespaceLabels = this.#dependencies.cluster.findNamespace(workload.namespace)?.labels ?? NO_LABELS;
    const known = this.#resolved.get(workload);
    if (known?.policies === policies && known.namespaceLabels === namespaceLabels) return known.governance;
    const governance = this.#resolve(workload, policies, namespaceLabels);
    this.#resolved.set(workload, { policies, namespaceLabels, governance });
    return governance;
  }

  /** Effective policies; the same array until one of them changes. */
  #currentPolicies(): readonly PodResizePolicy[] {
    let count = 0;
    let isSame = true;
    for (const policy of this.#effectivePolicies()) isSame = this.#policies[count++] === policy && isSame;
    if (!isSame || count !== this.#policies.length) this.#policies = [...this.#effectivePolicies()];
    return this.#policies;
  }

  #resolve(
    workload: WorkloadRecord,
    policies: readonly PodResizePolicy[],
    namespaceLabels: Selectable['namespaceLabels'],
  ): WorkloadGovernance {
    const { ownNamespace } = this.#dependencies;
    const { namespace, kind, labels } = workload;
    const { governing, outranked } = governanceOf(policies, { namespace, kind, labels, namespaceLabels }, ownNamespace);
    const overrides = readOverrides(workload.annotations);
    if (governing === null) {
      const outOfScope = isReservedNamespace(namespace, ownNamespace);
      return { policy: null, rules: DEFAULT_POLICY_RULES, problem: null, readableRules: null, overrides, outranked, outOfScope };
    }
    const reading = this.read(governing);
    const found = { policy: governing, overrides, outranked, outOfScope: false };
    if (reading.ok) return { ...found, rules: reading.rules, problem: null, readableRules: null };
    // An invalid spec keeps its dryRun and paused, because user requests are still carried out under the policy.
    const { dryRun, paused } = governing.spec;
    const rules = { ...DEFAULT_POLICY_RULES, name: governing.metadata.name, dryRun: dryRun === true, paused: paused === true };
    const problem = `PodResizePolicy ${governing.metadata.name} is not ready: ${reading.message}`;
    return { ...found, rules, problem, readableRules: reading.readable };
  }

  read(policy: PodResizePolicy): PolicyReading {
    return this.findEffectivePolicy(policy).reading;
  }

  /** Parses a policy with its overrides. Objects of informers are immutable, so that the result is valid until an override expires. */
  findEffectivePolicy(policy: PodResizePolicy): EffectivePolicy {
    const now = this.#dependencies.now();
    const known = this.#findEffectivePolicy.get(policy);
    if (known !== undefined && (known.until === null || now < known.until)) return known;
    const read = this.#applyOverrides(policy, now);
    this.#findEffectivePolicy.set(policy, read);
    return read;
  }

  *#effectivePolicies(): Generator<PodResizePolicy> {
    for (const policy of this.#dependencies.cluster.podResizePolicies()) yield this.findEffectivePolicy(policy).policy;
  }

  #applyOverrides(policy: PodResizePolicy, now: Instant): EffectivePolicy {
    const { capabilities } = this.#dependencies;
    const { inForce, problems, nextExpiry } = readPolicyOverrides('PodResizePolicy', policy.metadata.annotations, now);
    const withoutOverrides: EffectivePolicy = {
      policy,
      reading: readPolicy(policy, capabilities),
      overrides: [],
      ignored: problems,
      until: nextExpiry,
    };
    if (inForce.length === 0) return withoutOverrides;
    const effective = { ...policy, spec: effectiveSpec(policy.spec, inForce) };
    const reading = readPolicy(effective, capabilities);
    // Overrides that make the spec invalid are ignored, so that an override never disables a policy.
    if (!reading.ok && withoutOverrides.reading.ok) {
      return {
        ...withoutOverrides,
        ignored: [...problems, `all overrides are ignored, because the spec is invalid with them: ${reading.message}`],
      };
    }
    return { policy: effective, reading, overrides: inForce, ignored: problems, until: nextExpiry };
  }

  /** Rules for the recommender by container. @param ranOn the largest node that its pods ran on; null: unknown */
  recommenderRules(
    { containers }: Pick<WorkloadRecord, 'containers'>,
    { rules, overrides }: Pick<WorkloadGovernance, 'rules' | 'overrides'>,
    ranOn: Resources | null,
  ): (container: string) => RecommenderRules {
    // Includes nodes of pools that are scaled to zero now: their absence is no reason for a reduction.
    const largest = greatest(this.largestNode(), ranOn);
    const { isHeld } = this.autoscalerLease;
    const runtimes = new Map(containers.map(({ name, runtime }) => [name, runtime ?? null]));
    return (container) => containerRules(rules, overrides, container, largest, runtimes.get(container) ?? null, isHeld);
  }

  /** Every rule in force for a workload, with its source. */
  listEffectiveRules(workload: WorkloadRecord): readonly SourcedRule[] {
    const { policy, problem, rules, overrides } = this.governanceOf(workload);
    const sources =
      policy === null || problem !== null ? ALL_DEFAULTS : ruleSources(policy.spec, this.findEffectivePolicy(policy).overrides);
    const environment = { largestNode: this.largestNode(), nodesFollow: this.autoscalerLease.isHeld, sources };
    return workload.containers.flatMap(({ name }) => sourcedRules(rules, overrides, name, environment));
  }

  /** Largest pod of the workload that fits on a node, by resource; null: unknown. */
  freeForPodOf(workload: WorkloadRecord, now: Instant): Resources | null {
    return this.#freeCapacity.findForPod(workload, now);
  }

  /** Maximum allocatable over all nodes, by resource; null: no nodes. */
  largestNode(): Resources | null {
    return this.#largestNode.current();
  }
}
