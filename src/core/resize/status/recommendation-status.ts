// Builds the status of a Recommendation from a decision.

import { CONDITION, CONDITION_REASON } from '../../../apis/conditions.ts';
import type {
  RecommendationStatus,
  RecommendationStatusCondition,
  RecommendationStatusContainer,
  RecommendationStatusInput,
} from '../../../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { addResources, NO_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { MiB, type Instant } from '#kube/units';
import { nextConditions } from '../../recommendations/conditions.ts';
import { writeQuantities, writeRequestsAndLimits, type QuantityPair } from '../../recommendations/quantities.ts';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import { classesStatus } from './classes-status.ts';
import type { ContainerTarget } from '../model/container-plan.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { isCurrent } from '../plan/steps/failed-resizes.ts';
import { riskOf } from '../plan/risk.ts';
import type { WaitingRaises } from '../plan/steps/waiting-raises.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import { writeMemory } from './memory-codec.ts';
import { optional } from './optional.ts';
import { isFarInFuture, type DecidedPart } from './status-change.ts';

/** Content of a status besides the decision. */
export interface StatusFacts {
  readonly now: Instant;
  readonly generation: number | null;
  readonly replicas: number;
  readonly savingsPerMonthUsd: number | null;
  readonly costPerMonthUsd: number | null;
  /** Raises that wait for node capacity; null or absent: none. */
  readonly waitingRaises?: WaitingRaises | null;
  /** Usage source; null before any source has answered. */
  readonly source: string | null;
}

const MAX_MESSAGE = 2048;
const MAX_REASON = 512;
/** Maximum number of items by the schema. */
const MAX_INPUTS = 512;

/** Builds the part of a status that decides whether it is written. */
export function decidedPart(decision: WorkloadDecision, facts: Pick<StatusFacts, 'generation' | 'waitingRaises'>): DecidedPart {
  return {
    ...optional('observedGeneration', facts.generation),
    state: decision.state,
    ...optional('reason', decision.reason),
    ...optional('until', decision.until === null ? null : isoTime(decision.until)),
    mode: decision.mode,
    risk: riskOf(decision),
    ...optional('waitingForNodeCapacity', waitingStatus(facts.waitingRaises ?? null)),
    containers: decision.containers.map(({ name, current, target, advice }) => ({
      name,
      current: writeRequestsAndLimits(current),
      ...(target === null || advice === null ? {} : { recommended: writeRequestsAndLimits(target) }),
    })),
    ...writeMemory(decision.memory),
    ...classesStatus(decision),
  };
}

/** Builds the full status. @param before the stored status */
export function recommendationStatus(
  decision: WorkloadDecision,
  facts: StatusFacts,
  before: RecommendationStatus | undefined,
): RecommendationStatus {
  const { memory, containers } = decision;
  const confidences = containers.flatMap(({ advice }) => (advice === null ? [] : [advice.confidence]));
  return {
    ...optional('observedGeneration', facts.generation),
    state: decision.state,
    ...optional('reason', decision.reason),
    message: decision.message.slice(0, MAX_MESSAGE),
    ...optional('until', decision.until === null ? null : isoTime(decision.until)),
    mode: decision.mode,
    replicas: facts.replicas,
    ...optional('confidence', confidences.length === 0 ? null : rounded(Math.min(...confidences))),
    risk: riskOf(decision),
    ...optional('savingsPerMonthUsd', facts.savingsPerMonthUsd === null ? null : toCents(facts.savingsPerMonthUsd)),
    ...optional('costPerMonthUsd', facts.costPerMonthUsd === null ? null : toCents(facts.costPerMonthUsd)),
    ...optional('source', facts.source),
    updatedAt: isoTime(writtenAt(before, facts.now)),
    requests: sumsOf(containers),
    ...optional('waitingForNodeCapacity', waitingStatus(facts.waitingRaises ?? null)),
    containers: containers.map(containerStatus),
    inputs: containers.flatMap(inputsOf).slice(0, MAX_INPUTS),
    ...writeMemory(memory),
    ...classesStatus(decision),
    conditions: conditionsOf(decision, facts, before?.conditions ?? []),
  };
}

/** The `updatedAt` of a status: later than the previous one, also after the clock was set back, because the later status counts. */
function writtenAt(before: RecommendationStatus | undefined, now: Instant): Instant {
  const last = instantOf(before?.updatedAt) ?? 0;
  return last < now || isFarInFuture(last, now) ? now : last + 1;
}

function containerStatus({ name, current, target, advice }: ContainerPlan): RecommendationStatusContainer {
  return {
    name,
    current: writeRequestsAndLimits(current),
    ...(target === null || advice === null ? {} : targetStatus(target, advice)),
    ...(advice === null ? {} : evidenceStatus(advice)),
  };
}

