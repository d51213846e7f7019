import type { ResourceDescriptor } from '../../api/resource-descriptor.ts';

type Json = Record<string, unknown>;

const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const STRATEGIC = 'application/strategic-merge-patch+json';
const RESPONSES = { '200': { description: 'OK' } };

const DRY_RUN = query('dryRun', 'string', 'All: nothing is stored.');
const FIELD_MANAGER = query('fieldManager', 'string', 'Who makes the change.');
const FIELD_VALIDATION = query('fieldValidation', 'string', 'What happens to unknown fields: Ignore, Warn or Strict.');
const FORCE = query('force', 'boolean', 'Take fields over from other managers.');
const LIST_PARAMETERS = [
  query('labelSelector', 'string', 'Labels that objects must have.'),
  query('fieldSelector', 'string', 'Fields that objects must have.'),
  query('limit', 'integer', 'The most objects in one answer.'),
  query('continue', 'string', 'Where the last answer ended.'),
  query('watch', 'boolean', 'Send changes as they happen.'),
  query('resourceVersion', 'string', 'The version to begin at.'),
];

/** Operations whose verb is in the descriptor: HTTP method, verb, action as Kubernetes names it, query parameters. */
const ON_COLLECTION: readonly Operation[] = [
  { method: 'get', verb: 'list', action: 'list', parameters: LIST_PARAMETERS },
  { method: 'post', verb: 'create', action: 'post', parameters: [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION] },
  { method: 'delete', verb: 'deletecollection', action: 'deletecollection', parameters: [DRY_RUN, ...LIST_PARAMETERS] },
];
const ON_OBJECT: readonly Operation[] = [
  { method: 'get', verb: 'get', action: 'get', parameters: [] },
  { method: 'put', verb: 'update', action: 'put', parameters: [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION] },
  { method: 'patch', verb: 'patch', action: 'patch', parameters: [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION, FORCE] },
  { method: 'delete', verb: 'delete', action: 'delete', parameters: [DRY_RUN] },
];

interface Operation {
  readonly method: string;
  readonly verb: string;
  readonly action: string;
  readonly parameters: readonly Json[];
}

export interface DescribedResource {
  readonly descriptor: ResourceDescriptor;
  /** `#/components/schemas/…`. */
  readonly schemaReference: string;
  readonly isBuiltIn: boolean;
}

/** OpenAPI 3.0 paths of one resource, with the extensions by which kubectl finds the kind behind a path. */
export function pathsOfResource(root: string, resource: DescribedResource): Json {
  const { descriptor } = resource;
  const collection = `${root}/${descriptor.namespaced ? 'namespaces/{namespace}/' : ''}${descriptor.plural}`;
  const object = `${collection}/{name}`;
  const paths: Json = {
    [collection]: pathItem(ON_COLLECTION, resource, descriptor.namespaced ? ['namespace'] : []),
    [object]: pathItem(ON_OBJECT, resource, descriptor.namespaced ? ['name', 'namespace'] : ['name']),
  };
  if (descriptor.subresources.includes('status'))
    paths[`${object}/status`] = pathItem(
      ON_OBJECT.filter(({ method }) => method !== 'delete'),
      resource,
      descriptor.namespaced ? ['name', 'namespace'] : ['name'],
    );
  return paths;
}

function pathItem(operations: readonly Operation[], resource: DescribedResource, inPath: readonly string[]): Json {
  const item: Json = { parameters: inPath.map(pathParameter) };
  for (const operation of operations)
    if (resource.descriptor.verbs.includes(operation.verb)) item[operation.method] = describe(operation, resource);
  return item;
}

function describe(operation: Operation, resource: DescribedResource): Json {
  const { group, version, kind } = resource.descriptor;
  return {
    parameters: operation.parameters,
    ...body(operation.method, resource),
    responses: RESPONSES,
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function body(method: string, resource: DescribedResource): Json {
  const schema = { $ref: resource.schemaReference };
  if (method === 'post' || method === 'put') return { requestBody: { required: true, content: { 'application/json': { schema } } } };
  if (method !== 'patch') return {};
  // Custom resources have no merge keys that a client could know, and so no strategic merge.
  const types = resource.isBuiltIn ? [...PATCH_TYPES, STRATEGIC] : PATCH_TYPES;
  return { requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }])) } };
}

function query(name: string, type: string, description: string): Json {
  return { name, in: 'query', description, schema: { type } };
}

function pathParameter(name: string): Json {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}
