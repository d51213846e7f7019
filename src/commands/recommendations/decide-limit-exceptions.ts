// Approves or rejects limit exceptions. The decision is written to the Recommendation, and the leader carries it out.

import type { ResizeMode } from '../../apis/conditions.ts';
import type { LimitExceptionBody } from '../../apis/http/types.generated.ts';
import type { Recommendation, RecommendationSpecExceptionDecision } from '../../apis/v1alpha1/index.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import type { LimitException } from '../../core/resize/model/limit-exception.ts';
import { canApprove, asDecided, pendingDecision } from '../../core/resize/layers/exceptions/pending.ts';
import { readExceptions } from '../../core/resize/status/exception-codec.ts';
import { readDecisions } from '../../core/resize/status/user-requests.ts';
import { containerCaps, tightestCap, type Cap } from '../../core/model/limit-range.ts';
import { isoTime } from '#kube/time/iso-time';
import { formatAmount } from '#kube/quantity';
import { parseSensibleAmount } from '#kube/sensible-amount';
import type { ResourceName } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload } from '../command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from '../context.ts';
import type { CommandOutcome, CommandRefusal } from '../outcome.ts';
import { stateIntent, type ChangedRecommendation, type SpecPatch } from './recommendation-intent.ts';

type ExceptionVerdict = 'approve' | 'reject';
type DecideExceptions = Command<OnWorkload<LimitExceptionBody | undefined>, ChangedRecommendation>;

/** Approves the open exceptions of the body's container and resource, or all of the workload where both are absent. */
export const approveLimitException: DecideExceptions = {
  requires: OPERATOR_OF_TARGET,
  run: (ports, caller, { target, body }) => decideLimitExceptions(ports, caller, target, 'approve', body ?? {}),
};

/** Rejects the open exceptions of the body's container and resource, or all of the workload where both are absent. */
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
    // A rejection changes pods only where it removes an applied overage.
    isChangingPods: ({ status }) =>
      approves || matchingExceptions(readExceptions(status), body).some(({ overage }) => overage?.returnedAt === null),
    findIneffectiveReason: (inForce) => {
      mode = inForce;
      return approves && !canApprove(inForce)
        ? 'this mode applies nothing, so an approval would have no effect. Set the mode to Auto or Approve first, then approve.'
        : null;
    },
    decide: (recommendation, now) => decidePatch({ ports, recommendation, verdict, body, by, mode, now }),
  });
}

interface ExceptionRequest {
  readonly ports: CommandPorts;
  readonly recommendation: Recommendation;
  readonly verdict: ExceptionVerdict;
  readonly body: LimitExceptionBody;
  readonly by: string;
  readonly mode: ResizeMode;
  readonly now: Instant;
}

function decidePatch(request: ExceptionRequest): SpecPatch | null | CommandRefusal {
  const { recommendation, verdict, body, by, mode, now } = request;
  const decisions = readDecisions(recommendation.spec);
  const stored = readExceptions(recommendation.status);
  const matching = matchingExceptions(stored, body).map((exception) => asDecided(exception, decisions, mode));
  const open = matching.filter(({ state }) => state === 'open');
  const value = readValue(request, open.length === 0 ? matching : open);
  if (value !== null && typeof value !== 'number') return value;
  if (open.length === 0) return refusalOfClosed(matching, verdict, value);
  const refusal = verdict === 'approve' ? refusalOfApproval(request, open, value) : null;
  if (refusal !== null) return refusal;
  const newDecisions = open.map(({ container, resource }): RecommendationSpecExceptionDecision => ({
    container,
    resource,
    decision: verdict,
    ...(value === null ? {} : { value: formatAmount(resource, value) }),
    by,
    at: isoTime(now),
    ...(body.reason === undefined ? {} : { reason: body.reason }),
  }));
  return { kind: 'patch', spec: { exceptionDecisions: [...pendingDecisions(recommendation, stored, newDecisions), ...newDecisions] } };
}

