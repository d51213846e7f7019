import type { Instant } from '../units.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import type { Toleration } from '../pod-spec/toleration.ts';
import type { RequestsAndLimits } from './resources.ts';

/** Identity of a workload: what a person calls it. Survives roll-outs and restarts. */
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

export function workloadKey(ref: WorkloadRef): WorkloadKey {
  return `${ref.namespace}/${ref.kind}/${ref.name}`;
}

export function parseWorkloadKey(key: WorkloadKey): WorkloadRef {
  const [namespace = '', kind = '', ...name] = key.split('/');
  return { namespace, kind, name: name.join('/') };
}

/** Asked for each sample of usage, where taking the whole key apart would cost more than the rest. */
export function isWorkloadOfKind(key: WorkloadKey, kind: string): boolean {
  const from = key.indexOf('/') + 1;
  return key.startsWith(kind, from) && key.charAt(from + kind.length) === '/';
}

/** A container as the workload's template states it. */
export interface TemplateContainer extends RequestsAndLimits {
  readonly name: string;
  /** A restartable init container. */
  readonly sidecar: boolean;
  readonly image: string;
  /** How far the heap of its runtime may grow; absent where the template does not say. */
  readonly runtime?: ContainerRuntime;
  /** CPUs that GOMAXPROCS lets it use at once; absent where the template does not say. */
  readonly goMaxProcs?: number;
}

/** Labels that a node must have, and taints that are put up with. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** One workload, decoded once from the wire. */
export interface WorkloadRecord extends WorkloadRef {
  readonly apiVersion: string;
  /** Of its kind in API paths, as the API server's discovery names it; absent: a kind of Kubernetes, whose plural is regular. */
  readonly plural?: string;
  /** Its `scale` subresource sets its replicas; absent for the kinds of Kubernetes, of which that is known. */
  readonly scalable?: true;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Those that Evenkeel reads, and those that name what it was installed with (Helm, Argo CD). */
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  readonly controller: OwnerRef | null;
  readonly containers: readonly TemplateContainer[];
  /** Where its pods may land, as far as their template says so plainly; absent: anywhere. */
  readonly placement?: Placement;
  readonly replicas: { readonly desired: number; readonly current: number; readonly ready: number };
  /** Two revisions have pods, or the controller has not yet seen the newest generation. */
  readonly rolloutInProgress: boolean;
  /** Why a changed template does not reach the pods by itself; absent: it does. */
  readonly rolloutHeld?: 'paused' | 'on-delete';
  /** When its template last had its pods restarted, as `kubectl rollout restart` notes it; absent: never. */
  readonly restartedAt?: Instant;
}

export interface OwnerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** API path of a workload. The kinds of Kubernetes are all regular: their plural is the lower-case kind with an s. */
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

/** API group by kind of Kubernetes' own owners of pods: in another group such a kind is another one. */
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

/** `apps/v1` is of group `apps`, `v1` of the core group, which has no name. */
export function groupOfVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
