// Custom resources, published as Kubernetes publishes them.

import type { ResourceDescriptor } from '../../api/resource-descriptor.ts';
import { COMPONENTS, type PublishedSchema } from './published-schema.ts';
import type { StructuralSchema } from '../structural-schema.ts';

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const TYPE_META: Readonly<Record<string, PublishedSchema>> = {
  apiVersion: {
    type: 'string',
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
  },
  kind: {
    type: 'string',
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
  },
};
const OBJECT_METADATA: PublishedSchema = {
  allOf: [{ $ref: `${COMPONENTS}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }],
  description: `Standard object's metadata. More info: ${CONVENTIONS}#metadata`,
};
const LIST_METADATA: PublishedSchema = {
  allOf: [{ $ref: `${COMPONENTS}io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta` }],
  description: `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`,
};

/** The definition's schema, with the fields that every object has. */
export function publishedCustom({ group, version, kind }: ResourceDescriptor, schema: StructuralSchema | undefined): PublishedSchema {
  const { properties, ...described } = publishedForm(schema ?? { type: 'object' });
  return {
    ...described,
    properties: { ...properties, ...TYPE_META, metadata: OBJECT_METADATA },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

/** The list of a resource that has none among the published schemas. */
export function publishedList({ group, version, kind, listKind, schemaName }: ResourceDescriptor): PublishedSchema {
  return {
    type: 'object',
    description: `${listKind} is a list of ${kind}`,
    required: ['items'],
    properties: {
      ...TYPE_META,
      metadata: LIST_METADATA,
      items: { type: 'array', description: `List of ${kind}. More info: ${CONVENTIONS}`, items: { $ref: `${COMPONENTS}${schemaName}` } },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
}

/** Clients that do not know the extensions of structural schemas get their meaning in OpenAPI's own words, too. */
function publishedForm(schema: StructuralSchema): PublishedSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  return {
    ...(rest as PublishedSchema),
    ...(isUntypedChoice(schema) ? { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] } : {}),
    ...(schema.type === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true ? { type: 'object' } : {}),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, publishedForm(field)])) }),
    ...(items === undefined ? {} : { items: publishedForm(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typeof additionalProperties === 'object' ? publishedForm(additionalProperties) : additionalProperties }),
  };
}

function isUntypedChoice(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined;
}