function targetStatus(target: ContainerTarget, { cpu, memory }: ContainerAdvice): Partial<RecommendationStatusContainer> {
  return {
    recommended: writeRequestsAndLimits(target),
    lowerBound: writeReadable({ cpuMillicores: cpu?.lowerBound ?? null, memoryBytes: memory?.lowerBound ?? null }),
    upperBound: writeReadable({ cpuMillicores: cpu?.upperBound ?? null, memoryBytes: memory?.upperBound ?? null }),
    ...optional('memoryLimitReason', target.memoryLimitReason?.slice(0, MAX_REASON) ?? null),
  };
}

function evidenceStatus(advice: ContainerAdvice): Partial<RecommendationStatusContainer> {
  const { usage } = advice;
  const known = (amounts: OptionalResources): QuantityPair =>
    writeReadable({
      cpuMillicores: advice.cpu === null ? null : amounts.cpuMillicores,
      memoryBytes: advice.memory === null ? null : amounts.memoryBytes,
    });
  return {
    usage: { p50: known(usage.p50), p95: known(usage.p95), p99: known(usage.p99), max: known(usage.max) },
    oomKills: advice.oomKills,
    ...optional('throttledRatio', advice.throttledRatio === null ? null : rounded(advice.throttledRatio)),
    ...optional('cpuPressureRatio', advice.cpuPressureRatio === null ? null : rounded(advice.cpuPressureRatio)),
    confidence: rounded(advice.confidence),
  };
}

function inputsOf({ name, target }: ContainerPlan): RecommendationStatusInput[] {
  return (target?.steps ?? []).map(({ resource, step, detail, total }) => ({
    container: name,
    resource,
    step,
    detail: detail.slice(0, 1024),
    value: total,
    unit: resource === 'cpu' ? 'millicores' : 'bytes',
  }));
}

function waitingStatus(waiting: WaitingRaises | null): NonNullable<RecommendationStatus['waitingForNodeCapacity']> | null {
  return waiting === null ? null : { pods: waiting.pods, since: isoTime(waiting.since), requests: writeReadable(waiting.requests) };
}

function sumsOf(containers: readonly ContainerPlan[]): NonNullable<RecommendationStatus['requests']> {
  const sum = (of: (plan: ContainerPlan) => OptionalResources): QuantityPair =>
    writeQuantities(containers.reduce((total, plan) => addResources(total, of(plan)), NO_RESOURCES));
  const known = containers.some(({ target }) => target !== null);
  return {
    current: sum(({ current }) => current.requests),
    ...(known ? { recommended: sum(({ target, current }) => target?.requests ?? current.requests) } : {}),
  };
}

function conditionsOf(
  decision: WorkloadDecision,
  facts: StatusFacts,
  before: readonly RecommendationStatusCondition[],
): readonly RecommendationStatusCondition[] {
  const { state, memory, message } = decision;
  const known = decision.containers.some(({ target }) => target !== null);
  const failure = memory.failures.find((each) => isCurrent(each, facts.now));
  const rolledBack = memory.rolledBack !== null && memory.rolledBack.heldUntil > facts.now;
  const degraded = rolledBack
    ? CONDITION_REASON.rolledBack
    : failure === undefined
      ? CONDITION_REASON.healthy
      : CONDITION_REASON.resizeFailed;
  return nextConditions(
    before,
    [
      { type: CONDITION.ready, status: known, reason: known ? CONDITION_REASON.computed : CONDITION_REASON.collecting, message },
      {
        type: CONDITION.progressing,
        status: memory.apply !== null,
        reason: memory.apply === null ? CONDITION_REASON.settled : CONDITION_REASON.applying,
        message: state === 'applying' ? message : '',
      },
      {
        type: CONDITION.degraded,
        status: rolledBack || failure !== undefined,
        reason: degraded,
        message: rolledBack ? memory.rolledBack.message : (failure?.message ?? ''),
      },
    ],
    facts.generation,
    facts.now,
  );
}

/** Measured amounts in readable units: whole millicores and, rounded up, whole MiB. */
function writeReadable({ cpuMillicores, memoryBytes }: OptionalResources): QuantityPair {
  return writeQuantities({
    cpuMillicores: cpuMillicores === null ? null : Math.round(cpuMillicores),
    memoryBytes: memoryBytes === null ? null : Math.ceil(memoryBytes / MiB) * MiB,
  });
}

function rounded(ratio: number): number {
  return Math.round(ratio * 1000) / 1000;
}

function toCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
