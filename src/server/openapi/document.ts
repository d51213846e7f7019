// Joins the sections into one OpenAPI 3.1 document: what `openapi.json` serves, `docs` renders, requests are validated by,
// responses are checked against in tests, and types are generated from.

import { CLUSTER_OPERATIONS, CLUSTER_SCHEMAS } from './cluster-section.ts';
import { IDLE_OPERATIONS, IDLE_SCHEMAS } from './idle-section.ts';
import { LIMIT_EXCEPTION_OPERATIONS, LIMIT_EXCEPTION_SCHEMAS } from './limit-exception-section.ts';
import { isMutation, type OperationSpec, type ParameterSpec } from './operation.ts';
import { OVERRIDE_OPERATIONS, OVERRIDE_SCHEMAS } from './override-section.ts';
import { pathParametersOf, queryParametersOf } from './parameters.ts';
import { POLICY_OPERATIONS, POLICY_SCHEMAS } from './policy-section.ts';
import { RECOMMENDATION_OPERATIONS } from './recommendation-operations.ts';
import { RECOMMENDATION_SCHEMAS } from './recommendation-records.ts';
import { COMMON_SCHEMAS } from './records-common.ts';
import { RESOURCE_AUDIT_OPERATIONS, RESOURCE_AUDIT_SCHEMAS } from './resource-audit-section.ts';
import { SCALING_OPERATIONS, SCALING_SCHEMAS } from './scaling-section.ts';
import { SYSTEM_OPERATIONS, SYSTEM_SCHEMAS } from './system-section.ts';
import { array, boolean, integer, number, object, ref, string, time, type Schema } from './schema.ts';

/** Every endpoint of the dashboard API. */
export const OPERATIONS: readonly OperationSpec[] = [
  ...CLUSTER_OPERATIONS,
  ...RECOMMENDATION_OPERATIONS,
  ...OVERRIDE_OPERATIONS,
  ...LIMIT_EXCEPTION_OPERATIONS,
  ...IDLE_OPERATIONS,
  ...POLICY_OPERATIONS,
  ...RESOURCE_AUDIT_OPERATIONS,
  ...SCALING_OPERATIONS,
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
  ...SYSTEM_SCHEMAS,
  Error: object(
    {
      code: string('Stable word, lower snake case.'),
      message: string('What is wrong and what to do.'),
      details: array(ref('ErrorDetail')),
    },
    undefined,
    ['details'],
  ),
};

const META_FIELDS: Readonly<Record<string, Schema>> = {
  total: integer('Items that matched before paging; 1 for one object, 0 for none.'),
  timestamp: time('Now, on the clock that the data lives by.'),
  requestId: string('Also the header X-Request-Id.'),
  nextCursor: string('Continues the list; absent on the last page.'),
  cachedAt: time('When the cache that answered was filled.'),
  dataAge: number('Seconds since the informers and the usage source last confirmed what is served.'),
  stale: boolean('True once dataAge passes 120 s.'),
  warnings: array(ref('Warning')),
  dryRun: boolean('Nothing was changed.'),
};
const OPTIONAL_META = ['nextCursor', 'cachedAt', 'dataAge', 'stale', 'warnings', 'dryRun'];

/** Schema of `meta`, with the summary of the operation where it has one. */
export function metaSchema(summary?: Schema): Schema {
  return object({ ...META_FIELDS, ...(summary === undefined ? {} : { summary }) }, undefined, OPTIONAL_META);
}

/** Schema of a successful JSON answer: the envelope around `data`. */
export function envelopeSchema(operation: OperationSpec): Schema {
  return object({ data: operation.answer.data, meta: metaSchema(operation.answer.summary) });
}

/** Schema of every error answer. */
export const ERROR_ENVELOPE: Schema = object({ data: { type: 'null' }, meta: metaSchema(), error: ref('Error') });

const ERROR_RESPONSES: Readonly<Record<string, string>> = {
  '400': '`invalid_request`: a parameter or the body fails its schema; `details` names every failing field.',
  '401': '`unauthenticated`: authentication is on and no valid credential came.',
  '403':
    '`forbidden` or `csrf_failed`. Requests to reset or annotate workloads of `kube-system`, of Evenkeel’s own namespace and of namespaces that a PodResizePolicy excludes (and none selects) are forbidden to everyone.',
  '404': '`not_found`.',
  '405': '`method_not_allowed`, with `Allow`.',
  '409': '`conflict` or `ambiguous_workload`.',
  '413': '`payload_too_large`: the body is over 1 MiB.',
  '415': '`unsupported_media_type`: send application/json.',
  '422':
    '`rejected_by_cluster`: the API server, an admission webhook or a quota said no. `not_feasible`: understood, and it cannot be done to this object.',
  '429': '`rate_limited`, with `Retry-After`.',
  '500': '`internal`.',
  '503': '`not_ready`, with `Retry-After`.',
};

