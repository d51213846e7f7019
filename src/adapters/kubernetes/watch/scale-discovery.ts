// Discovers kinds with a `scale` subresource by the API server's aggregated discovery.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery

import type { ApiTransport } from '#kube/api-transport';
import { CUSTOM_RESOURCE_DEFINITIONS, objectPath, resourceName, type ApiResource } from '../resources.ts';
import { ApiFault, failureOf, isForbidden, isNotFound } from '../status.ts';
import { asObject, objectAt, objectsAt, textAt, type Wire } from '../wire.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Built-in groups: their workloads are watched anyway, and old versions of them are served under `extensions`. */
const KUBERNETES_GROUPS: ReadonlySet<string> = new Set(['apps', 'batch', 'extensions']);
const NOT_MODIFIED = 304;

/** Paths of the replica counts in an object, from its CRD: `.spec.replicas`. */
export interface ReplicaPaths {
  readonly desired: string;
  readonly current: string;
}

/** Paths of nearly every kind. */
const DEFAULT_PATHS: ReplicaPaths = { desired: '.spec.replicas', current: '.status.replicas' };

export class ScaleDiscovery {
  readonly #transport: ApiTransport;
  #cached: { readonly etag: string; readonly resources: readonly ApiResource[] } | null = null;

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  /** Namespaced kinds with a `scale` subresource outside the built-in groups, sorted by name. @throws ApiFault, WireError */
  async resources(signal: AbortSignal): Promise<readonly ApiResource[]> {
    const cached: Readonly<Record<string, string>> = this.#cached === null ? {} : { 'if-none-match': this.#cached.etag };
    const response = await this.#transport.request({ method: 'GET', path: '/apis', headers: { accept: AGGREGATED, ...cached }, signal });
    if (response.status === NOT_MODIFIED && this.#cached !== null) return this.#cached.resources;
    const failure = failureOf(response);
    if (failure !== null) throw new ApiFault('discovering kinds with a scale subresource', failure);
    const resources = scalableResources(asObject(response.body, 'discovery'));
    const etag = response.headers['etag'];
    this.#cached = etag === undefined ? null : { etag, resources };
    return resources;
  }

  /**
   * Replica paths from the kind's CRD; the defaults where the CRD may not be read, or an aggregated API server serves the kind. @throws
   * ApiFault
   */
  async replicaPaths(resource: ApiResource, signal: AbortSignal): Promise<ReplicaPaths> {
    const path = objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, resourceName(resource));
    const response = await this.#transport.request({ method: 'GET', path, signal });
    const failure = failureOf(response);
    if (failure !== null) {
      if (isForbidden(failure) || isNotFound(failure)) return DEFAULT_PATHS;
      throw new ApiFault(`reading the CRD of ${resourceName(resource)}`, failure);
    }
    const versions = objectsAt(objectAt(asObject(response.body, path), 'spec'), 'versions');
    const version = versions.find((each) => each['name'] === resource.version) ?? {};
    const scale = objectAt(objectAt(version, 'subresources'), 'scale');
    return {
      desired: textAt(scale, 'specReplicasPath') || DEFAULT_PATHS.desired,
      current: textAt(scale, 'statusReplicasPath') || DEFAULT_PATHS.current,
    };
  }
}

/** Uses the first version with a `scale` subresource in the server's order of preference. */
function scalableResources(list: Wire): readonly ApiResource[] {
  const found = new Map<string, ApiResource>();
  for (const item of objectsAt(list, 'items')) {
    const group = textAt(objectAt(item, 'metadata'), 'name');
    if (group === '' || KUBERNETES_GROUPS.has(group)) continue;
    for (const version of objectsAt(item, 'versions')) {
      for (const each of objectsAt(version, 'resources')) {
        if (!isScalable(each)) continue;
        const plural = textAt(each, 'resource');
        const kind = textAt(objectAt(each, 'responseKind'), 'kind');
        const resource = { group, version: textAt(version, 'version'), plural, kind, namespaced: true };
        const name = resourceName(resource);
        if (!found.has(name)) found.set(name, resource);
      }
    }
  }
  return [...found.values()].sort((a, b) => (resourceName(a) < resourceName(b) ? -1 : 1));
}

function isScalable(resource: Wire): boolean {
  const verbs = Array.isArray(resource['verbs']) ? resource['verbs'] : [];
  return (
    resource['scope'] === 'Namespaced' &&
    verbs.includes('list') &&
    verbs.includes('watch') &&
    objectsAt(resource, 'subresources').some(
      (each) => each['subresource'] === 'scale' && objectAt(each, 'responseKind')['group'] === 'autoscaling',
    )
  );
}
