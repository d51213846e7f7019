// Parses the path and the method of a Kubernetes API request.

import type { HttpMethod } from '#kube/api-transport';

export interface ResourceTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string | null;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** What follows the subresource (`nodes/n1/proxy/stats/summary` → `/stats/summary`), else ''. */
  readonly rest: string;
}

/** Subresources of namespaces themselves; any other third segment names a resource inside the namespace. */
const OF_NAMESPACES: readonly string[] = ['status', 'finalize'];

/** null for paths that name no resource (discovery, health, OpenAPI, …). Segments are decoded. */
export function resourceTarget(path: string): ResourceTarget | null {
  const segments = path.split('/').slice(1).map(decodeURIComponent);
  if (segments.at(-1) === '') segments.pop();
  const [root, group = '', version = ''] = segments;
  if (root === 'api' && segments.length > 2) return within('', group, segments.slice(2));
  if (root === 'apis' && segments.length > 3) return within(group, version, segments.slice(3));
  return null;
}

function within(group: string, version: string, segments: readonly string[]): ResourceTarget {
  const [first = '', namespace = null, third] = segments;
  const inNamespace = first === 'namespaces' && third !== undefined && !OF_NAMESPACES.includes(third);
  const [plural = '', name = null, subresource = '', ...rest] = inNamespace ? segments.slice(2) : segments;
  return {
    group,
    version,
    plural,
    namespace: inNamespace ? namespace : null,
    name,
    subresource,
    rest: rest.length === 0 ? '' : `/${rest.join('/')}`,
  };
}

/** The verb for authorization and descriptors. */
export function verbOf(method: HttpMethod, target: ResourceTarget, isWatch: boolean): string {
  switch (method) {
    case 'GET':
      if (target.name !== null) return 'get';
      return isWatch ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return target.name === null ? 'deletecollection' : 'delete';
  }
}
