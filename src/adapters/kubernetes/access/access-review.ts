import type { ApiRequest, ApiTransport } from '#kube/api-transport';
import { findResource, nameOf } from '../transport/request-names.ts';
import { ACCESS_REVIEWS, apiVersionOf, collectionPath } from '../resources.ts';
import { ApiFault, failureOf } from '../status.ts';
import { asObject, booleanAt, objectAt } from '../wire.ts';

/** Attributes of a SelfSubjectAccessReview. Without a namespace the review is of all namespaces. */
export interface AccessAttributes {
  readonly verb: string;
  /** Absent: the core group. */
  readonly group?: string;
  /** Plural. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** What the authorizer is asked about a request; undefined where it is of no resource. */
export function accessAttributesOf(request: ApiRequest): AccessAttributes | undefined {
  const path = findResource(request.path);
  if (path === undefined) return undefined;
  const { group, plural, namespace, subresource } = path;
  const { verb } = nameOf(request);
  const name = path.name ?? selectedName(request);
  return {
    // The server authorizes an apply as a patch.
    verb: verb === 'apply' ? 'patch' : verb,
    resource: plural,
    ...(group === '' ? {} : { group }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace: decodeURIComponent(namespace) }),
    ...(name === undefined ? {} : { name: decodeURIComponent(name) }),
  };
}

/** The authorizer takes a list or watch of one object by its name for a request of that name. */
function selectedName({ query }: ApiRequest): string | undefined {
  const selector = query?.['fieldSelector'];
  return typeof selector === 'string' ? /^metadata\.name=([^,]+)$/.exec(selector)?.[1] : undefined;
}

/** Whether RBAC allows the transport's identity this access. @throws ApiFault where the review fails */
export async function isAllowed(transport: ApiTransport, attributes: AccessAttributes, signal: AbortSignal | undefined): Promise<boolean> {
  const response = await transport.request({
    method: 'POST',
    path: collectionPath(ACCESS_REVIEWS, null),
    body: { apiVersion: apiVersionOf(ACCESS_REVIEWS), kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes: attributes } },
    ...(signal === undefined ? {} : { signal }),
  });
  const failure = failureOf(response);
  if (failure !== null) throw new ApiFault(`checking the permission to ${attributes.verb} ${attributes.resource}`, failure);
  return booleanAt(objectAt(asObject(response.body, 'access review'), 'status'), 'allowed');
}
