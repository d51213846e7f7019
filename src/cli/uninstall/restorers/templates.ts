// Looks up the template that a pod was created from: that of its owner at the pod's revision.

import { podSpecOf } from '../../../adapters/kubernetes/decode/decode-scalable.ts';
import { failureOf, isNotFound, ApiFault } from '../../../adapters/kubernetes/status.ts';
import type { Permission } from '../../../adapters/kubernetes/access/permissions.ts';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  JOBS,
  objectPath,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '../../../adapters/kubernetes/resources.ts';
import { asObject, objectAt, objectsAt, textAt, type Wire } from '../../../adapters/kubernetes/wire.ts';
import { requestsAndLimits } from '../../../adapters/kubernetes/decode/decode-quantities.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { groupOfVersion, KUBERNETES_OWNERS, workloadPath, type OwnerRef, type WorkloadRef } from '#kube/records/workload';
import type { ClusterAccess } from '../cluster-access.ts';
import { granted } from '../registration.ts';

/** The template and the workload of a pod. */
export interface PodTemplate {
  readonly containers: ReadonlyMap<string, RequestsAndLimits>;
  /** The pod's owner, or that owner's owner: a Deployment for a ReplicaSet. */
  readonly workload: WorkloadRef;
}

/** StatefulSets and DaemonSets store older templates as ControllerRevisions, which pods reference by this label. */
const REVISION_LABEL = 'controller-revision-hash';

const SOURCE = 'src/cli/uninstall/restorers/templates.ts';
/** Deployments own pods by their ReplicaSets, CronJobs by their Jobs. */
const OWNERS_OF_PODS = [REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS, JOBS];

/** Permissions of the look-ups. */
export const TEMPLATE_PERMISSIONS: readonly Permission[] = [
  ...OWNERS_OF_PODS.map((resource) => granted(['get'], resource, SOURCE, 'templates that pods were created from')),
  granted(['get'], CONTROLLER_REVISIONS, SOURCE, 'older templates of StatefulSets and DaemonSets'),
];

/** Look-ups are cached by owner and revision. */
export class Templates {
  readonly #cluster: ClusterAccess;
  readonly #cached = new Map<string, Promise<PodTemplate | null>>();

  constructor(cluster: ClusterAccess) {
    this.#cluster = cluster;
  }

  /** null where the owner is deleted, or of an unknown kind. @throws ApiFault where it may not be read */
  of(namespace: string, owner: OwnerRef, labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PodTemplate | null> {
    const revision = labels[REVISION_LABEL] ?? '';
    const key = `${owner.uid}/${revision}`;
    const known = this.#cached.get(key);
    if (known !== undefined) return known;
    const read = this.#read(namespace, owner, revision, signal);
    this.#cached.set(key, read);
    return read;
  }

  async #read(namespace: string, owner: OwnerRef, revision: string, signal: AbortSignal): Promise<PodTemplate | null> {
    const path = await this.#pathOf(namespace, owner, signal);
    const found = path === null ? null : await this.#get(path, signal);
    if (found === null || textAt(objectAt(found, 'metadata'), 'uid') !== owner.uid) return null;
    const past =
      revision === '' ? null : await this.#get(objectPath(CONTROLLER_REVISIONS, namespace, revisionName(owner, revision)), signal);
    const podSpec = podSpecOf(past === null ? found : objectAt(past, 'data'));
    const containers = ['containers', 'initContainers'].flatMap((list) => objectsAt(podSpec, list));
    return {
      containers: new Map(
        containers.map((container) => [
          textAt(container, 'name'),
          requestsAndLimits(objectAt(container, 'resources'), `${owner.kind} ${owner.name}`),
        ]),
      ),
      workload: { namespace, ...topOf(found, owner) },
    };
  }

  /** The path of a built-in kind by rule, of others by the plural and version from discovery. */
  async #pathOf(namespace: string, owner: OwnerRef, signal: AbortSignal): Promise<string | null> {
    const { apiVersion, kind, name } = owner;
    const group = groupOfVersion(apiVersion);
    if (KUBERNETES_OWNERS.get(kind) === group) return workloadPath({ apiVersion, kind, namespace, name });
    const resource = (await this.#cluster.scalableKinds(signal)).find((each) => each.kind === kind && each.group === group);
    return resource === undefined ? null : objectPath(resource, namespace, name);
  }

  async #get(path: string, signal: AbortSignal): Promise<Wire | null> {
    const response = await this.#cluster.transport.request({ method: 'GET', path, signal });
    const failure = failureOf(response);
    if (failure === null) return asObject(response.body, path);
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading ${path}`, failure);
  }
}

// A StatefulSet's label is the revision's name, a DaemonSet's only its hash.
function revisionName(owner: OwnerRef, revision: string): string {
  return owner.kind === 'StatefulSet' ? revision : `${owner.name}-${revision}`;
}

function topOf(found: Wire, owner: OwnerRef): { readonly kind: string; readonly name: string } {
  const above = objectsAt(objectAt(found, 'metadata'), 'ownerReferences').find((each) => each['controller'] === true);
  return above === undefined ? { kind: owner.kind, name: owner.name } : { kind: textAt(above, 'kind'), name: textAt(above, 'name') };
}
