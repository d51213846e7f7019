// Floors and ceilings after a user's change: the bounds on the workload, merged with the change.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { boundsOf, readBounds, type BoundsByContainer } from '../resize/policy/workload-overrides.ts';

/** One container's bound as it is written; null takes a value away. */
export type BoundPatch = { readonly cpu?: string | null; readonly memory?: string | null } | null;
/** By container, `*` for all; null takes every container's away. */
export type BoundsPatch = Readonly<Record<string, BoundPatch>> | null;

export interface BoundsChange {
  readonly floor?: BoundsPatch;
  readonly ceiling?: BoundsPatch;
}

export interface Fault {
  /** JSON Pointer into the change. */
  readonly path: string;
  readonly message: string;
}

/** The annotations to write (null removes one), or what is wrong with the change or with the stored bounds. */
export type MergedBounds =
  | { readonly kind: 'merged'; readonly floor: string | null; readonly ceiling: string | null }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  /** An annotation that was edited by hand cannot be read, so nothing can be merged with it. */
  | { readonly kind: 'unreadable'; readonly problem: string };

type Side = 'floor' | 'ceiling';
type WrittenBounds = Readonly<Record<string, Readonly<Partial<Record<'cpu' | 'memory', string>>>>>;

const SIDES: readonly Side[] = ['floor', 'ceiling'];
const RESOURCES = ['cpu', 'memory'] as const;
const PARSE = { cpu: parseCpuMillicores, memory: parseMemoryBytes } as const;
const FIELD = { cpu: 'cpuMillicores', memory: 'memoryBytes' } as const;

/**
 * Values keep the spelling that the person gave them. `containers` are those that the workload is known to have: a bound
 * for another would never act, so it is refused; taking one away is always allowed.
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
    merged[side] = patch === null || typeof stored === 'string' ? {} : laidOver(stored, patch ?? {}, side, containers, faults);
  }
  if (faults.length === 0) faults.push(...crossings(merged, change));
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { kind: 'merged', floor: textOf(merged.floor), ceiling: textOf(merged.ceiling) };
}

/** The bounds of an annotation, or a message why they cannot be read. */
function writtenBounds(annotation: string, annotations: Readonly<Record<string, string>>): WrittenBounds | string {
  const text = annotations[annotation];
  if (text === undefined) return {};
  const problems: string[] = [];
  readBounds(annotation, text, problems);
  if (problems.length > 0) return problems.join('; ');
  const parsed = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  // A quantity may be written as a number, and null means none.
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

function laidOver(
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
  const read = PARSE[resource](value.trim());
  if (!read.ok) return read.message;
  return read.value > 0 ? null : 'must be greater than 0; null takes the bound away';
}

function unknownContainer(container: string, containers: ReadonlySet<string>): string {
  const known = [...containers].sort().join(', ');
  return `'${container}' is not a container of this workload; ${known === '' ? 'none is known yet' : `there are ${known}`}, and * means all`;
}

/** Floors above ceilings, each resource by itself, stored bounds included. */
function crossings(merged: Readonly<Record<Side, WrittenBounds>>, change: BoundsChange): readonly Fault[] {
  const floor = parsedBounds(merged.floor);
  const ceiling = parsedBounds(merged.ceiling);
  const faults: Fault[] = [];
  for (const container of new Set([...floor.keys(), ...ceiling.keys()])) {
    for (const resource of RESOURCES) {
      const [least, greatest] = [boundsOf(floor, container)[FIELD[resource]], boundsOf(ceiling, container)[FIELD[resource]]];
      if (least === null || greatest === null || least <= greatest) continue;
      const side = setBy(change, 'floor', container, resource) ? 'floor' : 'ceiling';
      const low = written(merged.floor, container, resource);
      const high = written(merged.ceiling, container, resource);
      const of = container === '*' ? 'all containers' : `container ${container}`;
      const message = `of ${of} the ${resource} floor ${low} would be above the ceiling ${high}; lower the floor or raise the ceiling`;
      faults.push({ path: `/${side}/${pointer(container)}/${resource}`, message });
    }
  }
  return faults;
}

function setBy(change: BoundsChange, side: Side, container: string, resource: 'cpu' | 'memory'): boolean {
  const patch = change[side] ?? {};
  return [container, '*'].some((name) => typeof patch[name]?.[resource] === 'string');
}

function written(bounds: WrittenBounds, container: string, resource: 'cpu' | 'memory'): string {
  return bounds[container]?.[resource] ?? bounds['*']?.[resource] ?? '';
}

function parsedBounds(bounds: WrittenBounds): BoundsByContainer {
  return readBounds('', JSON.stringify(bounds), []);
}

/** Containers and resources in one order: the same bounds are the same text. */
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
