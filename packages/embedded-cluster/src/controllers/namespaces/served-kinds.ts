import { ApiStatusError } from '../../api/api-error.ts';
import { BUILT_IN_RESOURCES } from '../../api/resources/descriptors.ts';
import { resourceId } from '../../api/resource-descriptor.ts';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { Stop } from '../controller-ports.ts';
import { DEFINITIONS, customResourceOf } from './custom-resources.ts';

/** A resource with stored objects: others (reviews, metrics, second views) have nothing to collect or delete. */
export interface StoredResource {
  readonly resource: string;
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Second views of objects that another resource stores. */
const VIEWS: ReadonlySet<string> = new Set(['events.events.k8s.io']);

export function builtInResources(): StoredResource[] {
  const byId = new Map<string, StoredResource>();
  for (const descriptor of BUILT_IN_RESOURCES) {
    const resource = resourceId(descriptor);
    if (!descriptor.verbs.includes('watch') || VIEWS.has(resource) || byId.has(resource)) continue;
    byId.set(resource, { resource, group: descriptor.group, kind: descriptor.kind, namespaced: descriptor.namespaced });
  }
  return [...byId.values()];
}

/**
 * Every resource with stored objects, now and later: calls `begin` once for each, and its returned function when a CustomResourceDefinition
 * removes the resource.
 */
export function forEachResource(cluster: ClusterAccess, begin: (resource: StoredResource) => Stop): Stop {
  const stops = new Map<string, Stop>();
  for (const each of builtInResources()) stops.set(each.resource, begin(each));
  const stop = cluster.onChange(DEFINITIONS, ({ type, object }) => {
    const custom = customResourceOf(object);
    if (type === 'DELETED') {
      stops.get(custom.resource)?.();
      stops.delete(custom.resource);
    } else if (!stops.has(custom.resource)) {
      const end = beginServed(custom, begin);
      if (end !== undefined) stops.set(custom.resource, end);
    }
  });
  return () => {
    stop();
    for (const end of stops.values()) end();
  };
}

/** undefined while a definition is not yet established; its next change triggers another look-up. */
function beginServed(resource: StoredResource, begin: (resource: StoredResource) => Stop): Stop | undefined {
  try {
    return begin(resource);
  } catch (error) {
    if (error instanceof ApiStatusError && error.reason === 'NotFound') return undefined;
    throw error;
  }
}
