/** A request's resource, by the conventions of Kubernetes paths. */
export interface RequestPath {
  /** `pods`, `deployments.apps` */
  readonly resource: string;
  readonly namespace: string | null;
  /** null: a collection. */
  readonly name: string | null;
  readonly subresource: string | null;
}

const PATH = /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** null: no path of a resource. */
export function readRequestPath(pathname: string): RequestPath | null {
  const match = PATH.exec(pathname);
  if (match === null) return null;
  const [, group, namespace, plural = '', name, subresource] = match;
  return {
    resource: group === undefined ? plural : `${plural}.${group}`,
    namespace: decoded(namespace),
    name: decoded(name),
    subresource: subresource ?? null,
  };
}

function decoded(part: string | undefined): string | null {
  return part === undefined ? null : decodeURIComponent(part);
}
