// Which size a pod is to be created with, from what the informers hold: no request is made on the way, and any replica
// answers the same.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { classOfNode, isByNodeClass } from '../../core/resize/layers/node-classes/class-name.ts';
import { memoryAtCreation } from '../../core/resize/layers/node-classes/current-classes.ts';
import type { ResizeMemory } from '../../core/resize/model/situation.ts';
import { modeInForce } from '../../core/resize/policy/policy-rules.ts';
import { atLeastRaised } from '../../core/resize/plan/raised-template.ts';
import { freeOnNode } from '../../core/resize/plan/free-on-nodes.ts';
import { readMemory } from '../../core/resize/status/memory-codec.ts';
import { sizeAtCreation, type SizeAtCreation } from '../../core/resize/creation/size-at-creation.ts';
import { podAmounts } from '../../core/resize/creation/whole-pod.ts';
import type { ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { SECOND_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';
import { ownerByName } from '../../core/model/owner-by-name.ts';
import { workloadKey, type OwnerRef, type WorkloadRecord, type WorkloadRef } from '#kube/records/workload';
import type { CreationRequest, SizesAtCreation } from '../../ports/sizes-at-creation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import { countsPod, QuotaCount } from './quotas-of-pod.ts';

/** Free room is summed up this often: pods are created in bursts, and the scheduler has the last word. */
const ROOM_HOLDS_MS: DurationMs = 15 * SECOND_MS;

export interface SizesAtCreationDependencies {
  readonly cluster: ClusterReader & { topOfOwner(namespace: string, owner: OwnerRef): WorkloadRef | undefined };
  readonly policies: PolicyResolver;
  readonly clock: Clock;
  readonly dryRun: boolean;
  /** The kill switch. */
  readonly activePause: (now: Instant) => unknown;
}

export class RecommendedSizesAtCreation implements SizesAtCreation {
  readonly #dependencies: SizesAtCreationDependencies;
  readonly #quotaCount = new QuotaCount();
  #room: { readonly at: Instant; readonly free: Millicores | null } | null = null;

  constructor(dependencies: SizesAtCreationDependencies) {
    this.#dependencies = dependencies;
  }

  sizeOf(request: CreationRequest): SizeAtCreation | null {
    const { cluster, clock } = this.#dependencies;
    const now = clock.now();
    const binding = cluster.quotasIn(request.namespace).filter((quota) => countsPod(quota, request));
    const quotas = binding.map((quota) => this.#quotaCount.withAdmitted(quota, now));
    const size = this.#sizeOfPod(request, quotas);
    // A pod that is created as it asks takes its part of a quota, too.
    for (const quota of binding) this.#quotaCount.admit(quota, podAmounts(request, size?.values ?? new Map()), now);
    return size;
  }

  #sizeOfPod(request: CreationRequest, quotas: readonly ResourceQuotaRecord[]): SizeAtCreation | null {
    const { cluster, clock, dryRun, activePause } = this.#dependencies;
    if (dryRun || !cluster.synced() || activePause(clock.now()) !== null) return null;
    const workload = request.owner === null ? undefined : this.#workloadOf(request, request.owner);
    // The pods of a reset are to be created as they were deployed, though the Recommendation goes a moment later.
    const reset = workload?.annotations[WORKLOAD_ANNOTATIONS.resetToDeploy] !== undefined;
    return workload?.deletionAt === null && !reset ? this.#sizeFor(workload, request, quotas) : null;
  }

  #sizeFor(workload: WorkloadRecord, request: CreationRequest, quotas: readonly ResourceQuotaRecord[]): SizeAtCreation | null {
    const { cluster, policies } = this.#dependencies;
    const { rules, problem, overrides, outOfScope } = policies.governanceOf(workload);
    const leftAlone = outOfScope || problem !== null || overrides.excluded || overrides.problems.length > 0;
    const recommendation = cluster.findRecommendation(workloadKey(workload));
    if (leftAlone || rules.paused || rules.dryRun || recommendation?.spec.paused === true) return null;
    const mode = modeInForce(rules, overrides);
    const { lastApplied: settled, template } = this.#memoryFor(workload, readMemory(recommendation?.status), request.node);
    // In mode Approve nothing is done before something was approved.
    if (mode !== 'Auto' && (mode !== 'Approve' || settled === null)) return null;
    return sizeAtCreation(request, {
      mode,
      policy: rules,
      overrides,
      // The pod has the template of this moment, which the workload's record may not have yet.
      inForce: atLeastRaised(settled?.values ?? new Map(), template, new Map(request.containers.map((each) => [each.name, each]))),
      limitRanges: cluster.limitRangesIn(request.namespace),
      quotas,
      freeOnAnyNode: rules.startup === null ? null : this.#largestFree(),
    });
  }

  /** What is in force for pods of its class: on a class of nodes that is new to it, it is created as it asks. */
  #memoryFor(workload: WorkloadRecord, memory: ResizeMemory, nodeName: string | null): ResizeMemory {
    if (!isByNodeClass(workload)) return memory;
    const { cluster } = this.#dependencies;
    const pods = [...cluster.podsOf(workloadKey(workload))];
    const classes = new Map<string, string>();
    for (const name of [nodeName, ...pods.map(({ node }) => node)]) {
      const known = name === null ? null : classOfNode(cluster.findNode(name));
      if (name !== null && known !== null) classes.set(name, known);
    }
    return memoryAtCreation(nodeName === null ? null : (classes.get(nodeName) ?? null), pods, classes, memory);
  }

  // The first pods of a roll-out come before the informers have told of their ReplicaSet: its name tells whose it is.
  #workloadOf({ namespace, labels }: CreationRequest, owner: OwnerRef): WorkloadRecord | undefined {
    const { cluster } = this.#dependencies;
    const known = cluster.topOfOwner(namespace, owner);
    if (known !== undefined) return cluster.findWorkload(workloadKey(known));
    const guess = ownerByName(owner, labels);
    return guess === null ? undefined : cluster.findWorkload(workloadKey({ namespace, ...guess }));
  }

  #largestFree(): Millicores | null {
    const { cluster, clock } = this.#dependencies;
    const now = clock.now();
    if (this.#room !== null && now - this.#room.at < ROOM_HOLDS_MS && now >= this.#room.at) return this.#room.free;
    let free: Millicores | null = null;
    for (const node of cluster.nodes()) {
      if (!node.ready || node.unschedulable) continue;
      free = Math.max(free ?? 0, freeOnNode(node, cluster.podsOnNode(node.name)).cpuMillicores);
    }
    this.#room = { at: now, free };
    return free;
  }
}
