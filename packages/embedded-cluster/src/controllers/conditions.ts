import type { Instant } from '#kube/units';
import { toTimestamp } from '../api/timestamp.ts';
import type { WireCondition } from './wire/pod.ts';

/** What a controller has to say; the times follow from what was said before. */
export interface ConditionNews {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function findCondition(conditions: readonly WireCondition[] | undefined, type: string): WireCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly WireCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The list with `news` in it; the list itself where nothing is new. `lastTransitionTime` moves with the status alone.
 * Kinds that carry `lastUpdateTime` (Deployments, HPAs do not) ask for it.
 */
export function withCondition(
  conditions: readonly WireCondition[] | undefined,
  news: ConditionNews,
  now: Instant,
  options: { readonly updateTime?: boolean } = {},
): WireCondition[] {
  const before = findCondition(conditions, news.type);
  if (before?.status === news.status && before.reason === news.reason && before.message === news.message) return [...(conditions ?? [])];
  const at = toTimestamp(now);
  const after: WireCondition = {
    ...news,
    ...(options.updateTime === true ? { lastUpdateTime: at } : {}),
    lastTransitionTime: before?.status === news.status ? (before.lastTransitionTime ?? at) : at,
  };
  if (before === undefined) return [...(conditions ?? []), after];
  return (conditions ?? []).map((condition) => (condition === before ? after : condition));
}

export function withoutCondition(conditions: readonly WireCondition[] | undefined, type: string): WireCondition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
