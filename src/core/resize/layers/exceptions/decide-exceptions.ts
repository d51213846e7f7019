// Advances all limit exceptions of a workload, and computes the changes of the values in force that follow.

import type { PodRecord } from '#kube/records/pod';
import type { ResourceName } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../../model/container-values.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { isOneToOne } from '../../plan/container/container-target.ts';
import { canChangePodsNow } from '../../plan/blockers/blockers.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import { resourceFacts, type ResourceFacts } from './evidence.ts';
import {
  exceptionKey,
  isOverageEnding,
  type ApprovedCeiling,
  type ExceptionDecision,
  type LimitException,
} from '../../model/limit-exception.ts';
import { listExceptionEvents } from './exception-events.ts';
import { dropRevertedBaseline } from '../../plan/container/approved-baselines.ts';
import { nextException, type StepInputs } from './next-exception.ts';
import { overageOffer } from './overage-offer.ts';
import { pendingDecision } from './pending.ts';
import { proposedValue } from './proposal.ts';

/** Result of a decision about the limit exceptions of a workload. */
export interface ExceptionsDecision {
  /** Stored before any step is taken. */
  readonly memory: Partial<ResizeMemory>;
  readonly events: readonly DecisionEvent[];
  readonly ceilings: readonly ApprovedCeiling[];
}

/** Maximum number of items by the schema. */
const MAX_EXCEPTIONS = 128;

/** Advances the limit exceptions of a workload. */
export function decideExceptions(situation: WorkloadSituation, mode: ResizeMode, plans: readonly ContainerPlan[]): ExceptionsDecision {
  const { memory } = situation;
  const before = new Map(
    memory.limitExceptions.map((each) => [exceptionKey(each), dropRevertedBaseline(each, memory.rolledBack)] as const),
  );
  const seen = new Set<string>();
  const after: LimitException[] = [];
  const step = (container: string, resource: ResourceName, plan: ContainerPlan | null): void => {
    const key = exceptionKey({ container, resource });
    seen.add(key);
    const inputs = inputsOf(situation, mode, plan, resource, before.get(key) ?? null);
    const next = nextException(before.get(key) ?? null, inputs);
    if (next !== null) after.push(updateProgress(next, situation, plan));
  };
  for (const plan of plans) for (const resource of RESOURCES) step(plan.name, resource, plan);
  for (const [key, { container, resource }] of before) if (!seen.has(key)) step(container, resource, null);
  const stored = after.slice(0, MAX_EXCEPTIONS);
  return { ...applyApprovals(situation, plans, before, stored), events: listExceptionEvents(before, stored) };
}

function inputsOf(
  situation: WorkloadSituation,
  mode: ResizeMode,
  plan: ContainerPlan | null,
  resource: ResourceName,
  before: LimitException | null,
): StepInputs {
  const { now, userRequests } = situation;
  const ownMode = plan === null ? mode : containerMode(plan.policy, mode);
  const canAct = canChangePodsNow(situation) && (ownMode === 'Auto' || ownMode === 'Approve');
  const facts = plan === null ? null : factsOf(situation, plan, resource, ownMode);
  const evidence = facts?.evidence ?? null;
  const proposed = evidence === null ? null : proposedValue(situation, plan?.name ?? '', resource, evidence.limit, evidence.needed);
  return {
    now,
    facts,
    proposed,
    offer: overageOffer({ situation, plan, resource, before, evidence, proposed: proposed?.value ?? null, canAct, ownMode }),
    decision: decisionOn(before, userRequests.exceptionDecisions, canAct),
  };
}

/** Facts of a resource. Without evidence where data is stale, and for CPU of batch pods, which use all CPU that they get. */
function factsOf(situation: WorkloadSituation, plan: ContainerPlan, resource: ResourceName, ownMode: ResizeMode): ResourceFacts {
  const { gateState, workload, demand } = situation;
  const known = gateState.stale === null ? demand.find(({ container }) => container === plan.name) : undefined;
  const facts = resourceFacts(situation, plan, resource, known ?? { windows: [] }, ownMode === 'Auto');
  const isBatch = workload.kind === 'Job' || workload.kind === 'CronJob';
  const silent = ownMode === 'Off' || gateState.stale !== null || (isBatch && resource === 'cpu');
  return silent ? { ...facts, target: null, demand: null, evidence: null } : facts;
}

/** The user's decision to execute now; null: none. An approval changes values, so it waits until changes are permitted. */
function decisionOn(before: LimitException | null, decisions: readonly ExceptionDecision[], canAct: boolean): ExceptionDecision | null {
  const pending = before === null ? null : pendingDecision(before, decisions);
  return pending?.decision === 'approve' && !canAct ? null : pending;
}

