import type { ApiTransport } from '#kube/api-transport';
import { ACCESS_REVIEWS, apiVersionOf, collectionPath } from './resources.ts';
import { ApiFault, failureOf } from './status.ts';
import { asObject, booleanAt, objectAt } from './wire.ts';

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
