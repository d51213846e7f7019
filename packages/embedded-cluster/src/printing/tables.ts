import { isObject } from '#kube/json';
import type { Instant } from '#kube/units';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceDescriptor } from '../api/resource-descriptor.ts';
import { resourceId } from '../api/resource-descriptor.ts';
import { ageOf } from './ages.ts';
import type { Cell, Column } from './columns/column.ts';
import { AGE, NAME } from './columns/column.ts';
import { CORE_COLUMNS } from './columns/core-columns.ts';
import { GROUP_COLUMNS } from './columns/group-columns.ts';
import { WORKLOAD_COLUMNS } from './columns/workload-columns.ts';
import type { JsonPath } from './json-path.ts';

/** A column of a custom resource in `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date` (printed as an age). */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, greater values only with `-o wide`. */
  readonly priority: number;
  readonly values: JsonPath;
}

export type IncludeObject = 'None' | 'Metadata' | 'Object';

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

interface Layout {
  readonly definitions: readonly ColumnDefinition[];
  readonly cells: (object: KubeObject, now: Instant) => Cell[];
}

/**
 * A `meta.k8s.io/v1` Table of the objects, as kubectl prints them. `columns` are those of a custom resource; undefined or none gives the
 * columns of the built-in kind, or name and age when it has none. The caller adds the list's metadata.
 */
export function tableFor(
  descriptor: ResourceDescriptor,
  columns: readonly PrinterColumn[] | undefined,
  objects: readonly KubeObject[],
  now: Instant,
  includeObject: IncludeObject,
): Record<string, unknown> {
  const layout = columns === undefined || columns.length === 0 ? builtInLayout(descriptor) : customLayout(columns);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: layout.definitions,
    rows: objects.map((object) => ({ cells: layout.cells(object, now), ...shownObject(object, includeObject) })),
  };
}

function shownObject(object: KubeObject, include: IncludeObject): Record<string, unknown> {
  if (include === 'None') return {};
  if (include === 'Object') return { object };
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } };
}

const DEFAULT_COLUMNS: readonly Column[] = [NAME, AGE];

function builtInLayout(descriptor: ResourceDescriptor): Layout {
  const id = resourceId(descriptor);
  const columns = CORE_COLUMNS[id] ?? WORKLOAD_COLUMNS[id] ?? GROUP_COLUMNS[id] ?? DEFAULT_COLUMNS;
  return {
    definitions: columns.map(({ name, type, format = '', description, priority }) => ({ name, type, format, description, priority })),
    cells: (object, now) => columns.map((column) => column.cell(object, now)),
  };
}

function customLayout(columns: readonly PrinterColumn[]): Layout {
  const name = { name: NAME.name, type: NAME.type, format: 'name', description: NAME.description, priority: 0 };
  return {
    definitions: [name, ...columns.map(({ values: _, ...definition }) => definition)],
    cells: (object, now) => [object.metadata.name, ...columns.map((column) => customCell(column, object, now))],
  };
}

function customCell(column: PrinterColumn, object: KubeObject, now: Instant): Cell {
  const [value] = column.values(object);
  if (value === undefined || value === null) return null;
  switch (column.type) {
    case 'date':
      return ageOf(value, now);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return printed(value);
  }
}

/** A value in a column of type string: JSON for objects and lists. */
function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) || isObject(value) ? JSON.stringify(value) : String(value);
}
