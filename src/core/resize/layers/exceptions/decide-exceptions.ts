// Takes every limit exception of a workload one step further, and says what follows from it for what is in force.

import type { PodRecord } from '#kube/records/pod';
import type { ResourceName } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../../model/container-values.ts';
import type { DecisionNote } from '../../model/decision-note.ts';
import { isOneToOne } from '../../plan/container-target.ts';
import { mayChangePods } from '../../plan/interlocks.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import { resourceFacts, type ResourceFacts } from './evidence.ts';
import {
  exceptionKey,
  isReturning,
  type ApprovedCeiling,
  type ExceptionDecision,
  type LimitException,
} from '../../model/limit-exception.ts';
import { notesOn } from './exception-notes.ts';
import { withoutTakenBack } from '../../plan/approved-baselines.ts';
import { nextException, type StepInputs } from './next-exception.ts';
import { overageOffer } from './overage-offer.ts';
import { pendingDecision } from './pending.ts';
import { proposedValue } from './proposal.ts';

export interface ExceptionsDecision {
  /** To be written down before anything is done. */
  readonly memory: Partial<ResizeMemory>;
  readonly notes: readonly DecisionNote[];
  readonly ceilings: readonly ApprovedCeiling[];
}

/** As many as the schema holds. */
const MAX_EXCEPTIONS = 128;

export function decideExceptions(situation: WorkloadSituation, mode: ResizeMode, plans: readonly ContainerPlan[]): ExceptionsDecision {
  const { memory } = situation;
  const before = new Map(memory.limitExceptions.map((each) => [exceptionKey(each), withoutTakenBack(each, memory.rolledBack)] as const));
  const seen = new Set<string>();
  const after: LimitException[] = [];
  const step = (container: string, resource: ResourceName, own: ContainerPlan | null): void => {
    const key = exceptionKey({ container, resource });
    seen.add(key);
    const inputs = inputsOf(situation, mode, own, resource, before.get(key) ?? null);
    const next = nextException(before.get(key) ?? null, inputs);
    if (next !== null) after.push(brought(next, situation, own));
  };
  for (const own of plans) for (const resource of RESOURCES) step(own.name, resource, own);
  for (const [key, { container, resource }] of before) if (!seen.has(key)) step(container, resource, null);
  const kept = after.slice(0, MAX_EXCEPTIONS);
  return { ...whatFollows(situation, plans, before, kept), notes: notesOn(before, kept) };
}

function inputsOf(
  situation: WorkloadSituation,
  mode: ResizeMode,
  own: ContainerPlan | null,
  resource: ResourceName,
  before: LimitException | null,
): StepInputs {
  const { now, userRequests } = situation;
  const ownMode = own === null ? mode : containerMode(own.policy, mode);
  const acts = mayChangePods(situation) && (ownMode === 'Auto' || ownMode === 'Approve');
  const facts = own === null ? null : factsOf(situation, own, resource, ownMode);
  const evidence = facts?.evidence ?? null;
  const proposed = evidence === null ? null : proposedValue(situation, own?.name ?? '', resource, evidence.limit, evidence.needed);
  return {
    now,
    facts,
    proposed,
    offer: overageOffer({ situation, own, resource, before, evidence, proposed: proposed?.value ?? null, acts, ownMode }),
    decision: decisionOn(before, userRequests.exceptionDecisions, acts),
  };
}

/** Never from stale data, nor where a batch pod simply works as fast as it may. */
function factsOf(situation: WorkloadSituation, own: ContainerPlan, resource: ResourceName, ownMode: ResizeMode): ResourceFacts {
  const { gateState, workload, demand } = situation;
  const known = gateState.stale === null ? demand.find(({ container }) => container === own.name) : undefined;
  const facts = resourceFacts(situation, own, resource, known ?? { windows: [] }, ownMode === 'Auto');
  const isBatch = workload.kind === 'Job' || workload.kind === 'CronJob';
  const silent = ownMode === 'Off' || gateState.stale !== null || (isBatch && resource === 'cpu');
  return silent ? { ...facts, target: null, demand: null, evidence: null } : facts;
}

