// The overrides in a workload's annotations: bounds, mode, exclusion and hold.

import { MAX_ANNOTATION_LENGTH, OVERLONG_ANNOTATION, WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { RESIZE_MODES, type ResizeMode } from '../../../apis/conditions.ts';
import { isObject, parseJson } from '#kube/json';
import { parseSensibleAmount } from '#kube/sensible-amount';
import { withDefaults, type OptionalResources, type ResourceName } from '#kube/records/resources';
import { UNSET_RESOURCES } from '#kube/records/resources';
import type { Instant } from '#kube/units';

/** Bounds by container name; `*` applies to all others. */
export type BoundsByContainer = ReadonlyMap<string, OptionalResources>;

export interface WorkloadOverrides {
  /** null: the policy's. */
  readonly mode: ResizeMode | null;
  readonly excluded: boolean;
  /** No automatic change before this time; null: no hold. */
  readonly heldUntil: Instant | null;
  readonly floor: BoundsByContainer;
  readonly ceiling: BoundsByContainer;
  /** Invalid annotations, each with its name and the remedy. While there is any, nothing is changed. */
  readonly problems: readonly string[];
  /** An annotation other than the floor is invalid, so raises may be forbidden. Absent: false. */
  readonly mayForbidRaises?: boolean;
}

/** Problems are shown in a status, an Event and a log line. */
const MAX_PROBLEMS = 6;
const ANNOTATIONS = (['floor', 'ceiling', 'mode', 'exclude', 'heldUntil'] as const).map((name) => WORKLOAD_ANNOTATIONS[name]);
const NO_ANNOTATIONS = readPresent({});

/** Reads the annotations of a workload; the same object for all workloads without them. */
export function readOverrides(annotations: Readonly<Record<string, string>>): WorkloadOverrides {
  return ANNOTATIONS.some((name) => annotations[name] !== undefined) ? readPresent(annotations) : NO_ANNOTATIONS;
}

function readPresent(annotations: Readonly<Record<string, string>>): WorkloadOverrides {
  const problems: string[] = [];
  const name = WORKLOAD_ANNOTATIONS;
  const floor = readBounds(name.floor, annotations[name.floor], problems);
  const ofFloor = problems.length;
  const ceiling = readBounds(name.ceiling, annotations[name.ceiling], problems);
  const mode = readMode(annotations[name.mode], problems);
  const excluded = readExclude(annotations[name.exclude], problems);
  const heldUntil = readTime(annotations[name.heldUntil], problems);
  const mayForbidRaises = problems.length > ofFloor;
  for (const container of new Set([...floor.keys(), ...ceiling.keys()])) {
    const low = boundsOf(floor, container);
    const high = boundsOf(ceiling, container);
    for (const field of ['cpuMillicores', 'memoryBytes'] as const) {
      const [least, greatest] = [low[field], high[field]];
      if (least !== null && greatest !== null && least > greatest) {
        problems.push(
          `${name.floor}: the floor of '${shown(container)}' is above its ceiling in ${name.ceiling}; lower one or raise the other`,
        );
      }
    }
  }
  return {
    mode,
    excluded,
    heldUntil,
    floor,
    ceiling,
    problems:
      problems.length <= MAX_PROBLEMS ? problems : [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more`],
    ...(mayForbidRaises ? { mayForbidRaises } : {}),
  };
}

const MAX_SHOWN = 63;

/** Shortens text for a message: an annotation may have a quarter of a megabyte. */
function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The bounds of one container, else those of `*`, for each resource separately. */
export function boundsOf(bounds: BoundsByContainer, container: string): OptionalResources {
  const named = bounds.get(container) ?? UNSET_RESOURCES;
  const all = bounds.get('*') ?? UNSET_RESOURCES;
  return withDefaults(named, all);
}

function readMode(text: string | undefined, problems: string[]): ResizeMode | null {
  if (text === undefined) return null;
  const mode = RESIZE_MODES.find((known) => known.toLowerCase() === text.trim().toLowerCase());
  if (mode === undefined) problems.push(`${WORKLOAD_ANNOTATIONS.mode}: '${shown(text)}' is none of ${RESIZE_MODES.join(', ')}`);
  return mode ?? null;
}

function readExclude(text: string | undefined, problems: string[]): boolean {
  const word = text?.trim().toLowerCase() ?? '';
  if (!['true', 'false', ''].includes(word)) {
    problems.push(`${WORKLOAD_ANNOTATIONS.exclude}: '${shown(text ?? '')}' is invalid; write "true" to exclude the workload, or "false"`);
  }
  return word === 'true';
}

function readTime(text: string | undefined, problems: string[]): Instant | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(at)) return at;
  problems.push(`${WORKLOAD_ANNOTATIONS.heldUntil}: '${shown(text)}' is not a time; write RFC 3339 such as 2026-11-21T10:00:00Z`);
  return null;
}

/** Reads the bounds of one annotation; messages about invalid values are added to `problems`. */
export function readBounds(annotation: string, text: string | undefined, problems: string[]): BoundsByContainer {
  const bounds = new Map<string, OptionalResources>();
  if (text === undefined) return bounds;
  if (text === OVERLONG_ANNOTATION) {
    problems.push(
      `${annotation}: the value is longer than ${MAX_ANNOTATION_LENGTH} characters; shorten it, such as by \`*\` for all containers`,
    );
    return bounds;
  }
  const wanted = `${annotation}: write JSON by container, such as {"*":{"cpu":"250m","memory":"256Mi"}}`;
  const value = parseJson(text);
  if (!isObject(value)) {
    problems.push(`${wanted}; this is ${value === undefined ? 'not JSON' : 'not an object'}`);
    return bounds;
  }
  for (const [container, entry] of Object.entries(value)) {
    if (!isObject(entry)) {
      problems.push(`${wanted}; '${shown(container)}' is not an object`);
      continue;
    }
    for (const key of Object.keys(entry)) {
      if (key !== 'cpu' && key !== 'memory')
        problems.push(`${annotation}: '${shown(container)}.${shown(key)}' is unknown; only cpu and memory are supported`);
    }
    bounds.set(container, {
      cpuMillicores: readAmount(`${annotation}: '${shown(container)}.cpu'`, entry['cpu'], 'cpu', problems),
      memoryBytes: readAmount(`${annotation}: '${shown(container)}.memory'`, entry['memory'], 'memory', problems),
    });
  }
  return bounds;
}

function readAmount(path: string, value: unknown, resource: ResourceName, problems: string[]): number | null {
  if (value === undefined || value === null) return null;
  const outcome = typeof value === 'string' || typeof value === 'number' ? parseSensibleAmount(resource, value) : null;
  if (outcome?.ok === true) return outcome.value;
  problems.push(`${path}: ${outcome?.message ?? 'write a quantity such as 250m or 256Mi'}`);
  return null;
}
