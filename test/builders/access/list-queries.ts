// Many reads of one list: every sort field, every filter, page sizes, and cursors.

import type { Operation, ParameterSpec, SortableList } from '../../../src/server/openapi/operation.ts';
import { queryParametersOf } from '../../../src/server/openapi/parameters.ts';
import { OTHER_NAMESPACE, TARGET_NAMESPACE } from './callers.ts';

/** Texts that some object of some namespace matches. */
const TEXTS = ['Deployment', 'StatefulSet', 'shop', 'app', 'n-1', 'approval', 'evenkeel', 'pay-suite', 'shop-suite'];
/** Substrings of names: of the target namespace, of others, and of none. */
const SEARCHES = ['CHECK', 'ledger', 'pay', 'e', 'no-such-name'];
/** Namespaces that a caller may not read in some of the cases, and one that does not exist. */
export const NAMED_NAMESPACES = [
  [TARGET_NAMESPACE],
  [OTHER_NAMESPACE],
  ['no-such-namespace'],
  [TARGET_NAMESPACE, OTHER_NAMESPACE],
  [OTHER_NAMESPACE, 'no-such-namespace'],
];

/** Query strings without a namespace. */
export function listQueries(operation: Operation & { readonly list: SortableList }): readonly string[] {
  const { sort, defaultSort } = operation.list;
  const own = new Set(['limit', 'cursor', 'sort', 'namespace', 'q', 'format']);
  const filters = queryParametersOf(operation).filter(({ name }) => !own.has(name));
  return [
    '',
    'limit=1',
    'limit=1000',
    ...sort.map((field, index) => `sort=${index % 2 === 0 ? '' : '-'}${field}&limit=3`),
    ...SEARCHES.map((search) => `q=${search}`),
    ...filters.flatMap(valuesOf),
    // Positions before, among and after the items of other namespaces.
    ...['', 'pay/Deployment/risk-score', 'zzz'].map((id) => `cursor=${cursorOf(defaultSort, id)}&limit=2`),
    'cursor=no-cursor',
    'limit=0',
    'no-such-parameter=1',
  ];
}

/** Follows `meta.nextCursor` with this page size. */
export const PAGED = 'limit=2';

function valuesOf({ name, schema }: ParameterSpec): readonly string[] {
  const values = schema.items?.enum ?? (schema.type === 'array' ? TEXTS : name === 'duration' ? ['5m', '24h', '30d'] : []);
  return values.map((value) => `${name}=${encodeURIComponent(String(value))}`);
}

function cursorOf(sort: string, id: string): string {
  return Buffer.from(JSON.stringify([sort, null, id])).toString('base64url');
}
