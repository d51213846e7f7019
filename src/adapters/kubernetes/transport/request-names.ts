// Verbs and resources of requests as in RBAC and audit logs, for metrics and messages.

import type { ApiRequest } from '#kube/api-transport';

/** `get`, `list`, `watch`, `create`, `update`, `patch`, `apply`, `delete`, and the resource as `pods`, `pods/resize`, `deployments.apps`. */
export interface RequestName {
  readonly verb: string;
  readonly resource: string;
}

/** What a path names; undefined where it is no resource's, such as `/version`. */
export interface ResourcePath {
  /** Empty for core. */
  readonly group: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** `/api/v1/namespaces/a/pods/b/resize` → `patch`, `pods/resize`. Other paths are `other`, which bounds the number of label values. */
export function nameOf(request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers'>): RequestName {
  const found = findResource(request.path);
  if (found === undefined) return { verb: request.method.toLowerCase(), resource: 'other' };
  const { group, plural, name, subresource } = found;
  const base = group === '' ? plural : `${plural}.${group}`;
  return {
    verb: verbOf(request, name !== undefined),
    resource: subresource === undefined ? base : `${base}/${subresource}`,
  };
}

/** Segments stay encoded. */
export function findResource(path: string): ResourcePath | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const group = parts[0] === 'apis' ? (parts[1] ?? '') : '';
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : [];
  const scoped = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'finalize' && rest[2] !== 'status';
  const [plural, name, subresource] = scoped ? rest.slice(2) : rest;
  return plural === undefined ? undefined : { group, plural, namespace: scoped ? rest[1] : undefined, name, subresource };
}

function verbOf(request: Pick<ApiRequest, 'method' | 'query' | 'headers'>, named: boolean): string {
  switch (request.method) {
    case 'GET':
      if (request.query?.['watch'] !== undefined) return 'watch';
      return named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return request.headers?.['content-type'] === 'application/apply-patch+yaml' ? 'apply' : 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
  }
}
