// The part of a Recommendation's status that decisions remember by; `read-recommendation.ts` reads it back.

import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { idleStatus } from '../../idle/idle-memory.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { RequestsAndLimits } from '../../model/resources.ts';
import { writeQuantities, type QuantityPair } from '../../recommendations/quantities.ts';
import { writeAutoscalers } from './autoscaler-memory.ts';
import { writeExceptions } from '../../exceptions/status.ts';
import type { Values } from './container-values.ts';
import { keptFailures } from './failed-resizes.ts';
import type { ResizeMemory } from './situation.ts';

const LONGEST_REFUSAL = 1024;

/**
 * All of it but `memoryLimitLoweredAt`, which stands with each container.
 * @param longestRefusal of what is told of each failed resize: many memories have to fit into one object
 */
export function memoryStatus(memory: ResizeMemory, longestRefusal: number = LONGEST_REFUSAL): Partial<RecommendationStatus> {
  const { apply, lastApplied, previous, rolledBack, failures, boosts, evictions, limitExceptions, autoscalers, otherResizes } = memory;
  return {
    ...optional(
      'apply',
      apply === null
        ? null
        : {
            startedAt: isoTime(apply.startedAt),
            stage: apply.stage,
            stageStartedAt: isoTime(apply.stageStartedAt),
            by: apply.by,
            ...optional('throttledRatioBefore', apply.throttledRatioBefore),
            ...optional('errorRateBefore', apply.errorRateBefore ?? null),
            reason: apply.reason,
            containers: writeValues(apply.values),
          },
    ),
    ...optional(
      'lastApplied',
      lastApplied === null
        ? null
        : {
            at: isoTime(lastApplied.at),
            by: lastApplied.by,
            reason: lastApplied.reason,
            pods: lastApplied.pods,
            containers: writeValues(lastApplied.values),
          },
    ),
    ...optional('previous', previous === null ? null : { at: isoTime(previous.at), containers: writeValues(previous.values) }),
    ...optional(
      'rolledBack',
      rolledBack === null
        ? null
        : {
            at: isoTime(rolledBack.at),
            ...optional('requestedAt', rolledBack.requestedAt === null ? null : isoTime(rolledBack.requestedAt)),
            reason: rolledBack.reason,
            message: rolledBack.message.slice(0, 1024),
            heldUntil: isoTime(rolledBack.heldUntil),
            count: rolledBack.count,
            containers: writeValues(rolledBack.values),
          },
    ),
    ...optional(
      'otherResizes',
      otherResizes === null ? null : { ...otherResizes, at: isoTime(otherResizes.at), until: isoTime(otherResizes.until) },
    ),
    ...optional('autoscalers', autoscalers.length === 0 ? null : writeAutoscalers(autoscalers)),
    ...optional(
      'resizes',
      failures.length === 0
        ? null
        : keptFailures(failures).map((failure) => ({
            pod: failure.pod,
            uid: failure.uid,
            state: failure.state,
            since: isoTime(failure.since),
            message: failure.message.slice(0, longestRefusal),
            ...(failure.halved === true ? { halved: true } : {}),
            containers: writeValues(failure.values),
          })),
    ),
    ...optional('limitExceptions', limitExceptions.length === 0 ? null : writeExceptions(limitExceptions)),
    ...optional(
      'evictions',
      evictions === null
        ? null
        : {
            size: evictions.size,
            count: evictions.count,
            lastAt: isoTime(evictions.lastAt),
            ...(evictions.refused === null
              ? {}
              : { refusedAt: isoTime(evictions.refused.at), message: evictions.refused.message.slice(0, 1024) }),
          },
    ),
    ...optional(
      'boosts',
      boosts.length === 0
        ? null
        : boosts.map(({ pod, uid, since, values }) => ({ pod, uid, since: isoTime(since), containers: writeValues(values) })),
    ),
    ...idleStatus(memory.idle, memory.lastIdle),
  };
}

/** Both as custom resources write them. */
export function writeBoth({ requests, limits }: RequestsAndLimits): { requests: QuantityPair; limits: QuantityPair } {
  return { requests: writeQuantities(requests), limits: writeQuantities(limits) };
}

/** By container, in the order of the map. */
function writeValues(values: Values): { name: string; requests: QuantityPair; limits: QuantityPair }[] {
  return [...values].map(([name, value]) => ({ name, ...writeBoth(value) }));
}

/** A property that is left out where there is nothing to say: absent, never null. */
export function optional<K extends string, V>(key: K, value: V | null): Readonly<Partial<Record<K, V>>> {
  return (value === null ? {} : { [key]: value }) as Readonly<Partial<Record<K, V>>>;
}
