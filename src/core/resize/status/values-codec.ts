import { byName, type Field } from '../../model/encoding/codec.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { readRequestsAndLimits, writeQuantities } from '../../recommendations/quantities.ts';

const REQUESTS_AND_LIMITS: Pick<Field<RequestsAndLimits>, 'read' | 'write' | 'correct'> = {
  read: (stored) => (isPair(stored['requests']) && isPair(stored['limits']) ? readRequestsAndLimits(stored) : undefined),
  write: ({ requests, limits }) => ({ ...written('requests', requests), ...written('limits', limits) }),
  correct: (value) => value,
};

/** Codec of requests and limits by container. */
export const VALUES = byName(REQUESTS_AND_LIMITS);

/** Writes amounts; empty ones are omitted, because sizes of idle workloads have no limits. */
function written(name: 'requests' | 'limits', amounts: OptionalResources): object {
  const pair = writeQuantities(amounts);
  return Object.keys(pair).length === 0 ? {} : { [name]: pair };
}

function isPair(stored: unknown): boolean {
  if (stored === undefined) return true;
  return typeof stored === 'object' && stored !== null && Object.values(stored).every((amount) => typeof amount === 'string');
}
