// What is remembered of a workload that is idle, and of the last time that it was. Written down before anything is changed,
// so that a crash between any two steps loses no natural size.

import type { RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '../model/iso-time.ts';
import { UNSET_RESOURCES, type RequestsAndLimits } from '../model/resources.ts';
import { SECOND_MS, type DurationMs, type Instant } from '../model/units.ts';
import { readRequestsAndLimits, writeQuantities } from '../recommendations/quantities.ts';

/** Requests and limits by container. */
export type Sizes = ReadonlyMap<string, RequestsAndLimits>;

export interface IdleMemory {
  readonly since: Instant;
  /** What it had, and is given back. */
  readonly natural: Sizes;
  /** Requests while it is idle; limits are left out: they stay. */
  readonly sizes: Sizes;
  /** What is recommended at least for a while after it wakes. */
  readonly floor: Sizes;
  /** How long it had been awake since `floor` was taken. */
  readonly awakeMs: DurationMs;
  /** Replicas before it was made small. */
  readonly replicas: number;
  /** Replicas while it is idle; null: as they were. */
  readonly idleReplicas: number | null;
  /** Scaled by its minReplicas in place of the replicas; null: there is no autoscaler, or it was left alone. */
  readonly autoscaler: { readonly name: string; readonly minReplicas: number } | null;
  /** The idle replicas (or minReplicas) have been seen in force: whoever moves them from there means it. */
  readonly scaled: boolean;
  /** Being brought back; null: it sleeps. */
  readonly waking: { readonly since: Instant; readonly because: string; readonly by: 'load' | 'other' } | null;
  readonly wakesOn: string;
}

export interface LastIdle {
  readonly since: Instant;
  readonly wokenAt: Instant;
  readonly because: string;
  /** In a row. */
  readonly shortNaps: number;
  /** Awake since `floor` was taken, up to `wokenAt`. */
  readonly awakeMs: DurationMs;
  readonly floor: Sizes;
}

/** The part of a Recommendation's status. */
export function idleStatus(idle: IdleMemory | null, lastIdle: LastIdle | null): Partial<RecommendationStatus> {
  return {
    ...(idle === null ? {} : { idle: writeIdle(idle) }),
    ...(lastIdle === null
      ? {}
      : {
          lastIdle: {
            since: isoTime(lastIdle.since),
            wokenAt: isoTime(lastIdle.wokenAt),
            because: lastIdle.because.slice(0, 512),
            shortNaps: lastIdle.shortNaps,
            awakeSeconds: Math.round(lastIdle.awakeMs / SECOND_MS),
            floor: writeRequests(lastIdle.floor),
          },
        }),
  };
}

export function readIdle(idle: RecommendationStatus['idle']): IdleMemory | null {
  const since = instantOf(idle?.since);
  if (idle === undefined || since === null) return null;
  const wakingSince = instantOf(idle.wakingSince);
  return {
    since,
    natural: readSizes(idle.natural),
    sizes: readSizes(idle.sizes),
    floor: readSizes(idle.floor),
    awakeMs: (idle.awakeSeconds ?? 0) * SECOND_MS,
    replicas: idle.replicas ?? 0,
    idleReplicas: idle.idleReplicas ?? null,
    autoscaler: idle.autoscaler ?? null,
    scaled: idle.scaled === true,
    waking: wakingSince === null ? null : { since: wakingSince, because: idle.wakingBecause ?? '', by: idle.wakingBy ?? 'other' },
    wakesOn: idle.wakesOn ?? '',
  };
}

export function readLastIdle(last: RecommendationStatus['lastIdle']): LastIdle | null {
  const [since, wokenAt] = [instantOf(last?.since), instantOf(last?.wokenAt)];
  if (last === undefined || since === null || wokenAt === null) return null;
  return {
    since,
    wokenAt,
    because: last.because ?? '',
    shortNaps: last.shortNaps ?? 0,
    awakeMs: (last.awakeSeconds ?? 0) * SECOND_MS,
    floor: readSizes(last.floor),
  };
}

/**
 * The same on the workload, for people and for the case that the Recommendation is lost. What changes while it is idle is
 * left out: the note is written once.
 */
export function idleNote(idle: IdleMemory): string {
  const { since, natural, sizes, replicas, idleReplicas, autoscaler, wakesOn } = idle;
  return JSON.stringify({
    since: isoTime(since),
    natural: writeBoth(natural),
    sizes: writeRequests(sizes),
    replicas,
    ...(idleReplicas === null ? {} : { idleReplicas }),
    ...(autoscaler === null ? {} : { autoscaler }),
    wakesOn,
  });
}

/** Reads such a note; null where there is none, or none that can be read: nobody but this checks what a hand has made of it. */
export function readIdleNote(note: string | undefined): IdleMemory | null {
  if (note === undefined) return null;
  try {
    const value: unknown = JSON.parse(note);
    return isNote(value) ? readIdle(partOf(value)) : null;
  } catch {
    return null;
  }
}

type Note = Required<Pick<NonNullable<RecommendationStatus['idle']>, 'since' | 'natural' | 'sizes' | 'replicas' | 'wakesOn'>> &
  Pick<NonNullable<RecommendationStatus['idle']>, 'idleReplicas' | 'autoscaler'>;

/** What a hand has added says nothing. */
function partOf({ since, natural, sizes, replicas, idleReplicas, autoscaler, wakesOn }: Note): Note {
  return {
    since,
    natural,
    sizes,
    replicas,
    wakesOn,
    ...(idleReplicas === undefined ? {} : { idleReplicas }),
    ...(autoscaler === undefined ? {} : { autoscaler }),
  };
}

function isNote(value: unknown): value is Note {
  if (!isObject(value)) return false;
  const { since, natural, sizes, replicas, idleReplicas, autoscaler, wakesOn } = value;
  if (typeof since !== 'string' || typeof wakesOn !== 'string' || !areSizes(natural) || !areSizes(sizes)) return false;
  if (!isCount(replicas) || (idleReplicas !== undefined && !isCount(idleReplicas))) return false;
  return autoscaler === undefined || (isObject(autoscaler) && typeof autoscaler['name'] === 'string' && isCount(autoscaler['minReplicas']));
}

function areSizes(value: unknown): boolean {
  const isPair = (pair: unknown): boolean =>
    pair === undefined || (isObject(pair) && Object.values(pair).every((amount) => typeof amount === 'string'));
  const isSize = (size: unknown): boolean =>
    isObject(size) && typeof size['name'] === 'string' && isPair(size['requests']) && isPair(size['limits']);
  return Array.isArray(value) && value.every(isSize);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function writeIdle(idle: IdleMemory): NonNullable<RecommendationStatus['idle']> {
  const { since, natural, sizes, floor, awakeMs, replicas, idleReplicas, autoscaler, scaled, waking, wakesOn } = idle;
  return {
    since: isoTime(since),
    replicas,
    ...(idleReplicas === null ? {} : { idleReplicas }),
    ...(autoscaler === null ? {} : { autoscaler }),
    ...(scaled ? { scaled } : {}),
    ...(waking === null ? {} : { wakingSince: isoTime(waking.since), wakingBecause: waking.because.slice(0, 512), wakingBy: waking.by }),
    wakesOn: wakesOn.slice(0, 256),
    natural: writeBoth(natural),
    sizes: writeRequests(sizes),
    floor: writeRequests(floor),
    awakeSeconds: Math.round(awakeMs / SECOND_MS),
  };
}

type Written = NonNullable<NonNullable<RecommendationStatus['idle']>['natural']>;

function writeBoth(sizes: Sizes): Written {
  return [...sizes].map(([name, { requests, limits }]) => ({ name, requests: writeQuantities(requests), limits: writeQuantities(limits) }));
}

function writeRequests(sizes: Sizes): { name: string; requests: Written[number]['requests'] & object }[] {
  return [...sizes].map(([name, { requests }]) => ({ name, requests: writeQuantities(requests) }));
}

function readSizes(entries: readonly { readonly name: string; readonly requests?: object }[] | undefined): Sizes {
  return new Map((entries ?? []).map((entry) => [entry.name, readRequestsAndLimits(entry)]));
}

/** Requests alone. */
export function requestsOnly(requests: RequestsAndLimits['requests']): RequestsAndLimits {
  return { requests, limits: UNSET_RESOURCES };
}
