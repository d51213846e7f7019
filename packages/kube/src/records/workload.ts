import type { Instant } from '../units.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import type { Toleration } from '../pod-spec/toleration.ts';
import type { RequestsAndLimits } from './resources.ts';

/** Identity of a workload, which outlives roll-outs and restarts. */
export interface WorkloadRef {
  readonly namespace: string;
  /**
   * Kind of the top-level owner: Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, a kind with a scale subresource such as
   * Rollout, or Pod for a bare pod.
   */
  readonly kind: string;
  readonly name: string;
}

/** `namespace/kind/name`, the key of work queues and indices. */
export type WorkloadKey = string & { readonly __key?: 'workload' };

/** The key of a workload. */
export function workloadKey(ref: WorkloadRef): WorkloadKey {
  return `${ref.namespace}/${ref.kind}/${ref.name}`;
}

/** The inverse of `workloadKey`. */
export function parseWorkloadKey(key: WorkloadKey): WorkloadRef {
  const [namespace = '', kind = '', ...name] = key.split('/');
  return { namespace, kind, name: name.join('/') };
}

/** Whether a key has a kind, without parsing the key: it is called for each sample. */
export function isWorkloadOfKind(key: WorkloadKey, kind: string): boolean {
  const from = key.indexOf('/') + 1;
  return key.startsWith(kind, from) && key.charAt(from + kind.length) === '/';
}

/** A container of a pod template. */
export interface TemplateContainer extends RequestsAndLimits {
  readonly name: string;
  /** A restartable init container. */
  readonly sidecar: boolean;
  readonly image: string;
  /** Language runtime and maximum heap; absent: unknown. */
  readonly runtime?: ContainerRuntime;
  /** GOMAXPROCS; absent: not set. */
  readonly goMaxProcs?: number;
}

/** Node selector and tolerations of the pod template. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** A workload, decoded once from the wire. */
export interface WorkloadRecord extends WorkloadRef {
  readonly apiVersion: string;
  /** Resource name in API paths from discovery; absent: a built-in kind, whose plural is regular. */
  readonly plural?: string;
  /** Whether it has a `scale` subresource; absent for built-in kinds. */
  readonly scalable?: true;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations that Evenkeel reads, and those of installers (Helm, Argo CD). */
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  readonly controller: OwnerRef | null;
  readonly containers: readonly TemplateContainer[];
  /** Node selector and tolerations; absent: none. */
  readonly placement?: Placement;
  readonly replicas: { readonly desired: number; readonly current: number; readonly ready: number };
  /** Whether two revisions have pods, or the controller has not observed the newest generation. */
  readonly rolloutInProgress: boolean;
  /** Why a changed template is not rolled out; absent: it is. */
  readonly rolloutHeld?: 'paused' | 'on-delete';
  /** `kubectl.kubernetes.io/restartedAt` of its template; absent: none. */
  readonly restartedAt?: Instant;
}

/** The controlling owner reference of an object. */
export interface OwnerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** API path of a workload. The plural of built-in kinds is the lower-case kind with an s. */
export function workloadPath({
  apiVersion,
  plural,
  kind,
  namespace,
  name,
}: Pick<WorkloadRecord, 'apiVersion' | 'plural' | 'kind' | 'namespace' | 'name'>): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${plural ?? `${kind.toLowerCase()}s`}/${encodeURIComponent(name)}`;
}

/** API group by kind of the built-in owners of pods; the same kind in another group is another kind. */
export const KUBERNETES_OWNERS: ReadonlyMap<string, string> = new Map([
  ['Deployment', 'apps'],
  ['StatefulSet', 'apps'],
  ['DaemonSet', 'apps'],
  ['ReplicaSet', 'apps'],
  ['Job', 'batch'],
  ['CronJob', 'batch'],
  ['ReplicationController', ''],
  ['Node', ''],
  ['Pod', ''],
]);

/** Group of an apiVersion: `apps` of `apps/v1`, empty (core) of `v1`. */
export function groupOfVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
