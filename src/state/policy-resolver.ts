// Which policy governs a workload and what it comes to, read once for each version of each policy.

import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import type { NodeRecord } from '#kube/records/node';
import type { Resources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import { effectiveSpec, readPolicyOverrides, type PolicyOverride } from '../core/policies/policy-overrides.ts';
import type { AutoscalerLease } from '../core/resize/policy/autoscaler-lease.ts';
import { containerRules, sourcedRules, type SourcedRule } from '../core/resize/policy/container-rules.ts';
import { governanceOf, isReservedNamespace } from '../core/resize/policy/governing-policy.ts';
import { DEFAULT_POLICY_RULES, modeInForce, paceInForce, type PolicyRules } from '../core/resize/policy/policy-rules.ts';
import { readPolicy, type PolicyCapabilities, type PolicyReading } from '../core/resize/policy/read-policy.ts';
import { readOverrides, type WorkloadOverrides } from '../core/resize/policy/workload-overrides.ts';
import { greatest } from '../core/resize/plan/largest-node.ts';
import type { Pace, RecommenderRules } from '../core/recommender/advice.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';
import { FreeCapacity } from './free-capacity.ts';
import { ALL_DEFAULTS, ruleSources } from './rule-sources.ts';

/** Everything that policies and annotations say about one workload. */
export interface WorkloadGovernance {
  /** null: none governs. */
  readonly policy: PodResizePolicy | null;
  readonly rules: PolicyRules;
  /** Why the governing policy cannot be acted on; null: it can. */
  readonly problem: string | null;
  /** What can be read of a governing policy that cannot be acted on; null: it can be, or none governs. */
  readonly readableRules: PolicyRules | null;
  readonly overrides: WorkloadOverrides;
  /** Policies that select it too. */
  readonly outranked: readonly PodResizePolicy[];
  /** In a namespace of the cluster's own and named by no policy: none of our business. */
  readonly outOfScope: boolean;
}

export interface PolicyBookDependencies {
  readonly cluster: Pick<ClusterReader, 'podResizePolicies' | 'findNamespace' | 'nodes' | 'podsOnNode' | 'subscribe'>;
  readonly capabilities: PolicyCapabilities;
  /** Namespace that Evenkeel runs in. */
  readonly ownNamespace: string;
  readonly now: () => Instant;
  /** As it was read last. */
  readonly autoscalerLease: () => AutoscalerLease;
}

/** A policy as it acts at this moment. */
export interface PolicyInForce {
  /** With the overrides laid over its spec. */
  readonly policy: PodResizePolicy;
  readonly reading: PolicyReading;
  readonly overrides: readonly PolicyOverride[];
  /** Overrides that are ignored, and why, in words. */
  readonly ignored: readonly string[];
  /** When the next override ends; null: none does. */
  readonly until: Instant | null;
}

export class PolicyResolver {
  readonly #parts: PolicyBookDependencies;
  readonly #inForce = new WeakMap<PodResizePolicy, PolicyInForce>();

  /** undefined: nodes have changed since it was last asked for. */
  #largest: Resources | null | undefined;
  readonly #room: FreeCapacity;

  constructor(parts: PolicyBookDependencies) {
    this.#parts = parts;
    this.#room = new FreeCapacity(parts.cluster);
    parts.cluster.subscribe((change) => {
      if (change.kind === 'node') this.#largest = undefined;
    });
  }

  /** Pods are sized at creation. */
  get admission(): boolean {
    return this.#parts.capabilities.admission;
  }

  get autoscalerLease(): AutoscalerLease {
    return this.#parts.autoscalerLease();
  }

  /** The pace at which the requests of a workload move now. */
  paceOf({ rules, overrides }: Pick<WorkloadGovernance, 'rules' | 'overrides'>): Pace {
    return paceInForce(rules, modeInForce(rules, overrides), this.autoscalerLease.isHeld);
  }

  governanceOf(workload: WorkloadRecord): WorkloadGovernance {
    const { cluster, ownNamespace } = this.#parts;
    const { namespace, kind, labels } = workload;
    const selectable = { namespace, kind, labels, namespaceLabels: cluster.findNamespace(namespace)?.labels ?? {} };
    const { governing, outranked } = governanceOf(this.#policiesInForce(), selectable, ownNamespace);
    const overrides = readOverrides(workload.annotations);
    if (governing === null) {
      const outOfScope = isReservedNamespace(namespace, ownNamespace);
      return { policy: null, rules: DEFAULT_POLICY_RULES, problem: null, readableRules: null, overrides, outranked, outOfScope };
    }
    const reading = this.read(governing);
    const found = { policy: governing, overrides, outranked, outOfScope: false };
    if (reading.ok) return { ...found, rules: reading.rules, problem: null, readableRules: null };
    // A fault elsewhere in the spec does not release the brakes: requests of users are still carried out under its name.
    const { dryRun, paused } = governing.spec;
    const rules = { ...DEFAULT_POLICY_RULES, name: governing.metadata.name, dryRun: dryRun === true, paused: paused === true };
    const problem = `PodResizePolicy ${governing.metadata.name} is not ready: ${reading.message}`;
    return { ...found, rules, problem, readableRules: reading.readable };
  }

  read(policy: PodResizePolicy): PolicyReading {
    return this.inForce(policy).reading;
  }

  /** Objects from informers are replaced, never changed, so what is read of one holds until an override of it ends. */
  inForce(policy: PodResizePolicy): PolicyInForce {
    const now = this.#parts.now();
    const known = this.#inForce.get(policy);
    if (known !== undefined && (known.until === null || now < known.until)) return known;
    const read = this.#overlaid(policy, now);
    this.#inForce.set(policy, read);
    return read;
  }

  *#policiesInForce(): Generator<PodResizePolicy> {
    for (const policy of this.#parts.cluster.podResizePolicies()) yield this.inForce(policy).policy;
  }

  #overlaid(policy: PodResizePolicy, now: Instant): PolicyInForce {
    const { capabilities } = this.#parts;
    const { inForce, problems, nextExpiry } = readPolicyOverrides('PodResizePolicy', policy.metadata.annotations, now);
    const plain: PolicyInForce = { policy, reading: readPolicy(policy, capabilities), overrides: [], ignored: problems, until: nextExpiry };
    if (inForce.length === 0) return plain;
    const overlaid = { ...policy, spec: effectiveSpec(policy.spec, inForce) };
    const reading = readPolicy(overlaid, capabilities);
    // Each may be right by itself and wrong with the spec: an override is never what takes a policy out of force.
    if (!reading.ok && plain.reading.ok) {
      return { ...plain, ignored: [...problems, `all overrides are ignored, because with them: ${reading.message}`] };
    }
    return { policy: overlaid, reading, overrides: inForce, ignored: problems, until: nextExpiry };
  }

  /** What the recommender is to be asked for, by container. @param ranOn the largest node that its pods ran on; null: not known */
  recommenderRules(
    { containers }: Pick<WorkloadRecord, 'containers'>,
    { rules, overrides }: Pick<WorkloadGovernance, 'rules' | 'overrides'>,
    ranOn: Resources | null,
  ): (container: string) => RecommenderRules {
    // A pool that is scaled to zero comes back: what fitted there is no reason for a reduction.
    const largest = greatest(this.largestNode(), ranOn);
    const { isHeld } = this.autoscalerLease;
    const runtimes = new Map(containers.map(({ name, runtime }) => [name, runtime ?? null]));
    return (container) => containerRules(rules, overrides, container, largest, runtimes.get(container) ?? null, isHeld);
  }

  /** Every rule in force for a workload, with where it came from. */
  rulesInForce(workload: WorkloadRecord): readonly SourcedRule[] {
    const { policy, problem, rules, overrides } = this.governanceOf(workload);
    const sources = policy === null || problem !== null ? ALL_DEFAULTS : ruleSources(policy.spec, this.inForce(policy).overrides);
    const surroundings = { largestNode: this.largestNode(), nodesFollow: this.autoscalerLease.isHeld, sources };
    return workload.containers.flatMap(({ name }) => sourcedRules(rules, overrides, name, surroundings));
  }

  /** The most that a pod of it can have on any node that takes it; null: not known. */
  freeForPodOf(workload: WorkloadRecord, now: Instant): Resources | null {
    return this.#room.forPodOf(workload, now);
  }

  /** Allocatable of the largest node, each resource by itself; null without nodes. */
  largestNode(): Resources | null {
    if (this.#largest === undefined) this.#largest = largestOf([...this.#parts.cluster.nodes()]);
    return this.#largest;
  }
}

function largestOf(nodes: readonly NodeRecord[]): Resources | null {
  if (nodes.length === 0) return null;
  return {
    cpuMillicores: Math.max(...nodes.map(({ allocatable }) => allocatable.cpuMillicores)),
    memoryBytes: Math.max(...nodes.map(({ allocatable }) => allocatable.memoryBytes)),
  };
}