const header = (name: string, description: string): Readonly<Record<string, object>> => ({ [name]: { description, schema: string() } });
const REQUEST_ID = header('X-Request-Id', 'The same as `meta.requestId`.');
const ETAG = header('ETag', 'For `If-None-Match`, and for `If-Match` of the object’s mutations.');
const NEXT_CURSOR = header('X-Next-Cursor', 'With `format=csv`: the same as `meta.nextCursor` of the JSON; absent on the last page.');
const RETRY_AFTER = header('Retry-After', 'Seconds to wait.');
const ERROR_HEADERS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  '405': header('Allow', 'The methods that are served there.'),
  '429': RETRY_AFTER,
  '503': RETRY_AFTER,
};

/** The whole description. `version` is that of the product. */
export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    (paths[operation.path] ??= {})[operation.method] = describeOperation(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evenkeel dashboard API',
      version,
      description:
        'CPU is in millicores, memory and storage in bytes, money in US dollars (a month has 730 hours), fractions are 0–1, times are RFC 3339 in UTC. What is not known is null, never 0. Every JSON answer is `{ data, meta }`, an error is `{ data: null, error, meta }`. GETs carry an ETag and honour If-None-Match. Mutations honour If-Match (an ETag of the object’s own GET) and, on POST, Idempotency-Key.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(OPERATIONS.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...COMPONENT_SCHEMAS, Meta: metaSchema(), ErrorEnvelope: ERROR_ENVELOPE },
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).map(([status, description]) => [
          `Error${status}`,
          {
            description,
            headers: { ...REQUEST_ID, ...ERROR_HEADERS[status] },
            content: { 'application/json': { schema: ref('ErrorEnvelope') } },
          },
        ]),
      ),
    },
  };
}

function describeOperation(operation: OperationSpec): Readonly<Record<string, unknown>> {
  const { answer } = operation;
  const schema = answer.raw === undefined ? envelopeSchema(operation) : answer.data;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.title,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    'x-evenkeel-access': operation.access,
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation), ...headersOf(operation)].map(describeParameter),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: !isOptionalBody(operation), content: { 'application/json': { schema: operation.body } } } }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: {
          ...REQUEST_ID,
          ...(operation.method === 'get' && answer.raw !== 'text/event-stream' ? ETAG : {}),
          ...(operation.list === undefined ? {} : NEXT_CURSOR),
        },
        content: {
          [answer.raw ?? 'application/json']: { schema },
          ...(operation.list === undefined ? {} : { 'text/csv': { schema: string() } }),
        },
      },
      ...(operation.method === 'get'
        ? { '304': { description: 'Not modified since the ETag in If-None-Match.', headers: { ...REQUEST_ID, ...ETAG } } }
        : {}),
      ...Object.fromEntries(errorsOf(operation).map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  };
}

/** A body may be left out where every field of it is optional. */
export function isOptionalBody(operation: OperationSpec): boolean {
  if (operation.body === undefined) return true;
  const name = operation.body.$ref?.split('/').at(-1);
  const schema = name === undefined ? operation.body : COMPONENT_SCHEMAS[name];
  return (schema?.required ?? []).length === 0 && (schema?.minProperties ?? 0) === 0;
}

function headersOf(operation: OperationSpec): readonly HeaderSpec[] {
  if (!isMutation(operation))
    return [{ name: 'If-None-Match', in: 'header', description: '304 where it still matches.', schema: string() }];
  return [
    ...(operation.takesIfMatch === false
      ? []
      : [
          {
            name: 'If-Match',
            in: 'header',
            description: 'ETag of the object’s own GET; 409 where it has changed since.',
            schema: string(),
          } as const,
        ]),
    ...(operation.method === 'post'
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'The same request with the same key within 24 hours is not carried out twice; another body with it is a 409.',
            schema: string(),
          } as const,
        ]
      : []),
  ];
}

interface HeaderSpec extends Omit<ParameterSpec, 'in'> {
  readonly in: 'header';
}

function describeParameter(parameter: ParameterSpec | HeaderSpec): Readonly<Record<string, unknown>> {
  const repeated = parameter.schema.type === 'array' ? { style: 'form', explode: true } : {};
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required === true,
    description: parameter.description,
    schema: parameter.schema,
    ...repeated,
  };
}

function errorsOf(operation: OperationSpec): readonly string[] {
  const always = ['400', '401', '403', '405', '429', '500', '503'];
  const named = operation.path.includes('{') ? ['404', '409'] : [];
  const mutation = isMutation(operation) ? ['404', '409', '413', '415', '422'] : [];
  return [...new Set([...always, ...named, ...mutation])].sort();
}
