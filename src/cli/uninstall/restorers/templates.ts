// What a pod was made from: the template of its owner at the revision that made it.

import { failureOf, isNotFound, ApiFault } from '../../../adapters/kubernetes/status.ts';
import { CONTROLLER_REVISIONS, objectPath } from '../../../adapters/kubernetes/resources.ts';
import { asObject, objectAt, objectsAt, textAt, type Wire } from '../../../adapters/kubernetes/wire.ts';
import { requestsAndLimits } from '../../../adapters/kubernetes/decode-quantities.ts';
import type { RequestsAndLimits } from '../../../core/model/resources.ts';
import { workloadPath, type OwnerRef, type WorkloadRef } from '../../../core/model/workload.ts';
import type { ApiTransport } from '../../../ports/api-transport.ts';

/** A pod's template, and whose workload it belongs to. */
export interface PodTemplate {
  readonly containers: ReadonlyMap<string, RequestsAndLimits>;
  /** The owner, or the owner's: a ReplicaSet is its Deployment's. */
  readonly workload: WorkloadRef;
}

/** StatefulSets and DaemonSets keep older templates as ControllerRevisions, which pods name by this label. */
const REVISION_LABEL = 'controller-revision-hash';

/** Pods of one owner and revision share one look-up. */
export class Templates {
  readonly #transport: ApiTransport;
  readonly #known = new Map<string, Promise<PodTemplate | null>>();

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  /** null where the owner is gone. @throws ApiFault where it may not be read */
  of(namespace: string, owner: OwnerRef, labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PodTemplate | null> {
    const revision = labels[REVISION_LABEL] ?? '';
    const key = `${owner.uid}/${revision}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const read = this.#read(namespace, owner, revision, signal);
    this.#known.set(key, read);
    return read;
  }

  async #read(namespace: string, owner: OwnerRef, revision: string, signal: AbortSignal): Promise<PodTemplate | null> {
    const found = await this.#get(workloadPath({ ...owner, namespace }), signal);
    if (found === null || textAt(objectAt(found, 'metadata'), 'uid') !== owner.uid) return null;
    const past =
      revision === '' ? null : await this.#get(objectPath(CONTROLLER_REVISIONS, namespace, revisionName(owner, revision)), signal);
    const spec = objectAt(past === null ? found : objectAt(past, 'data'), 'spec');
    const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
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

  async #get(path: string, signal: AbortSignal): Promise<Wire | null> {
    const response = await this.#transport.request({ method: 'GET', path, signal });
    const failure = failureOf(response);
    if (failure === null) return asObject(response.body, path);
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading ${path}`, failure);
  }
}

// A StatefulSet's label is the revision's whole name, a DaemonSet's its hash alone.
function revisionName(owner: OwnerRef, revision: string): string {
  return owner.kind === 'StatefulSet' ? revision : `${owner.name}-${revision}`;
}

function topOf(found: Wire, owner: OwnerRef): { readonly kind: string; readonly name: string } {
  const above = objectsAt(objectAt(found, 'metadata'), 'ownerReferences').find((each) => each['controller'] === true);
  return above === undefined ? { kind: owner.kind, name: owner.name } : { kind: textAt(above, 'kind'), name: textAt(above, 'name') };
}
