import type { AwaitingReason } from '../../../apis/conditions.ts';
import type { Instant } from '../../model/units.ts';

/** Why something waits. `until`: the earliest next try, null where that is not known. */
export interface Waiting {
  readonly reason: AwaitingReason;
  readonly message: string;
  readonly until: Instant | null;
}

export function waiting(reason: AwaitingReason, message: string, until: Instant | null = null): Waiting {
  return { reason, message, until };
}

/** Of several, the one to tell: the first in this order, with the earliest time of all that share it. */
export function mostTelling(all: readonly Waiting[]): Waiting | null {
  const order: readonly AwaitingReason[] = [
    'calm-start',
    'rollout',
    'window',
    'cooldown',
    'confidence',
    'unmeasured',
    'hpa',
    'quota',
    'concurrency',
    'not-evictable',
    'node-capacity',
    'stuck',
    'node-draining',
    'node-unsupported',
    'restart',
    'stale-data',
  ];
  const [first] = [...all].sort((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason));
  if (first === undefined) return null;
  const untils = all.flatMap((each) => (each.reason === first.reason && each.until !== null ? [each.until] : []));
  return { ...first, until: untils.length === 0 ? null : Math.min(...untils) };
}
