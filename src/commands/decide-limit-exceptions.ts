// Approves or rejects limit exceptions: written as intent onto the Recommendation, where the leader finds it.

import type { ResizeMode } from '../apis/conditions.ts';
import type { LimitExceptionBody } from '../apis/http/types.generated.ts';
import type { Recommendation, RecommendationSpecExceptionDecision } from '../apis/v1alpha1/index.ts';
import { OPERATOR_OF_TARGET } from '../core/access/requirement.ts';
import type { LimitException } from '../core/resize/model/limit-exception.ts';
import { approvalActs, asDecided, pendingDecision } from '../core/resize/layers/exceptions/pending.ts';
import { readExceptions } from '../core/resize/status/exception-codec.ts';
import { readDecisions } from '../core/resize/status/user-requests.ts';
import { containerCaps, tightestCap, type Cap } from '../core/model/limit-range.ts';
import { isoTime } from '#kube/time/iso-time';
import { formatAmount, parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { ResourceName } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from './command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';
import { stateIntent, type ChangedRecommendation, type SpecPatch } from './recommendation-intent.ts';

type ExceptionVerdict = 'approve' | 'reject';
type DecideExceptions = Command<OnWorkload<LimitExceptionBody | undefined>, ChangedRecommendation>;

/** Every open exception of the workload that the body names becomes approved; without container and resource: all of them. */
export const approveLimitException: DecideExceptions = {
  requires: OPERATOR_OF_TARGET,
  run: (ports, caller, { target, body }) => decideLimitExceptions(ports, caller, target, 'approve', body ?? {}),
};

/** The same, rejected. */
export const rejectLimitException: DecideExceptions = {
  requires: OPERATOR_OF_TARGET,
  run: (ports, caller, { target, body }) => decideLimitExceptions(ports, caller, target, 'reject', body ?? {}),
};

function decideLimitExceptions(
  ports: CommandPorts,
  caller: Caller,
  target: WorkloadTarget,
  verdict: ExceptionVerdict,
  body: LimitExceptionBody,
): Promise<CommandOutcome<ChangedRecommendation>> {
  const by = caller.scope.actor;
  const approves = verdict === 'approve';
  const what = [body.resource, body.container === undefined ? undefined : `of ${body.container}`]
    .filter((part) => part !== undefined)
    .join(' ');
  const sentence = `${by} ${approves ? 'approved' : 'rejected'} ${what === '' ? 'its limit exceptions' : `the limit exception on ${what}`}`;
  let mode: ResizeMode = 'Auto';
  return stateIntent(ports, caller, target, {
    action: approves ? 'ApproveLimitException' : 'RejectLimitException',
    eventReason: approves ? COMMAND_EVENT.approved : COMMAND_EVENT.rejected,
    message: withReason(body.value === undefined ? sentence : `${sentence} with ${body.value}`, body.reason),
    // A rejection takes back what was applied; without that it only keeps the exception closed.
    changesWorkload: ({ status }) => approves || named(readExceptions(status), body).some(({ overage }) => overage?.returnedAt === null),
    whyIneffective: (inForce) => {
      mode = inForce;
      return approves && !approvalActs(inForce)
        ? 'nothing is applied in it, so an approval would have no effect. Set the mode to Auto or Approve first, then approve.'
        : null;
    },
    decide: (recommendation, now) => decided({ ports, recommendation, verdict, body, by, mode, now }),
  });
}

interface Asked {
  readonly ports: CommandPorts;
  readonly recommendation: Recommendation;
  readonly verdict: ExceptionVerdict;
  readonly body: LimitExceptionBody;
  readonly by: string;
  readonly mode: ResizeMode;
  readonly now: Instant;
}

function decided(asked: Asked): SpecPatch | null | CommandRefusal {
  const { recommendation, verdict, body, by, mode, now } = asked;
  const decisions = readDecisions(recommendation.spec);
  const stored = readExceptions(recommendation.status);
  const seen = named(stored, body).map((exception) => asDecided(exception, decisions, mode));
  const open = seen.filter(({ state }) => state === 'open');
  const value = readValue(asked, open.length === 0 ? seen : open);
  if (value !== null && typeof value !== 'number') return value;
  if (open.length === 0) return closedAlready(seen, verdict, value);
  const refusal = verdict === 'approve' ? whyNotApproved(asked, open, value) : null;
  if (refusal !== null) return refusal;
  const made = open.map(({ container, resource }): RecommendationSpecExceptionDecision => ({
    container,
    resource,
    decision: verdict,
    ...(value === null ? {} : { value: formatAmount(resource, value) }),
    by,
    at: isoTime(now),
    ...(body.reason === undefined ? {} : { reason: body.reason }),
  }));
  return { kind: 'patch', spec: { exceptionDecisions: [...stillPending(recommendation, stored, made), ...made] } };
}

function named(stored: readonly LimitException[], body: LimitExceptionBody): readonly LimitException[] {
  return stored.filter(
    ({ container, resource }) => (body.container ?? container) === container && (body.resource ?? resource) === resource,
  );
}

/** What others decided and is not yet carried out; what is, or was about an exception before, goes. */
function stillPending(
  { spec }: Recommendation,
  stored: readonly LimitException[],
  made: readonly RecommendationSpecExceptionDecision[],
): readonly RecommendationSpecExceptionDecision[] {
  const same = (a: { container: string; resource: string }, b: { container: string; resource: string }): boolean =>
    a.container === b.container && a.resource === b.resource;
  return (spec.exceptionDecisions ?? []).filter((decision) => {
    const about = stored.find((exception) => same(exception, decision));
    return (
      about !== undefined &&
      pendingDecision(about, readDecisions({ exceptionDecisions: [decision] })) !== null &&
      !made.some((each) => same(each, decision))
    );
  });
}

/** Said before, so nothing is to be done; else it is too late. */
function closedAlready(seen: readonly LimitException[], verdict: ExceptionVerdict, value: number | null): null | CommandRefusal {
  const wanted = verdict === 'approve' ? 'approved' : 'rejected';
  const same = seen.some(({ state, decided: was }) => state === wanted && (value === null || was?.value === value));
  if (same) return null;
  const [first] = seen;
  if (first === undefined) return { kind: 'not-found', message: 'There is no such limit exception, so there is nothing to decide on.' };
  const who = first.decided === null ? '' : ` by ${first.decided.by}`;
  return { kind: 'conflict', message: `It is no longer open: it was ${first.state}${who}. Nothing was changed.` };
}

/** What the body gives, in the exception's unit; null: nothing. */
function readValue({ body, verdict }: Asked, exceptions: readonly LimitException[]): number | null | CommandRefusal {
  const { value } = body;
  if (value === undefined) return null;
  const wrong = (message: string): CommandRefusal => ({ kind: 'invalid', details: [{ path: '/value', message }] });
  if (verdict === 'reject') return wrong('goes with approve alone');
  const [first, ...others] = exceptions;
  if (first === undefined) return null;
  if (others.length > 0) return wrong('goes with one exception: name its container and resource');
  const amount = parseAmount(first.resource, value);
  return amount.ok ? amount.value : wrong(amount.message);
}

function parseAmount(resource: ResourceName, value: string | number) {
  if (typeof value === 'number') return { ok: true, value } as const;
  return resource === 'cpu' ? parseCpuMillicores(value) : parseMemoryBytes(value);
}

function whyNotApproved(asked: Asked, open: readonly LimitException[], value: number | null): CommandRefusal | null {
  for (const exception of open) {
    const { resource, container, limit, bound, proposed, evidence, type } = exception;
    if (type === 'leak') continue;
    const wanted = value ?? proposed;
    const what = `${resource} of ${container}`;
    if (wanted === null) return { kind: 'not-feasible', message: `Nothing greater can be proposed for ${what}: ${evidence}.` };
    if (wanted <= limit) {
      const message = `must be greater than the ${bound} of ${formatAmount(resource, limit)} that it is to replace`;
      return { kind: 'invalid', details: [{ path: '/value', message }] };
    }
    const greatest = maxAllowed(asked, resource);
    if (greatest !== null && wanted > greatest.value) {
      return { kind: 'not-feasible', message: `${what}: ${greatest.what} allows no more than ${formatAmount(resource, greatest.value)}.` };
    }
  }
  return null;
}

function maxAllowed({ ports, recommendation }: Asked, resource: ResourceName): Cap | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const ranges = containerCaps(ports.cluster.limitRangesIn(recommendation.metadata.namespace ?? ''), field);
  const nodes = [...ports.cluster.nodes()].map(({ allocatable }) => allocatable[field]);
  return tightestCap(nodes.length === 0 ? ranges : [...ranges, { value: Math.max(...nodes), what: 'the largest node' }]);
}
