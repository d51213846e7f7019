import type { Operation, OperationSpec, ParameterSpec, SortableList } from './operation.ts';
import { isMutation } from './operation.ts';
import { array, boolean, integer, oneOf, string, type Schema } from './schema.ts';

const NAME: Schema = string(undefined, {
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([-A-Za-z0-9._:]*[A-Za-z0-9])?$',
  examples: ['checkout'],
});

export const namespacePath: ParameterSpec = { name: 'ns', in: 'path', required: true, description: 'Namespace.', schema: NAME };
export const namePath: ParameterSpec = { name: 'name', in: 'path', required: true, description: 'Name of the workload.', schema: NAME };
export const nodePath: ParameterSpec = { name: 'name', in: 'path', required: true, description: 'Name of the node.', schema: NAME };

export const kindQuery: ParameterSpec = {
  name: 'kind',
  in: 'query',
  description: 'Kind of the workload (Deployment, StatefulSet, …). Required where two kinds share the name, else 409 `ambiguous_workload`.',
  schema: string(undefined, { minLength: 1, maxLength: 63, pattern: '^[A-Z][A-Za-z0-9]*$', examples: ['Deployment', 'StatefulSet'] }),
};

export const durationQuery = (fallback: string): ParameterSpec => ({
  name: 'duration',
  in: 'query',
  description: 'Length of the period up to the last complete step: one number with one unit (ms, s, m, h, d, w), from 5m to 90d.',
  schema: string(undefined, { pattern: '^[1-9][0-9]{0,11}(ms|s|m|h|d|w)$', default: fallback, examples: ['1h', '7d'] }),
});

export const stepQuery: ParameterSpec = {
  name: 'step',
  in: 'query',
  description:
    'Time between points, at least 15s and at most 2,000 points in total. Omitted: at most 400 points. History has one point every five minutes, so finer steps contain nulls.',
  schema: string(undefined, { pattern: '^[1-9][0-9]{0,11}(ms|s|m|h|d|w)$', examples: ['5m'] }),
};

export const dryRunQuery: ParameterSpec = {
  name: 'dryRun',
  in: 'query',
  description: 'Validate by a server-side dry run and answer the result that would follow; nothing changes and `meta.dryRun` is true.',
  schema: boolean(),
};

/** All query parameters of the operation, including those of lists and mutations. */
export function queryParametersOf(operation: Omit<Operation, 'access' | 'takesIfMatch'>): readonly ParameterSpec[] {
  const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return [
    ...declared,
    ...(operation.list === undefined ? [] : listParameters(operation.list)),
    ...(isMutation(operation) ? [dryRunQuery] : []),
  ];
}

export function pathParametersOf(operation: OperationSpec): readonly ParameterSpec[] {
  return (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
}

function listParameters(list: SortableList): readonly ParameterSpec[] {
  return [
    {
      name: 'limit',
      in: 'query',
      description: 'Items on one page.',
      schema: integer(undefined, { minimum: 1, maximum: 1000, default: 100 }),
    },
    {
      name: 'cursor',
      in: 'query',
      description: '`meta.nextCursor` of the previous page. Valid only with the same `sort`.',
      schema: string(undefined, { minLength: 1, maxLength: 4096 }),
    },
    {
      name: 'sort',
      in: 'query',
      description:
        'Field to sort by, descending with a leading `-`: any field with a single value. Levels such as `risk` sort from the lowest, texts by their first 200 characters. Unknown values are last in both directions.',
      schema: { ...oneOf(list.sort.flatMap((field) => [field, `-${field}`])), default: list.defaultSort },
    },
    {
      name: 'namespace',
      in: 'query',
      description: list.namespaced
        ? 'Only these namespaces. Repeatable.'
        : 'Accepted by every list; records of this one have no namespace, so a namespace matches none. Repeatable.',
      schema: array(NAME, undefined, { maxItems: 200 }),
    },
    {
      name: 'q',
      in: 'query',
      description: 'Case-insensitive substring of the name or namespace.',
      schema: string(undefined, { maxLength: 253 }),
    },
    ...(list.filters ?? []),
    {
      name: 'format',
      in: 'query',
      description:
        'The same rows as JSON or CSV. In CSV nested fields are dotted columns, lists and maps are JSON in one cell; header `X-Next-Cursor` has the cursor of the next page.',
      schema: { ...oneOf(['json', 'csv']), default: 'json' },
    },
  ];
}

/** A repeatable filter by an enumeration of the record. */
export function enumFilter(name: string, values: readonly string[], description: string): ParameterSpec {
  return { name, in: 'query', description: `${description} Repeatable.`, schema: array(oneOf(values), undefined, { maxItems: 50 }) };
}

/** A repeatable filter by a text field of the record. */
export function textFilter(name: string, description: string): ParameterSpec {
  return {
    name,
    in: 'query',
    description: `${description} Repeatable.`,
    schema: array(string(undefined, { minLength: 1, maxLength: 253 }), undefined, { maxItems: 50 }),
  };
}
