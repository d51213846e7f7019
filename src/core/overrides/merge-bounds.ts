// Merges a user's change of floors and ceilings with the bounds in the annotations of a workload.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { parseSensibleAmount } from '#kube/sensible-amount';
import { boundsOf, readBounds, type BoundsByContainer } from '../resize/policy/workload-overrides.ts';

/** Change of one container's bound; null removes a value. */
export type BoundPatch = { readonly cpu?: string | null; readonly memory?: string | null } | null;
/** Changes by container, `*` for all; null removes all. */
export type BoundsPatch = Readonly<Record<string, BoundPatch>> | null;

/** Change of a workload's bounds; absent: not changed. */
export interface BoundsChange {
  readonly floor?: BoundsPatch;
  readonly ceiling?: BoundsPatch;
}

/** A validation error. */
export interface Fault {
  /** JSON Pointer into the change. */
  readonly path: string;
  readonly message: string;
}

/** The annotations to write (null removes one), or the errors of the change or of the stored bounds. */
export type MergedBounds =
  | { readonly kind: 'merged'; readonly floor: string | null; readonly ceiling: string | null }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  /** A stored annotation is invalid, so that the change cannot be merged with it. */
  | { readonly kind: 'unreadable'; readonly problem: string };

type Side = 'floor' | 'ceiling';
type WrittenBounds = Readonly<Record<string, Readonly<Partial<Record<'cpu' | 'memory', string>>>>>;

const SIDES: readonly Side[] = ['floor', 'ceiling'];
const RESOURCES = ['cpu', 'memory'] as const;
const FIELD = { cpu: 'cpuMillicores', memory: 'memoryBytes' } as const;

/**
 * Merges a change. Values keep the user's notation. A bound for a container that is not in `containers` is refused, because it
 * would have no effect; removing one is always allowed.
 */
export function mergeBounds(
  annotations: Readonly<Record<string, string>>,
  change: BoundsChange,
  containers: ReadonlySet<string>,
): MergedBounds {
  const faults: Fault[] = [];
  const merged: Record<Side, WrittenBounds> = { floor: {}, ceiling: {} };
  for (const side of SIDES) {
    const stored = writtenBounds(WORKLOAD_ANNOTATIONS[side], annotations);
    if (typeof stored === 'string' && change[side] !== null) return { kind: 'unreadable', problem: stored };
    const patch = change[side];
    merged[side] = patch === null || typeof stored === 'string' ? {} : applyPatch(stored, patch ?? {}, side, containers, faults);
  }
  if (faults.length === 0) faults.push(...crossings(merged, change));
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { kind: 'merged', floor: textOf(merged.floor), ceiling: textOf(merged.ceiling) };
}

/** The bounds of an annotation, or why it is invalid. */
function writtenBounds(annotation: string, annotations: Readonly<Record<string, string>>): WrittenBounds | string {
  const text = annotations[annotation];
  if (text === undefined) return {};
  const problems: string[] = [];
  readBounds(annotation, text, problems);
  if (problems.length > 0) return problems.join('; ');
  const parsed = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  // A quantity may be a number; null means no bound.
  return Object.fromEntries(
    Object.entries(parsed).map(([container, bound]) => [
      container,
      Object.fromEntries(
        Object.entries(bound).flatMap(([resource, value]) =>
          typeof value === 'string' || typeof value === 'number' ? [[resource, String(value)]] : [],
        ),
      ),
    ]),
  );
}

function applyPatch(
  stored: WrittenBounds,
  patch: Readonly<Record<string, BoundPatch>>,
  side: Side,
  containers: ReadonlySet<string>,
  faults: Fault[],
): WrittenBounds {
  const merged = new Map(Object.entries(stored));
  for (const [container, bound] of Object.entries(patch)) {
    const path = `/${side}/${pointer(container)}`;
    if (bound === null) {
      merged.delete(container);
      continue;
    }
    const known = container === '*' || containers.has(container);
    const values: Partial<Record<'cpu' | 'memory', string>> = { ...merged.get(container) };
    for (const resource of RESOURCES) {
      const value = bound[resource];
      if (value === null) Reflect.deleteProperty(values, resource);
      if (value === undefined || value === null) continue;
      const problem = known ? amountProblem(resource, value) : null;
      if (problem !== null) faults.push({ path: `${path}/${resource}`, message: problem });
      values[resource] = value.trim();
    }
    const sets = RESOURCES.some((resource) => typeof bound[resource] === 'string');
    if (!known && sets) faults.push({ path, message: unknownContainer(container, containers) });
    if (Object.keys(values).length === 0) merged.delete(container);
    else merged.set(container, values);
  }
  return Object.fromEntries(merged);
}

function amountProblem(resource: 'cpu' | 'memory', value: string): string | null {
  const read = parseSensibleAmount(resource, value.trim());
  if (!read.ok) return read.message;
  return read.value > 0 ? null : 'must be greater than 0; null removes the bound';
}

function unknownContainer(container: string, containers: ReadonlySet<string>): string {
  const known = [...containers].sort().join(', ');
  return `'${container}' is not a container of this workload; ${known === '' ? 'no container is known yet' : `its containers are ${known}`}; * means all`;
}

/** Floors above ceilings, by resource, including stored bounds. */
function crossings(merged: Readonly<Record<Side, WrittenBounds>>, change: BoundsChange): readonly Fault[] {
  const floor = parsedBounds(merged.floor);
  const ceiling = parsedBounds(merged.ceiling);
  const faults: Fault[] = [];
  for (const container of new Set([...floor.keys(), ...ceiling.keys()])) {
    for (const resource of RESOURCES) {
      const [min, max] = [boundsOf(floor, container)[FIELD[resource]], boundsOf(ceiling, container)[FIELD[resource]]];
      if (min === null || max === null || min <= max) continue;
      const side = isSetBy(change, 'floor', container, resource) ? 'floor' : 'ceiling';
      const low = written(merged.floor, container, resource);
      const high = written(merged.ceiling, container, resource);
      const subject = container === '*' ? 'all containers' : `container ${container}`;
      const message = `the ${resource} floor ${low} of ${subject} would be above the ceiling ${high}; lower the floor or raise the ceiling`;
      faults.push({ path: `/${side}/${pointer(container)}/${resource}`, message });
    }
  }
  return faults;
}

function isSetBy(change: BoundsChange, side: Side, container: string, resource: 'cpu' | 'memory'): boolean {
  const patch = change[side] ?? {};
  return [container, '*'].some((name) => typeof patch[name]?.[resource] === 'string');
}

function written(bounds: WrittenBounds, container: string, resource: 'cpu' | 'memory'): string {
  return bounds[container]?.[resource] ?? bounds['*']?.[resource] ?? '';
}

function parsedBounds(bounds: WrittenBounds): BoundsByContainer {
  return readBounds('', JSON.stringify(bounds), []);
}

/** JSON with sorted keys, so that equal bounds are equal strings; null: no bounds. */
function textOf(bounds: WrittenBounds): string | null {
  const containers = Object.keys(bounds).sort();
  if (containers.length === 0) return null;
  const ordered = containers.map((name) => {
    const values = RESOURCES.flatMap((resource) => {
      const value = bounds[name]?.[resource];
      return value === undefined ? [] : [[resource, value] as const];
    });
    return [name, Object.fromEntries(values)] as const;
  });
  return JSON.stringify(Object.fromEntries(ordered));
}

function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
