// Reads a cluster: paged lists, and nothing else.

import type { ApiTransport } from '#kube/api-transport';
import { objectAt, objectsAt, textAt, type Wire } from '#kube/wire';
import {
  apiVersionOf,
  type ApiResource,
  collectionPath,
  DISRUPTION_BUDGETS,
  NODES,
  PODS,
  resourceName,
} from '../../../adapters/kubernetes/resources.ts';
import { ApiFault, isForbidden, isNotFound } from '../../../adapters/kubernetes/status.ts';
import { listPages } from '../../../adapters/kubernetes/watch/pages.ts';
import type { ManifestObject } from '../../read-manifests.ts';

const CLAIMS: ApiResource = { group: '', version: 'v1', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true };
const VOLUMES: ApiResource = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };

/** What is listed, in all namespaces. */
export const LISTED: readonly ApiResource[] = [NODES, PODS, DISRUPTION_BUDGETS, CLAIMS, VOLUMES];

/** Place of objects in problems. Objects of a cluster have no line. */
export const CLUSTER_SOURCE = 'cluster';

export type ListedObjects =
  { readonly ok: true; readonly objects: readonly ManifestObject[] } | { readonly ok: false; readonly problems: readonly string[] };

/** Lists nodes, pods and what decides whether pods may move. @throws ApiFault for a failure other than a missing permission */
export async function listObjects(transport: ApiTransport, signal: AbortSignal): Promise<ListedObjects> {
  const objects: ManifestObject[] = [];
  const problems: string[] = [];
  for (const resource of LISTED) {
    try {
      for (const object of await listAll(transport, resource, signal)) objects.push(object);
    } catch (error) {
      if (!(error instanceof ApiFault) || !(isForbidden(error.failure) || isNotFound(error.failure))) throw error;
      problems.push(
        `may not list ${resourceName(resource)} in all namespaces: ${error.failure.message}; grant the verb list, see docs/pack.md`,
      );
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, objects };
}

async function listAll(transport: ApiTransport, resource: ApiResource, signal: AbortSignal): Promise<readonly ManifestObject[]> {
  let found: ManifestObject[] = [];
  for await (const { items, restarted } of listPages(transport, collectionPath(resource, null), {}, signal)) {
    if (restarted) found = [];
    // Items of a list do not have a kind.
    for (const item of items)
      found.push({ source: `${CLUSTER_SOURCE}:0`, object: { ...trimmed(item), kind: resource.kind, apiVersion: apiVersionOf(resource) } });
  }
  return found;
}

/** Without what takes the most memory and is not read. */
function trimmed(item: Wire): Pick<ManifestObject['object'], 'metadata'> & Wire {
  const { managedFields: _, ...metadata } = objectAt(item, 'metadata');
  const status = objectAt(item, 'status');
  const { containerStatuses, initContainerStatuses, images: _1, conditions, ...rest } = status;
  return {
    ...item,
    metadata: { ...metadata, name: textAt(metadata, 'name') },
    status: { ...rest, ...resizeStatus({ containerStatuses, initContainerStatuses, conditions }) },
  };
}

/** Of containers what the node has allocated, and whether a resize is pending. */
function resizeStatus(status: Wire): Wire {
  const containers = (list: string): Wire[] =>
    objectsAt(status, list).flatMap(({ name, allocatedResources, resources }) =>
      allocatedResources === undefined && resources === undefined ? [] : [{ name, allocatedResources, resources }],
    );
  return {
    containerStatuses: containers('containerStatuses'),
    initContainerStatuses: containers('initContainerStatuses'),
    conditions: objectsAt(status, 'conditions').filter(({ type }) => type === 'PodResizePending'),
  };
}
