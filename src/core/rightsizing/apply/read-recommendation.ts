// What a Recommendation holds, as decisions read it: wishes of people from its spec, memory from its status. Whatever a
// hand has written there by mistake reads as absent; it never stops a decision.

import type { Recommendation, RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { readIdle, readLastIdle } from '../../idle/idle-memory.ts';
import { instantOf } from '../../model/iso-time.ts';
import { readRequestsAndLimits, type QuantityPair } from '../../recommendations/quantities.ts';
import { readAutoscalers } from './autoscaler-memory.ts';
import { readDecisions, readExceptions } from '../../exceptions/status.ts';
import type { Values } from './container-values.ts';
import type { FailedResize, PersonalWishes, ResizeMemory } from './situation.ts';

interface NamedValues {
  readonly name: string;
  readonly requests?: QuantityPair;
  readonly limits?: QuantityPair;
}

/** What people ask for. */
export function readWishes({ spec }: Pick<Recommendation, 'spec'>): PersonalWishes {
  const decided = (wish: { readonly at: string; readonly by?: string; readonly containers: readonly NamedValues[] } | undefined) => {
    const at = instantOf(wish?.at);
    return wish === undefined || at === null ? null : { at, by: wish.by ?? '', values: readValues(wish.containers) };
  };
  const rollbackAt = instantOf(spec.rollback?.at);
  const wakeAt = instantOf(spec.wake?.at);
  return {
    paused: spec.paused === true,
    approved: decided(spec.approved),
    rejected: decided(spec.rejected),
    rollback: rollbackAt === null ? null : { at: rollbackAt, by: spec.rollback?.by ?? '' },
    exceptionDecisions: readDecisions(spec),
    wake: wakeAt === null ? null : { at: wakeAt, by: spec.wake?.by ?? '' },
  };
}

/** What is remembered of changes made and under way. */
export function readMemory(status: RecommendationStatus | undefined): ResizeMemory {
  return {
    apply: readApply(status?.apply),
    lastApplied: readLastApplied(status?.lastApplied),
    previous: readPrevious(status?.previous),
    rolledBack: readRolledBack(status?.rolledBack),
    failures: (status?.resizes ?? []).flatMap((resize): FailedResize[] => {
      const since = instantOf(resize.since);
      if (since === null || resize.state === 'in-progress') return [];
      const { pod, uid, state, message = '', halved = false, containers = [] } = resize;
      return [{ pod, uid, state, since, message, ...(halved ? { halved } : {}), values: readValues(containers) }];
    }),
    evictions: readEvictions(status?.evictions),
    boosts: (status?.boosts ?? []).flatMap(({ pod, uid, since, containers = [] }) => {
      const at = instantOf(since);
      return at === null ? [] : [{ pod, uid, since: at, values: readValues(containers) }];
    }),
    idle: readIdle(status?.idle),
    lastIdle: readLastIdle(status?.lastIdle),
    autoscalers: readAutoscalers(status?.autoscalers),
    otherResizes: readOtherResizes(status?.otherResizes),
    limitExceptions: readExceptions(status),
    memoryLimitLoweredAt: new Map(
      (status?.containers ?? []).flatMap(({ name, memoryLimitLoweredAt }) => {
        const at = instantOf(memoryLimitLoweredAt);
        return at === null ? [] : [[name, at] as const];
      }),
    ),
    ...readClasses(status),
  };
}

function readClasses(status: RecommendationStatus | undefined): Pick<ResizeMemory, 'classes'> {
  if (status?.classes === undefined) return {};
  return { classes: new Map(status.classes.map((each) => [each.name, readMemory(each)])) };
}

/** Values by container; an entry without any amount says nothing. */
function readValues(containers: readonly NamedValues[]): Values {
  return new Map(containers.map((container) => [container.name, readRequestsAndLimits(container)]));
}

function readApply(apply: RecommendationStatus['apply']): ResizeMemory['apply'] {
  const startedAt = instantOf(apply?.startedAt);
  const stageStartedAt = instantOf(apply?.stageStartedAt);
  if (apply === undefined || startedAt === null || stageStartedAt === null) return null;
  return {
    startedAt,
    stage: apply.stage,
    stageStartedAt,
    throttledRatioBefore: apply.throttledRatioBefore ?? null,
    errorRateBefore: apply.errorRateBefore ?? null,
    reason: apply.reason ?? '',
    by: apply.by ?? 'evenkeel',
    values: readValues(apply.containers),
  };
}

function readOtherResizes(others: RecommendationStatus['otherResizes']): ResizeMemory['otherResizes'] {
  const at = instantOf(others?.at);
  const until = instantOf(others?.until);
  if (others === undefined || at === null || until === null) return null;
  return { by: others.by, pod: others.pod, at, count: others.count ?? 1, until };
}

function readLastApplied(last: RecommendationStatus['lastApplied']): ResizeMemory['lastApplied'] {
  const at = instantOf(last?.at);
  if (last === undefined || at === null) return null;
  return { at, by: last.by ?? 'evenkeel', reason: last.reason ?? '', pods: last.pods ?? 0, values: readValues(last.containers ?? []) };
}

function readEvictions(evictions: RecommendationStatus['evictions']): ResizeMemory['evictions'] {
  const lastAt = instantOf(evictions?.lastAt);
  if (evictions === undefined || lastAt === null) return null;
  const refusedAt = instantOf(evictions.refusedAt);
  const refused = refusedAt === null ? null : { at: refusedAt, message: evictions.message ?? '' };
  return { size: evictions.size, count: evictions.count, lastAt, refused };
}

function readPrevious(previous: RecommendationStatus['previous']): ResizeMemory['previous'] {
  const at = instantOf(previous?.at);
  return previous === undefined || at === null ? null : { at, values: readValues(previous.containers) };
}

function readRolledBack(rolledBack: RecommendationStatus['rolledBack']): ResizeMemory['rolledBack'] {
  const at = instantOf(rolledBack?.at);
  if (rolledBack === undefined || at === null) return null;
  return {
    at,
    reason: rolledBack.reason ?? '',
    message: rolledBack.message ?? '',
    heldUntil: instantOf(rolledBack.heldUntil) ?? at,
    count: rolledBack.count ?? 0,
    requestedAt: instantOf(rolledBack.requestedAt),
    values: readValues(rolledBack.containers ?? []),
  };
}
