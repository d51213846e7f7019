// How a status differs from the stored one, which decides whether it is written, and how soon.

import type { RecommendationStatus, RecommendationStatusContainer } from '../../../apis/v1alpha1/index.ts';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import { readQuantities, type QuantityPair } from '../../recommendations/quantities.ts';
import { isSameMemory } from './memory-codec.ts';

/** The part of a status that decides whether it is written. It is built for every decision, the full status only for a write. */
export type DecidedPart = Omit<RecommendationStatus, 'containers'> & {
  readonly containers?: readonly Pick<RecommendationStatusContainer, 'name' | 'current' | 'recommended'>[];
};

/**
 * The most important difference: the memory or the observed generation; state, reason, mode, until, risk or the number of waiting raises;
 * an amount; only the age.
 */
export type StatusChange = 'memory' | 'state' | 'amounts' | 'age';

/** Interval after which an unchanged status is written again, so that its values are never older. */
const REFRESH_MS: DurationMs = HOUR_MS;
/** Dead band: a smaller relative change of an amount is not written. */
const TOLERANCE = 0.05;
/** Fields that are compared without a dead band. */
const PLAIN_FIELDS = ['state', 'reason', 'mode', 'until', 'risk'] as const;
const PLAIN_FIELDS_OF_CLASS = ['name', 'pods', 'state', 'reason'] as const;

/**
 * Why a new status is written; null: it is not. Changes of only message, confidence and costs wait until the status is an hour old, because
 * each write goes to etcd and to all watchers.
 */
export function findStatusChange(before: RecommendationStatus, after: DecidedPart, now: Instant): StatusChange | null {
  const classes = (after.classes ?? []).map((fresh, index) => [before.classes?.[index] ?? {}, fresh] as const);
  const isAny = <T>(compare: (old: T, fresh: T) => boolean, old: T, fresh: T, pairs: readonly (readonly [T, T])[]): boolean =>
    compare(old, fresh) || pairs.some(([oldClass, freshClass]) => compare(oldClass, freshClass));
  if (before.observedGeneration !== after.observedGeneration) return 'memory';
  if (isAny<StoredMemory>(hasMemoryChanged, before, after, classes)) return 'memory';
  if (hasStateChanged(before, after)) return 'state';
  if (isAny<Amounts>(hasAmountChanged, before, after, classes)) return 'amounts';
  return isOld(before, now) || isAny<StoredMemory>((old, fresh) => !isSameMemory(old, fresh), before, after, classes) ? 'age' : null;
}

export function isWorthWriting(before: RecommendationStatus | undefined, after: DecidedPart, now: Instant): boolean {
  return before === undefined || findStatusChange(before, after, now) !== null;
}

/** Whether a timestamp is more than a day in the future: it was written with a wrong clock. */
export function isFarInFuture(at: Instant, now: Instant): boolean {
  return at - now > DAY_MS;
}

function isOld({ updatedAt }: RecommendationStatus, now: Instant): boolean {
  if (updatedAt === undefined) return true;
  const written = Date.parse(updatedAt);
  return now - written >= REFRESH_MS || isFarInFuture(written, now);
}

type StoredMemory = Parameters<typeof isSameMemory>[0];

/** The time of the largest node is renewed each day, and nothing that is carried out depends on it. */
function hasMemoryChanged({ largestNode: _, ...before }: StoredMemory, { largestNode: __, ...after }: StoredMemory): boolean {
  return !isSameMemory(before, after);
}

function hasStateChanged(before: RecommendationStatus, after: DecidedPart): boolean {
  if (PLAIN_FIELDS.some((name) => before[name] !== after[name])) return true;
  if (before.waitingForNodeCapacity?.pods !== after.waitingForNodeCapacity?.pods) return true;
  const [old, fresh] = [before.classes ?? [], after.classes ?? []];
  return (
    old.length !== fresh.length || fresh.some((each, index) => PLAIN_FIELDS_OF_CLASS.some((name) => old[index]?.[name] !== each[name]))
  );
}

type Amounts = Pick<DecidedPart, 'containers'>;

function hasAmountChanged(before: Amounts, after: Amounts): boolean {
  const [old, fresh] = [before.containers ?? [], after.containers ?? []];
  if (old.length !== fresh.length) return true;
  return fresh.some((container, index) => {
    const earlier = old[index];
    if (earlier?.name !== container.name) return true;
    return hasPairChanged(earlier.current, container.current) || hasPairChanged(earlier.recommended, container.recommended);
  });
}

type PairsText = RecommendationStatusContainer['current'];

function hasPairChanged(before: PairsText, after: PairsText): boolean {
  return isPairChanged(before?.requests, after?.requests) || isPairChanged(before?.limits, after?.limits);
}

function isPairChanged(before: QuantityPair | undefined, after: QuantityPair | undefined): boolean {
  // The text is nearly always the same, so quantities are only parsed where it differs.
  if (before?.cpu === after?.cpu && before?.memory === after?.memory) return false;
  const [old, fresh] = [readQuantities(before), readQuantities(after)];
  return hasChanged(old.cpuMillicores, fresh.cpuMillicores) || hasChanged(old.memoryBytes, fresh.memoryBytes);
}

function hasChanged(before: number | null, after: number | null): boolean {
  if (before === null || after === null) return before !== after;
  return Math.abs(after - before) > before * TOLERANCE;
}
