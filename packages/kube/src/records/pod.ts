import type { SchedulingFacts } from '../pod-spec/scheduling-facts.ts';
import { greaterResources, type OptionalResources, type RequestsAndLimits } from './resources.ts';
import type { InitContainerRecord } from './pod-requests.ts';
import type { Refusal } from './refusal-code.ts';
import type { Instant } from '../units.ts';
import type { OwnerRef } from './workload.ts';

/** `status.phase`. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
/** `status.qosClass`. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';
/** `restartPolicy` of a container's resizePolicy. */
export type ResizeRestartPolicy = 'NotRequired' | 'RestartContainer';

/** Status of the last in-place resize, from the conditions PodResizePending and PodResizeInProgress. */
export interface PodResizeStatus {
  readonly state: 'none' | 'deferred' | 'infeasible' | 'in-progress' | 'error';
  readonly message: string;
  readonly since: Instant | null;
  /** Why the node refuses it while it is deferred or infeasible; absent: not reported. */
  readonly refusal?: Refusal;
}

/** The last termination of a container. */
export interface ContainerTermination {
  readonly reason: string;
  readonly exitCode: number;
  /** Start of the terminated container; absent or null: not reported. */
  readonly startedAt?: Instant | null;
  readonly finishedAt: Instant | null;
}

/** A container of a pod, from spec and status. Fields may be accessors, which a spread leaves out: copy it with `copyContainer`. */
export interface ContainerRecord extends RequestsAndLimits {
  readonly name: string;
  /** A restartable init container. */
  readonly sidecar: boolean;
  /** Resources in force (`status.containerStatuses[].resources`); null: not reported. */
  readonly actual: RequestsAndLimits | null;
  /** Resources that the node has admitted (`allocatedResources`); null: not reported. */
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
 * Requests of a container on its node: during a resize the maximum of desired and allocated, as in kube-scheduler (KEP-1287).
 */
export function countedRequests({ requests, allocated }: Pick<ContainerRecord, 'requests' | 'allocated'>): OptionalResources {
  return allocated === null ? requests : greaterResources(requests, allocated);
}

/**
 * A pod, decoded once from the wire. `requests` and `limits` of a container are those of the spec (desired). Fields may be accessors, which a
 * spread leaves out: copy it with `copyPod`.
 */
export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations that Evenkeel reads: its own, do-not-disrupt ones, and those of other tools that size pods. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  /** null while unscheduled. */
  readonly node: string | null;
  readonly phase: PodPhase;
  readonly ready: boolean;
  readonly readySince: Instant | null;
  /** When it became not ready; null: it is ready. */
  readonly unreadySince: Instant | null;
  /** False: no node fits (PodScheduled=False, Unschedulable). */
  readonly schedulable: boolean;
  readonly qosClass: QosClass;
  readonly priority: number;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly owner: OwnerRef | null;
  readonly hostNetwork: boolean;
  readonly windows: boolean;
  /** Whether it has pod-level resources (`spec.resources`); absent: by container. */
  readonly sizedAsWhole?: true | undefined;
  readonly ip: string | null;
  readonly resize: PodResizeStatus;
  /** Last field manager of the subresource `resize`; null: none. */
  readonly resizedBy: { readonly manager: string; readonly at: Instant } | null;
  /** Main containers, then sidecars; without plain init and ephemeral containers. */
  readonly containers: readonly ContainerRecord[];
  /** Scheduling rules and other requests, one object for all pods of a template. */
  readonly scheduling: SchedulingFacts;
  /** The single node of its affinity, as for a DaemonSet pod; null: none. */
  readonly pinnedNode: string | null;
  /** Plain init containers with requests; absent: none. */
  readonly initContainers?: readonly InitContainerRecord[] | undefined;
  /** Overhead of its RuntimeClass; absent: none. */
  readonly overhead?: OptionalResources | undefined;
}

/** A copy with changed fields. A spread would copy nothing: fields of a decoded pod are accessors of its class. */
export function copyPod<Changes extends object>(pod: PodRecord, changes: Changes): PodRecord & Changes {
  const copy: { readonly [Field in keyof Required<PodRecord>]: PodRecord[Field] } = {
    uid: pod.uid,
    namespace: pod.namespace,
    name: pod.name,
    resourceVersion: pod.resourceVersion,
    labels: pod.labels,
    annotations: pod.annotations,
    createdAt: pod.createdAt,
    deletionAt: pod.deletionAt,
    node: pod.node,
    phase: pod.phase,
    ready: pod.ready,
    readySince: pod.readySince,
    unreadySince: pod.unreadySince,
    schedulable: pod.schedulable,
    qosClass: pod.qosClass,
    priority: pod.priority,
    restartPolicy: pod.restartPolicy,
    owner: pod.owner,
    hostNetwork: pod.hostNetwork,
    windows: pod.windows,
    sizedAsWhole: pod.sizedAsWhole,
    ip: pod.ip,
    resize: pod.resize,
    resizedBy: pod.resizedBy,
    containers: pod.containers,
    scheduling: pod.scheduling,
    pinnedNode: pod.pinnedNode,
    initContainers: pod.initContainers,
    overhead: pod.overhead,
  };
  // Fields that a planned pod has in addition are its own properties.
  // eslint-disable-next-line evenkeel/no-record-spread -- the copy has properties
  return { ...copy, ...pod, ...changes };
}

/** A copy with changed fields, for the same reason as `copyPod`. */
export function copyContainer(container: ContainerRecord, changes: Partial<ContainerRecord>): ContainerRecord {
  return {
    requests: container.requests,
    limits: container.limits,
    name: container.name,
    sidecar: container.sidecar,
    actual: container.actual,
    allocated: container.allocated,
    resizePolicy: container.resizePolicy,
    state: container.state,
    waitingReason: container.waitingReason,
    startedAt: container.startedAt,
    ready: container.ready,
    restarts: container.restarts,
    lastTermination: container.lastTermination,
    ...changes,
  };
}

/** Why a node's report about a pod is refused; the watch event of an `unknown-pod` may not have arrived. */
export type ReportFault = 'unknown-pod' | 'foreign-pod';

/** Checks that a pod is on the node that reports it; null: it is. By name, because the UID of a static pod differs from its mirror pod. */
export function faultOfReport(node: string, pod: Pick<PodRecord, 'node'> | undefined): ReportFault | null {
  if (pod === undefined || pod.node === null) return 'unknown-pod';
  return pod.node === node ? null : 'foreign-pod';
}

/** The names of up to three pods and the count of others, for messages. */
export function namesOf(pods: readonly Pick<PodRecord, 'name'>[]): string {
  const more = pods.length > 3 ? ` and ${pods.length - 3} more` : '';
  return `${pods
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ')}${more}`;
}
