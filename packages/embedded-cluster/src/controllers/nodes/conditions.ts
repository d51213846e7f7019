import type { Instant } from '#kube/units';
import { toTimestamp } from '../../api/timestamp.ts';
import type { WireCondition } from '../wire/pod.ts';

/** A condition of a controller; its times depend on the previous condition. */
export interface ConditionUpdate {
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
 * The list with `news` applied; the same list when nothing is new. `lastTransitionTime` changes with the status only. Kinds with
 * `lastUpdateTime` (Deployments, but not HPAs) request it.
 */
export function withCondition(
  conditions: readonly WireCondition[] | undefined,
  news: ConditionUpdate,
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
