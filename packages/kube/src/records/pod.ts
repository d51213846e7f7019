import type { SchedulingFacts } from '../pod-spec/scheduling-facts.ts';
import { greaterResources, type OptionalResources, type RequestsAndLimits } from './resources.ts';
import type { InitContainerRecord } from './pod-requests.ts';
import type { Refusal } from './refusal-code.ts';
import type { Instant } from '../units.ts';
import type { OwnerRef } from './workload.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';
export type ResizeRestartPolicy = 'NotRequired' | 'RestartContainer';

/** How far the last in-place resize of a pod has come (conditions PodResizePending and PodResizeInProgress). */
export interface PodResizeStatus {
  readonly state: 'none' | 'deferred' | 'infeasible' | 'in-progress' | 'error';
  readonly message: string;
  readonly since: Instant | null;
  /** Why its node refuses it, where that is deferred or infeasible; absent: not reported. */
  readonly refusal?: Refusal;
}

export interface ContainerTermination {
  readonly reason: string;
  readonly exitCode: number;
  /** When the attempt had begun; absent or null where it is not reported. */
  readonly startedAt?: Instant | null;
  readonly finishedAt: Instant | null;
}

export interface ContainerRecord extends RequestsAndLimits {
  readonly name: string;
  /** A restartable init container. */
  readonly sidecar: boolean;
  /** What the kubelet says is in force (`status.containerStatuses[].resources`); null before it has said so. */
  readonly actual: RequestsAndLimits | null;
  /** What the node has admitted (`allocatedResources`); null before it has said so. */
  readonly allocated: OptionalResources | null;
  readonly resizePolicy: { readonly cpu: ResizeRestartPolicy; readonly memory: ResizeRestartPolicy };
  readonly state: 'waiting' | 'running' | 'terminated';
  readonly waitingReason: string | null;
  readonly startedAt: Instant | null;
  readonly ready: boolean;
  readonly restarts: number;
  readonly lastTermination: ContainerTermination | null;
}

/**
 * What a container counts with on its node: what it asks for or, while a resize is under way, what the node has set aside for
 * it, the greater.
 */
export function countedRequests({ requests, allocated }: Pick<ContainerRecord, 'requests' | 'allocated'>): OptionalResources {
  return allocated === null ? requests : greaterResources(requests, allocated);
}

/** One pod, trimmed at decode. `requests` and `limits` of a container are the spec's (desired). */
export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Those that Evenkeel reads: its own, the well-known do-not-disrupt ones, and those of other tools that size pods. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  /** null while unscheduled. */
  readonly node: string | null;
  readonly phase: PodPhase;
  readonly ready: boolean;
  readonly readySince: Instant | null;
  /** When it stopped being ready, or was found not to be; null while it is ready. */
  readonly unreadySince: Instant | null;
  /** False while the scheduler says that no node fits (PodScheduled=False, Unschedulable). */
  readonly schedulable: boolean;
  readonly qosClass: QosClass;
  readonly priority: number;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly owner: OwnerRef | null;
  readonly hostNetwork: boolean;
  readonly windows: boolean;
  /** Its resources are set for the pod as a whole (`spec.resources`); left out: by container. */
  readonly sizedAsWhole?: true;
  readonly ip: string | null;
  readonly resize: PodResizeStatus;
  /** Manager that resized it last, by the managed fields; null: none. */
  readonly resizedBy: { readonly manager: string; readonly at: Instant } | null;
  /** Main containers, then sidecars; plain init and ephemeral containers are left out. */
  readonly containers: readonly ContainerRecord[];
  /** Where it may go, and what it takes besides CPU and memory; one object for the pods of a template. */
  readonly scheduling: SchedulingFacts;
  /** The one node that its affinity names, as that of a DaemonSet's pod does; null: any that `scheduling` allows. */
  readonly pinnedNode: string | null;
  /** Plain init containers that request anything; absent: none. */
  readonly initContainers?: readonly InitContainerRecord[];
  /** Of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources;
}

/** Why what a node reports of a pod does not count; `unknown-pod` may be one whose watch event has not arrived. */
export type ReportFault = 'unknown-pod' | 'foreign-pod';

/** A node reports its own pods alone. null: the pod is on it. By name, as the uid of a static pod differs from its mirror pod's. */
export function faultOfReport(node: string, pod: Pick<PodRecord, 'node'> | undefined): ReportFault | null {
  if (pod === undefined || pod.node === null) return 'unknown-pod';
  return pod.node === node ? null : 'foreign-pod';
}

/** For a message, which has room for a few names. */
export function namesOf(pods: readonly Pick<PodRecord, 'name'>[]): string {
  const more = pods.length > 3 ? ` and ${pods.length - 3} more` : '';
  return `${pods
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ')}${more}`;
}
