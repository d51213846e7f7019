// Joins the sections into one OpenAPI 3.1 document, which `openapi.json` serves, `docs` renders, requests are validated by, tests check
// responses against, and types are generated from.

import { ACCESS, canCompare, type Access } from '../../application/index.ts';
import { ACCESS_OPERATIONS, ACCESS_SCHEMAS } from './sections/access-section.ts';
import { CLUSTER_OPERATIONS, CLUSTER_SCHEMAS } from './sections/cluster-section.ts';
import { IDLE_OPERATIONS, IDLE_SCHEMAS } from './sections/idle-section.ts';
import { LIMIT_EXCEPTION_OPERATIONS, LIMIT_EXCEPTION_SCHEMAS } from './sections/limit-exception-section.ts';
import type { ApiDocument } from './api-document.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { OVERRIDE_OPERATIONS, OVERRIDE_SCHEMAS } from './sections/override-section.ts';
import { POLICY_OPERATIONS, POLICY_SCHEMAS } from './sections/policy-section.ts';
import { RECOMMENDATION_OPERATIONS } from './sections/recommendation-operations.ts';
import { RECOMMENDATION_SCHEMAS } from './sections/recommendation-records.ts';
import { COMMON_SCHEMAS } from './sections/records-common.ts';
import { RESOURCE_AUDIT_OPERATIONS, RESOURCE_AUDIT_SCHEMAS } from './sections/resource-audit-section.ts';
import { SCALING_OPERATIONS, SCALING_SCHEMAS } from './sections/scaling-section.ts';
import { SYSTEM_OPERATIONS, SYSTEM_SCHEMAS } from './sections/system-section.ts';
import { scalarFields } from './sections/record-fields.ts';
import { array, object, ref, string, type Schema } from './schema.ts';

const SECTIONS: readonly OperationSpec[] = [
  ...CLUSTER_OPERATIONS,
  ...RECOMMENDATION_OPERATIONS,
  ...OVERRIDE_OPERATIONS,
  ...LIMIT_EXCEPTION_OPERATIONS,
  ...IDLE_OPERATIONS,
  ...POLICY_OPERATIONS,
  ...RESOURCE_AUDIT_OPERATIONS,
  ...SCALING_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SYSTEM_OPERATIONS,
];

export const COMPONENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...COMMON_SCHEMAS,
  ...CLUSTER_SCHEMAS,
  ...RECOMMENDATION_SCHEMAS,
  ...OVERRIDE_SCHEMAS,
  ...LIMIT_EXCEPTION_SCHEMAS,
  ...IDLE_SCHEMAS,
  ...POLICY_SCHEMAS,
  ...RESOURCE_AUDIT_SCHEMAS,
  ...SCALING_SCHEMAS,
  ...ACCESS_SCHEMAS,
  ...SYSTEM_SCHEMAS,
  Error: object(
    {
      code: string('Stable code in snake case.'),
      message: string('The problem and the remedy.'),
      details: array(ref('ErrorDetail')),
    },
    undefined,
    ['details'],
  ),
};

/** All endpoints of the dashboard API. */
export const OPERATIONS: readonly Operation[] = SECTIONS.map(withAccess);

const ERROR_RESPONSES: Readonly<Record<string, string>> = {
  '400': '`invalid_request`: a parameter or the body fails its schema; `details` lists every invalid field.',
  '401': '`unauthenticated`: authentication is enabled and the credentials are missing or invalid.',
  '403':
    '`forbidden`, `csrf_failed`, `api_key_read_only` (an API key on a change) or `session_required` (the call needs the session of an admin). Requests to reset or annotate workloads of `kube-system`, of Evenkeel’s own namespace and of namespaces that a PodResizePolicy excludes (and none selects) are forbidden to everyone.',
  '404': '`not_found`.',
  '405': '`method_not_allowed`, with `Allow`.',
  '409': '`conflict` or `ambiguous_workload`.',
  '413': '`payload_too_large`: the body is over 1 MiB.',
  '415': '`unsupported_media_type`: send application/json.',
  '422':
    '`rejected_by_cluster`: the API server, an admission webhook or a quota rejected the change. `not_feasible`: the change is not possible on this object. `no_grant`: the address has no grant.',
  '429': '`rate_limited`, with `Retry-After`.',
  '500': '`internal`.',
  '503': '`not_ready`, with `Retry-After`.',
};

/** The dashboard API, served under `/api/v1`. */
export const DASHBOARD_API: ApiDocument = {
  title: 'Evenkeel dashboard API',
  description:
    'CPU is in millicores, memory and storage in bytes, money in US dollars (a month has 730 hours), fractions are 0–1, times are RFC 3339 in UTC. Unknown values are null, never 0. Every JSON answer is `{ data, meta }`, an error is `{ data: null, error, meta }`. GETs have an ETag and support If-None-Match. Mutations support If-Match (the ETag of the object’s GET) and, on POST, Idempotency-Key.',
  basePath: '/api/v1',
  statusPath: '/api/v1/health',
  operations: OPERATIONS,
  schemas: COMPONENT_SCHEMAS,
  errorResponses: ERROR_RESPONSES,
};

/**
 * Adds the access that the query or command requires, and the sortable fields of a list.
 * @throws Error for an operation that is neither a query nor a command and has no `access`: it would be open
 */
export function withAccess(spec: OperationSpec): Operation {
  const access = (ACCESS as Readonly<Record<string, Access | undefined>>)[spec.id] ?? spec.access;
  if (access === undefined) throw new Error(`operation ${spec.id} is neither a query nor a command of the application, and has no access`);
  const { list, ...others } = spec;
  const endpoint = { ...others, access, takesIfMatch: canCompare(spec.id) };
  if (list === undefined) return endpoint;
  return { ...endpoint, list: { ...list, sort: scalarFields(spec.answer.data.items ?? {}, COMPONENT_SCHEMAS) } };
}