function matchingExceptions(stored: readonly LimitException[], body: LimitExceptionBody): readonly LimitException[] {
  return stored.filter(
    ({ container, resource }) => (body.container ?? container) === container && (body.resource ?? resource) === resource,
  );
}

/** Earlier decisions that are not carried out yet; others, and those about earlier exceptions, are removed. */
function pendingDecisions(
  { spec }: Recommendation,
  stored: readonly LimitException[],
  newDecisions: readonly RecommendationSpecExceptionDecision[],
): readonly RecommendationSpecExceptionDecision[] {
  const isSame = (a: { container: string; resource: string }, b: { container: string; resource: string }): boolean =>
    a.container === b.container && a.resource === b.resource;
  return (spec.exceptionDecisions ?? []).filter((decision) => {
    const about = stored.find((exception) => isSame(exception, decision));
    return (
      about !== undefined &&
      pendingDecision(about, readDecisions({ exceptionDecisions: [decision] })) !== null &&
      !newDecisions.some((newDecision) => isSame(newDecision, decision))
    );
  });
}

/** null where the exceptions were closed with the same decision; else a refusal. */
function refusalOfClosed(exceptions: readonly LimitException[], verdict: ExceptionVerdict, value: number | null): null | CommandRefusal {
  const requested = verdict === 'approve' ? 'approved' : 'rejected';
  const isSame = exceptions.some(({ state, decided }) => state === requested && (value === null || decided?.value === value));
  if (isSame) return null;
  const [first] = exceptions;
  if (first === undefined) return { kind: 'not-found', message: 'There is no such limit exception.' };
  const by = first.decided === null ? '' : ` by ${first.decided.by}`;
  return { kind: 'conflict', message: `The limit exception is no longer open: it was ${first.state}${by}. Nothing was changed.` };
}

/** The body's value in millicores or bytes; null where it has none. */
function readValue({ body, verdict }: ExceptionRequest, exceptions: readonly LimitException[]): number | null | CommandRefusal {
  const { value } = body;
  if (value === undefined) return null;
  const invalid = (message: string): CommandRefusal => ({ kind: 'invalid', details: [{ path: '/value', message }] });
  if (verdict === 'reject') return invalid('is accepted only with approve');
  const [first, ...others] = exceptions;
  if (first === undefined) return null;
  if (others.length > 0) return invalid('is accepted for one exception: set its container and resource');
  const amount = parseAmount(first.resource, value);
  return amount.ok ? amount.value : invalid(amount.message);
}

function parseAmount(resource: ResourceName, value: string | number) {
  if (typeof value === 'number') return { ok: true, value } as const;
  return parseSensibleAmount(resource, value);
}

function refusalOfApproval(request: ExceptionRequest, open: readonly LimitException[], value: number | null): CommandRefusal | null {
  for (const exception of open) {
    const { resource, container, limit, bound, proposed, evidence, type } = exception;
    if (type === 'leak') continue;
    const requested = value ?? proposed;
    const what = `${resource} of ${container}`;
    if (requested === null) return { kind: 'not-feasible', message: `No greater value can be proposed for ${what}: ${evidence}.` };
    if (requested <= limit) {
      const message = `must be greater than the present ${bound} of ${formatAmount(resource, limit)}`;
      return { kind: 'invalid', details: [{ path: '/value', message }] };
    }
    const max = maxAllowed(request, resource);
    if (max !== null && requested > max.value) {
      return { kind: 'not-feasible', message: `${what}: ${max.what} allows no more than ${formatAmount(resource, max.value)}.` };
    }
  }
  return null;
}

function maxAllowed({ ports, recommendation }: ExceptionRequest, resource: ResourceName): Cap | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const ranges = containerCaps(ports.cluster.limitRangesIn(recommendation.metadata.namespace ?? ''), field);
  const nodes = [...ports.cluster.nodes()].map(({ allocatable }) => allocatable[field]);
  return tightestCap(nodes.length === 0 ? ranges : [...ranges, { value: Math.max(...nodes), what: 'the largest node' }]);
}