/** The exception with updated `returnedAt` and `settled`. */
function updateProgress(exception: LimitException, situation: WorkloadSituation, plan: ContainerPlan | null): LimitException {
  return withSettled(withReturned(exception, situation, plan), situation);
}

function withReturned(exception: LimitException, { now, pods }: WorkloadSituation, plan: ContainerPlan | null): LimitException {
  const { container, resource, overage, decided, bound } = exception;
  if (overage === null || !isOverageEnding(exception, now)) return exception;
  const approved = bound === 'limit' ? (decided?.value ?? 0) : 0;
  const inForce = Math.max(overage.before, plan?.inForce.limits[FIELD[resource]] ?? 0, approved);
  const isPending = pods.some((pod) => hasMore(pod, container, resource, inForce, overage.value));
  return isPending ? exception : { ...exception, overage: { ...overage, returnedAt: now } };
}

function withSettled(exception: LimitException, { overrides }: WorkloadSituation): LimitException {
  const { container, resource, decided, state, bound, inEffect: settled } = exception;
  if (state !== 'approved' || settled) return exception;
  const ceiling = boundsOf(overrides.ceiling, container)[FIELD[resource]] ?? 0;
  return bound === 'limit' || ceiling >= (decided?.value ?? 0) ? { ...exception, inEffect: true } : exception;
}

function hasMore({ containers, phase }: PodRecord, name: string, resource: ResourceName, than: number, given: number): boolean {
  const limit = containers.find((each) => each.name === name)?.limits[FIELD[resource]] ?? 0;
  return phase === 'Running' && limit > than && limit <= given;
}

/** Changes of the memory after approvals. The approved limit is stored in force together with the approval, so that a crash cannot separate them. */
function applyApprovals(
  { memory, now, pods, workload }: WorkloadSituation,
  plans: readonly ContainerPlan[],
  before: ReadonlyMap<string, LimitException>,
  after: readonly LimitException[],
): Pick<ExceptionsDecision, 'memory' | 'ceilings'> {
  const approvedNow = after.filter(
    (each) => each.state === 'approved' && each.bound === 'limit' && before.get(exceptionKey(each))?.state === 'open',
  );
  const ceilings = after.flatMap(({ state, bound, inEffect: settled, container, resource, decided }) =>
    state === 'approved' && bound === 'ceiling' && !settled && decided !== null && decided.value !== null
      ? [{ container, resource, value: decided.value }]
      : [],
  );
  const [first] = approvedNow;
  if (first === undefined) return { memory: { limitExceptions: after }, ceilings };
  const inForce: Values = new Map(plans.map(({ name, inForce: values }) => [name, values]));
  const equal = equalMemory(plans, workload);
  const approved = withLimits(inForce, approvedNow, equal);
  const by = first.decided?.by ?? 'a user';
  const reason = 'a limit exception was approved';
  const running = pods.filter(({ phase }) => phase === 'Running').length;
  return {
    ceilings,
    memory: {
      limitExceptions: after.map((each) =>
        approvedNow.includes(each) && each.overage !== null ? { ...each, overage: { ...each.overage, returnedAt: now } } : each,
      ),
      ...(memory.apply === null
        ? { lastApplied: { at: now, by, reason, pods: running, values: approved }, previous: { at: now, values: inForce } }
        : {
            apply: { ...memory.apply, values: approved },
            // A roll-back of the change does not revert the approved limit.
            previous: memory.previous && { ...memory.previous, values: withLimits(memory.previous.values, approvedNow, equal) },
          }),
    },
  };
}

/** Names of containers whose memory request equals the limit and rises with it. */
function equalMemory(plans: readonly ContainerPlan[], { containers }: WorkloadSituation['workload']): ReadonlySet<string> {
  const equal = plans.filter(({ name, inForce, policy }) => {
    const deployed = containers.find((each) => each.name === name);
    return isOneToOne({ current: inForce, policy, ...(deployed === undefined ? {} : { deployed }) });
  });
  return new Set(equal.map(({ name }) => name));
}

/** @param equal containers whose memory request rises with its limit */
function withLimits(values: Values, exceptions: readonly LimitException[], equal: ReadonlySet<string>): Values {
  const result = new Map(values);
  for (const { container, resource, decided } of exceptions) {
    const plan = result.get(container);
    const value = decided?.value ?? null;
    if (plan === undefined || value === null) continue;
    const requests = resource === 'memory' && equal.has(container) ? withAmount(plan.requests, resource, value) : plan.requests;
    result.set(container, { requests, limits: withAmount(plan.limits, resource, value) });
  }
  return result;
}
