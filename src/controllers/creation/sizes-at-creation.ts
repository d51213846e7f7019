// The size that a new pod is created with, from the informers' caches alone: admission makes no request, and every replica gives the
// same answer.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { classOfNode, isByNodeClass } from '../../core/resize/layers/node-classes/class-name.ts';
import { memoryAtCreation } from '../../core/resize/layers/node-classes/current-classes.ts';
import type { ResizeMemory } from '../../core/resize/model/situation.ts';
import { modeInForce } from '../../core/resize/policy/policy-rules.ts';
import { applyTemplateRaises } from '../../core/resize/plan/due/raised-template.ts';
import { freeOnNode } from '../../core/resize/plan/pod/free-on-nodes.ts';
import { readMemory } from '../../core/resize/status/memory-codec.ts';
import { sizeAtCreation, type SizeAtCreation } from '../../core/resize/creation/size-at-creation.ts';
import { podAmounts } from '../../core/resize/creation/whole-pod.ts';
import type { ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { SECOND_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';
import { inferOwner } from '../../core/model/infer-owner.ts';
import { workloadKey, type OwnerRef, type WorkloadRecord, type WorkloadRef } from '#kube/records/workload';
import type { CreationRequest, SizesAtCreation } from '../../ports/cluster/sizes-at-creation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import { isInQuotaScope, QuotaCount } from './quotas-of-pod.ts';

/** Free capacity is cached for this long: pods are created in bursts, and the scheduler decides in the end. */
const FREE_CACHED_FOR_MS: DurationMs = 15 * SECOND_MS;

export interface SizesAtCreationDependencies {
  readonly cluster: ClusterReader & { topOfOwner(namespace: string, owner: OwnerRef): WorkloadRef | undefined };
  readonly policies: PolicyResolver;
  readonly clock: Clock;
  readonly dryRun: boolean;
  /** The pause in force; null where there is none. */
  readonly activePause: (now: Instant) => unknown;
}

export class RecommendedSizesAtCreation implements SizesAtCreation {
  readonly #dependencies: SizesAtCreationDependencies;
  readonly #quotaCount = new QuotaCount();
  #free: { readonly at: Instant; readonly cpuMillicores: Millicores | null } | null = null;

  constructor(dependencies: SizesAtCreationDependencies) {
    this.#dependencies = dependencies;
  }

  sizeOf(request: CreationRequest): SizeAtCreation | null {
    const { cluster, clock } = this.#dependencies;
    const now = clock.now();
    const binding = cluster.quotasIn(request.namespace).filter((quota) => isInQuotaScope(quota, request));
    const quotas = binding.map((quota) => this.#quotaCount.withAdmitted(quota, now));
    const size = this.#sizeOfPod(request, quotas);
    // A pod that keeps its template's size uses the quota as well.
    for (const quota of binding) this.#quotaCount.admit(quota, podAmounts(request, size?.values ?? new Map()), now);
    return size;
  }

  #sizeOfPod(request: CreationRequest, quotas: readonly ResourceQuotaRecord[]): SizeAtCreation | null {
    const { cluster, clock, dryRun, activePause } = this.#dependencies;
    if (dryRun || !cluster.isSynced() || activePause(clock.now()) !== null) return null;
    const workload = request.owner === null ? undefined : this.#workloadOf(request, request.owner);
    // The pods of a reset keep their template's size, although the Recommendation is deleted only after the restart.
    const isReset = workload?.annotations[WORKLOAD_ANNOTATIONS.resetToDeploy] !== undefined;
    return workload?.deletionAt === null && !isReset ? this.#sizeFor(workload, request, quotas) : null;
  }

  #sizeFor(workload: WorkloadRecord, request: CreationRequest, quotas: readonly ResourceQuotaRecord[]): SizeAtCreation | null {
    const { cluster, policies } = this.#dependencies;
    const { rules, problem, overrides, outOfScope } = policies.governanceOf(workload);
    const isExcluded = outOfScope || problem !== null || overrides.excluded || overrides.problems.length > 0;
    const recommendation = cluster.findRecommendation(workloadKey(workload));
    if (isExcluded || rules.paused || rules.dryRun || recommendation?.spec.paused === true) return null;
    const mode = modeInForce(rules, overrides);
    const { lastApplied, template } = this.#memoryFor(workload, readMemory(recommendation?.status), request.node);
    // In mode Approve, only approved values are used.
    if (mode !== 'Auto' && (mode !== 'Approve' || lastApplied === null)) return null;
    return sizeAtCreation(request, {
      mode,
      policy: rules,
      overrides,
      // The pod has the current template, which the workload's record may not show yet.
      inForce: applyTemplateRaises(
        lastApplied?.values ?? new Map(),
        template,
        new Map(request.containers.map((container) => [container.name, container])),
      ),
      limitRanges: cluster.limitRangesIn(request.namespace),
      quotas,
      freeOnAnyNode: rules.startup === null ? null : this.#largestFree(),
    });
  }

  /** The memory for the pod's node class; in a class that is new to the workload, a pod keeps its template's size. */
  #memoryFor(workload: WorkloadRecord, memory: ResizeMemory, nodeName: string | null): ResizeMemory {
    if (!isByNodeClass(workload)) return memory;
    const { cluster } = this.#dependencies;
    const pods = [...cluster.podsOf(workloadKey(workload))];
    const classes = new Map<string, string>();
    for (const name of [nodeName, ...pods.map(({ node }) => node)]) {
      const nodeClass = name === null ? null : classOfNode(cluster.findNode(name));
      if (name !== null && nodeClass !== null) classes.set(name, nodeClass);
    }
    return memoryAtCreation(nodeName === null ? null : (classes.get(nodeName) ?? null), pods, classes, memory);
  }

  /** Finds the workload by the ReplicaSet's name where the informers do not show it yet, as for the first pods of a rollout. */
  #workloadOf({ namespace, labels }: CreationRequest, owner: OwnerRef): WorkloadRecord | undefined {
    const { cluster } = this.#dependencies;
    const top = cluster.topOfOwner(namespace, owner);
    if (top !== undefined) return cluster.findWorkload(workloadKey(top));
    const byName = inferOwner(owner, labels);
    return byName === null ? undefined : cluster.findWorkload(workloadKey({ namespace, ...byName }));
  }

  /** The most free CPU on any schedulable node; null where there is none. */
  #largestFree(): Millicores | null {
    const { cluster, clock } = this.#dependencies;
    const now = clock.now();
    if (this.#free !== null && now - this.#free.at < FREE_CACHED_FOR_MS && now >= this.#free.at) return this.#free.cpuMillicores;
    let free: Millicores | null = null;
    for (const node of cluster.nodes()) {
      if (!node.ready || node.unschedulable) continue;
      free = Math.max(free ?? 0, freeOnNode(node, cluster.podsOnNode(node.name)).cpuMillicores);
    }
    this.#free = { at: now, cpuMillicores: free };
    return free;
  }
}
