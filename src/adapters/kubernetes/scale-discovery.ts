// Which kinds can be scaled: asked of the API server's discovery, as plurals and versions are not to be guessed.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery

import type { ApiTransport } from '#kube/api-transport';
import { CUSTOM_RESOURCE_DEFINITIONS, objectPath, resourceName, type ApiResource } from './resources.ts';
import { ApiFault, failureOf, isForbidden, isNotFound } from './status.ts';
import { asObject, objectAt, objectsAt, textAt, type Wire } from './wire.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Of Kubernetes: their workloads are read in any case, and old versions of them are served under `extensions`. */
const KUBERNETES_GROUPS: ReadonlySet<string> = new Set(['apps', 'batch', 'extensions']);
const NOT_MODIFIED = 304;

/** Where an object of a kind has its replicas, as the definition says it: `.spec.replicas`. */
export interface ReplicaPaths {
  readonly desired: string;
  readonly current: string;
}

/** What nearly every kind has. */
const USUAL_PATHS: ReplicaPaths = { desired: '.spec.replicas', current: '.status.replicas' };

export class ScaleDiscovery {
  readonly #transport: ApiTransport;
  #known: { readonly etag: string; readonly resources: readonly ApiResource[] } | null = null;

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  /** Namespaced kinds with a `scale` subresource, of other groups than Kubernetes' own, by name. @throws ApiFault, WireError */
  async resources(signal: AbortSignal): Promise<readonly ApiResource[]> {
    const cached: Readonly<Record<string, string>> = this.#known === null ? {} : { 'if-none-match': this.#known.etag };
    const response = await this.#transport.request({ method: 'GET', path: '/apis', headers: { accept: AGGREGATED, ...cached }, signal });
    if (response.status === NOT_MODIFIED && this.#known !== null) return this.#known.resources;
    const failure = failureOf(response);
    if (failure !== null) throw new ApiFault('discovering kinds with a scale subresource', failure);
    const resources = scalableResources(asObject(response.body, 'discovery'));
    const etag = response.headers['etag'];
    this.#known = etag === undefined ? null : { etag, resources };
    return resources;
  }

  /** By the kind's definition; the usual ones where that may not be read, or an API server of its own serves the kind. */
  async replicaPaths(resource: ApiResource, signal: AbortSignal): Promise<ReplicaPaths> {
    const path = objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, resourceName(resource));
    const response = await this.#transport.request({ method: 'GET', path, signal });
    const failure = failureOf(response);
    if (failure !== null) {
      if (isForbidden(failure) || isNotFound(failure)) return USUAL_PATHS;
      throw new ApiFault(`reading the definition of ${resourceName(resource)}`, failure);
    }
    const versions = objectsAt(objectAt(asObject(response.body, path), 'spec'), 'versions');
    const version = versions.find((each) => each['name'] === resource.version) ?? {};
    const scale = objectAt(objectAt(version, 'subresources'), 'scale');
    return {
      desired: textAt(scale, 'specReplicasPath') || USUAL_PATHS.desired,
      current: textAt(scale, 'statusReplicasPath') || USUAL_PATHS.current,
    };
  }
}

/** In the version that the server prefers of those that can be scaled. */
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