/** A rejection only closes; an approval changes what is in force, so it waits until anything may be changed. */
function decisionOn(before: LimitException | null, decisions: readonly ExceptionDecision[], acts: boolean): ExceptionDecision | null {
  const pending = before === null ? null : pendingDecision(before, decisions);
  return pending?.decision === 'approve' && !acts ? null : pending;
}

/** Whether the last pod is back at what it had, and whether what was approved has come. */
function brought(exception: LimitException, situation: WorkloadSituation, own: ContainerPlan | null): LimitException {
  return withSettled(withReturned(exception, situation, own), situation);
}

function withReturned(exception: LimitException, { now, pods }: WorkloadSituation, own: ContainerPlan | null): LimitException {
  const { container, resource, overage, decided, bound } = exception;
  if (overage === null || !isReturning(exception, now)) return exception;
  const approved = bound === 'limit' ? (decided?.value ?? 0) : 0;
  const inForce = Math.max(overage.before, own?.inForce.limits[FIELD[resource]] ?? 0, approved);
  const owed = pods.some((pod) => hasMore(pod, container, resource, inForce, overage.value));
  return owed ? exception : { ...exception, overage: { ...overage, returnedAt: now } };
}

function withSettled(exception: LimitException, { overrides }: WorkloadSituation): LimitException {
  const { container, resource, decided, state, bound, settled } = exception;
  if (state !== 'approved' || settled) return exception;
  const ceiling = boundsOf(overrides.ceiling, container)[FIELD[resource]] ?? 0;
  return bound === 'limit' || ceiling >= (decided?.value ?? 0) ? { ...exception, settled: true } : exception;
}

function hasMore({ containers, phase }: PodRecord, name: string, resource: ResourceName, than: number, given: number): boolean {
  const limit = containers.find((each) => each.name === name)?.limits[FIELD[resource]] ?? 0;
  return phase === 'Running' && limit > than && limit <= given;
}

/** An approved limit is in force from the same write on that says that it was approved: no crash comes between. */
function whatFollows(
  { memory, now, pods, workload }: WorkloadSituation,
  plans: readonly ContainerPlan[],
  before: ReadonlyMap<string, LimitException>,
  after: readonly LimitException[],
): Pick<ExceptionsDecision, 'memory' | 'ceilings'> {
  const newly = after.filter(
    (each) => each.state === 'approved' && each.bound === 'limit' && before.get(exceptionKey(each))?.state === 'open',
  );
  const ceilings = after.flatMap(({ state, bound, settled, container, resource, decided }) =>
    state === 'approved' && bound === 'ceiling' && !settled && decided !== null && decided.value !== null
      ? [{ container, resource, value: decided.value }]
      : [],
  );
  const [first] = newly;
  if (first === undefined) return { memory: { limitExceptions: after }, ceilings };
  const inForce: Values = new Map(plans.map(({ name, inForce: values }) => [name, values]));
  const equal = equalMemory(plans, workload);
  const approved = withLimits(inForce, newly, equal);
  const by = first.decided?.by ?? 'a person';
  const reason = 'a limit exception was approved';
  const running = pods.filter(({ phase }) => phase === 'Running').length;
  return {
    ceilings,
    memory: {
      limitExceptions: after.map((each) =>
        newly.includes(each) && each.overage !== null ? { ...each, overage: { ...each.overage, returnedAt: now } } : each,
      ),
      ...(memory.apply === null
        ? { lastApplied: { at: now, by, reason, pods: running, values: approved }, previous: { at: now, values: inForce } }
        : {
            apply: { ...memory.apply, values: approved },
            // Should the change be taken back, what was approved meanwhile is not.
            previous: memory.previous && { ...memory.previous, values: withLimits(memory.previous.values, newly, equal) },
          }),
    },
  };
}

/** Containers whose memory request equals its limit, and rises with it. */
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
    const own = result.get(container);
    const value = decided?.value ?? null;
    if (own === undefined || value === null) continue;
    const requests = resource === 'memory' && equal.has(container) ? withAmount(own.requests, resource, value) : own.requests;
    result.set(container, { requests, limits: withAmount(own.limits, resource, value) });
  }
  return result;
}
