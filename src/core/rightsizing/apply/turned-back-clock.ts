// What is remembered of times that have not come yet: the clock was put back since it was written down. What happened last
// has happened by now, and all that lies between now and then moves with it; else cool-downs would last for the hour more,
// and what comes in that hour would count as having come before.

import type { LimitException } from '../../exceptions/limit-exception.ts';
import type { IdleMemory, LastIdle } from '../../idle/idle-memory.ts';
import { MINUTE_MS, type DurationMs, type Instant } from '../../model/units.ts';
import type { ResizeMemory } from './situation.ts';

/** Clocks of two replicas may differ by that much. */
const CLOCKS_DIFFER_MS: DurationMs = 2 * MINUTE_MS;

/** The memory as it is, or with nothing in it that is to come. */
export function withoutTimesToCome(memory: ResizeMemory, now: Instant): ResizeMemory {
  const { classes } = memory;
  const own = shifted(memory, Math.max(...happenings(memory)) - now, now);
  if (classes === undefined) return own;
  return { ...own, classes: new Map([...classes].map(([name, each]) => [name, withoutTimesToCome(each, now)])) };
}

function happenings(memory: ResizeMemory): Instant[] {
  const { apply, lastApplied, previous, rolledBack, evictions, failures, boosts, autoscalers, limitExceptions } = memory;
  const times = [apply?.startedAt, apply?.stageStartedAt, lastApplied?.at, previous?.at, rolledBack?.at, evictions?.lastAt];
  const others: (Instant | null | undefined)[] = [
    ...napsIn(memory),
    ...memory.memoryLimitLoweredAt.values(),
    ...[...failures, ...boosts].map(({ since }) => since),
    ...autoscalers.flatMap(({ revertedAt, refusedAt }) => [revertedAt, refusedAt]),
    ...limitExceptions.flatMap(({ openedAt, closedAt, lastSeenAt, overage }) => [openedAt, lastSeenAt, closedAt, overage?.since]),
  ];
  return [...times, ...others].filter((at) => at !== undefined && at !== null);
}

function napsIn({ idle, lastIdle }: ResizeMemory): (Instant | undefined)[] {
  return [idle?.since, idle?.waking?.since, lastIdle?.wokenAt];
}

function shifted(memory: ResizeMemory, ahead: DurationMs, now: Instant): ResizeMemory {
  if (!(ahead > CLOCKS_DIFFER_MS)) return memory;
  const back = (at: Instant): Instant => (at > now ? at - ahead : at);
  const { apply, lastApplied, previous, rolledBack, evictions, idle, lastIdle } = memory;
  return {
    ...memory,
    apply: apply && { ...apply, startedAt: back(apply.startedAt), stageStartedAt: back(apply.stageStartedAt) },
    lastApplied: lastApplied && { ...lastApplied, at: back(lastApplied.at) },
    previous: previous && { ...previous, at: back(previous.at) },
    rolledBack: rolledBack && {
      ...rolledBack,
      at: back(rolledBack.at),
      heldUntil: rolledBack.heldUntil - (rolledBack.at - back(rolledBack.at)),
    },
    failures: memory.failures.map((failure) => ({ ...failure, since: back(failure.since) })),
    boosts: memory.boosts.map((boost) => ({ ...boost, since: back(boost.since) })),
    evictions: evictions && {
      ...evictions,
      lastAt: back(evictions.lastAt),
      refused: evictions.refused && { ...evictions.refused, at: back(evictions.refused.at) },
    },
    idle: idle && asleepSince(idle, back),
    lastIdle: lastIdle && awakeSince(lastIdle, back),
    limitExceptions: memory.limitExceptions.map((exception) => exceptionOf(exception, back)),
    memoryLimitLoweredAt: new Map([...memory.memoryLimitLoweredAt].map(([name, at]) => [name, back(at)])),
    autoscalers: memory.autoscalers.map((each) => ({
      ...each,
      revertedAt: each.revertedAt && back(each.revertedAt),
      refusedAt: each.refusedAt && back(each.refusedAt),
    })),
  };
}

type Back = (at: Instant) => Instant;

function asleepSince(idle: IdleMemory, back: Back): IdleMemory {
  return { ...idle, since: back(idle.since), waking: idle.waking && { ...idle.waking, since: back(idle.waking.since) } };
}

function awakeSince(last: LastIdle, back: Back): LastIdle {
  return { ...last, since: back(last.since), wokenAt: back(last.wokenAt) };
}

function exceptionOf(exception: LimitException, back: Back): LimitException {
  const { overage, decided, calmSince, closedAt } = exception;
  return {
    ...exception,
    openedAt: back(exception.openedAt),
    lastSeenAt: back(exception.lastSeenAt),
    calmSince: calmSince && back(calmSince),
    closedAt: closedAt && back(closedAt),
    openings: exception.openings.map(back),
    decided: decided && { ...decided, at: back(decided.at) },
    overage: overage && {
      ...overage,
      since: back(overage.since),
      until: overage.until - (overage.since - back(overage.since)),
      returnedAt: overage.returnedAt && back(overage.returnedAt),
    },
  };
}
