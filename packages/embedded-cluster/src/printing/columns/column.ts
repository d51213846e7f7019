import { isObject } from '#kube/json';
import type { LabelSelector } from '#kube/label-selector';
import type { Instant } from '#kube/units';
import type { KubeObject } from '../../api/kube-object.ts';
import { ageOf } from '../ages.ts';

export type Cell = string | number | boolean | null;
export type Fields = Readonly<Record<string, unknown>>;

/** A column of a built-in kind, as data. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide` alone. */
  readonly priority: 0 | 1;
  readonly cell: (object: KubeObject, now: Instant) => Cell;
}

type CellOf = Column['cell'];

export function text(name: string, description: string, cell: CellOf): Column {
  return { name, type: 'string', description, priority: 0, cell };
}

export function count(name: string, description: string, cell: CellOf): Column {
  return { name, type: 'integer', description, priority: 0, cell };
}

/** Shown with `-o wide` alone. */
export function wide(name: string, description: string, cell: CellOf): Column {
  return { name, type: 'string', description, priority: 1, cell };
}

export const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique in its namespace.',
  priority: 0,
  cell: (object) => object.metadata.name,
};

export const AGE: Column = text('Age', 'Time since the object was created.', (object, now) =>
  ageOf(object.metadata.creationTimestamp, now),
);

export const CREATED_AT: Column = text('Created At', 'When the object was created.', (object) => object.metadata.creationTimestamp);

/** The object at a path of fields; empty where there is none. */
export function fieldsAt(object: unknown, ...path: readonly string[]): Fields {
  const value = valueAt(object, ...path);
  return isObject(value) ? value : {};
}

export function itemsAt(object: unknown, ...path: readonly string[]): readonly Fields[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringsAt(object: unknown, ...path: readonly string[]): readonly string[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object);
}

/** Text of a scalar; `otherwise` (by default nothing) where there is none. */
export function textAt(object: unknown, path: readonly string[], otherwise = ''): string {
  const value = valueAt(object, ...path);
  if (typeof value === 'string') return value === '' ? otherwise : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise;
}

/** A count; 0 where there is none. */
export function numberAt(object: unknown, ...path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

/** A list in one cell: `a,b,c + 2 more...`. */
export function listed(items: readonly string[], most = Infinity, separator = ','): string {
  if (items.length === 0) return '<none>';
  const shown = items.slice(0, most).join(separator);
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}

/** Labels as a selector: `a=b,c=d`. */
export function labelsText(labels: Fields): string {
  return listed(
    Object.keys(labels)
      .sort()
      .map((key) => `${key}=${String(labels[key])}`),
  );
}

/** A label selector in words: `app=web,tier in (a,b),!old`. */
export function selectorText(selector: unknown): string {
  const { matchLabels = {}, matchExpressions = [] }: Partial<LabelSelector> = isObject(selector) ? selector : {};
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}=${String(matchLabels[key])}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return listed([...labels, ...expressions]);
}

/** Names and images of the containers of a pod template, for the wide columns of workloads. */
export function containerColumns(...template: readonly string[]): readonly Column[] {
  const containers = (object: KubeObject): readonly Fields[] => itemsAt(object, ...template, 'spec', 'containers');
  return [
    wide('Containers', 'Names of the containers in the template.', (object) =>
      containers(object)
        .map((each) => textAt(each, ['name']))
        .join(','),
    ),
    wide('Images', 'Images of the containers in the template.', (object) =>
      containers(object)
        .map((each) => textAt(each, ['image']))
        .join(','),
    ),
  ];
}
