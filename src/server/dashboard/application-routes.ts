// Serves queries and commands of the application: requests become inputs, outcomes become replies.

import type { BulkResult, Operations } from '../../apis/http/types.generated.ts';
import {
  hashOfBody,
  type Application,
  type Caller,
  type CommandAnswer,
  type CommandInput,
  type CommandName,
  type Found,
  type Page,
  type QueryAnswer,
  type QueryInput,
  type QueryName,
} from '../../application/index.ts';
import { locationOf, type ApiRequest, type ApiRouter } from '../api-router.ts';
import { entityTag, isTagMatch } from '../etag.ts';
import { invalidRequest } from '../problem.ts';
import { refusalProblem } from '../refusal-problem.ts';
import { requestFactsOf } from '../request-context.ts';
import { changed, replyOf, type OperationTypes, type Reply } from '../reply.ts';

type AnsweredBy<Answer> =
  Answer extends Page<infer Item, infer Summary>
    ? { readonly data: readonly Item[]; readonly summary: Summary }
    : Answer extends Found<infer Item, infer Summary>
      ? { readonly data: Item; readonly summary: Summary }
      : never;
type ChangedBy<Answer> = Answer extends { readonly kind: 'done'; readonly data: infer Data } ? Data : never;

/** Queries and commands whose answer type matches the description of their operation. */
type Described<Names extends keyof Operations> = {
  [Name in Names]: [Name] extends [QueryName]
    ? [AnsweredBy<QueryAnswer<Name>>] extends [Pick<Operations[Name], 'data' | 'summary'>]
      ? Name
      : never
    : [Name] extends [CommandName]
      ? [ChangedBy<CommandAnswer<Name>>] extends [Operations[Name]['data']]
        ? Name
        : never
      : never;
}[Names];
type DescribedQuery = Described<Extract<QueryName, keyof Operations>>;
type DescribedCommand = Described<CommandName>;
type BulkName = 'bulkRecommendations' | 'bulkOverrides' | 'bulkResourceAudit';

/** Serves every described query and command. */
export function applicationRoutes(api: ApiRouter<Operations>, application: Application): void {
  const query = <Name extends DescribedQuery>(name: Name, inputOf: (request: ApiRequest<Operations[Name]>) => QueryInput<Name>): void => {
    api.on(name, async (request) => {
      const answer = (await application.ask(name, request.scope, inputOf(request))) as QueryAnswer<QueryName>;
      if (answer.kind !== 'page' && answer.kind !== 'found') {
        throw refusalProblem(answer, (pointer) => locationOf(request.operation, pointer));
      }
      return replyOf(answer) as Reply<Operations[Name]>;
    });
  };
  const carryOut = async <Name extends DescribedCommand>(name: Name, request: ApiRequest<OperationTypes>, input: CommandInput<Name>) => {
    const outcome = (await application.carryOut(name, callerOf(request), input, ifMatchConditionOf(request))) as CommandAnswer<CommandName>;
    // The application has recorded it.
    requestFactsOf(request.http).isRecorded = true;
    if (outcome.kind !== 'done') throw refusalProblem(outcome, (pointer) => locationOf(request.operation, pointer));
    return outcome as Pick<Reply<Operations[Name]>, 'data' | 'dryRun' | 'warnings'>;
  };
  const command = <Name extends Exclude<DescribedCommand, BulkName>>(
    name: Name,
    inputOf: (request: ApiRequest<Operations[Name]>) => CommandInput<Name>,
  ): void => {
    api.on(name, async (request) => {
      const { data, dryRun, warnings } = await carryOut(name, request, inputOf(request));
      return { ...changed<Operations[Name]>(data, dryRun), warnings };
    });
  };
  const bulk = <Name extends BulkName>(name: Name, inputOf: (request: ApiRequest<Operations[Name]>) => CommandInput<Name>): void => {
    api.on(name, async (request) => {
      const { data, dryRun, warnings } = await carryOut(name, request, inputOf(request));
      return { ...changed<Operations[Name]>(data, dryRun, countsOf(data)), warnings };
    });
  };

  query('getCluster', queryOf);
  query('getClusterUsage', queryOf);
  query('listNodes', queryOf);
  query('getNode', ({ path }) => path);
  query('listPods', queryOf);
  query('listNamespaces', queryOf);
  query('listRecommendations', queryOf);
  query('getRecommendation', onTarget);
  query('getWorkloadUsage', (request) => ({ ...request.query, ...onTarget(request) }));
  query('listResizeStats', queryOf);
  query('listOverrides', queryOf);
  query('getOverride', onTarget);
  query('listLimitExceptions', queryOf);
  query('listIdleWorkloads', queryOf);
  query('listPolicies', queryOf);
  query('getPolicy', ({ path, query: { namespace } }) => ({ target: { ...path, namespace } }));
  query('listPolicyOverrides', queryOf);
  query('listResourceAudit', queryOf);
  query('getResourceAudit', onTarget);
  query('listScaling', queryOf);
  query('listHealth', queryOf);
  query('getMode', queryOf);
  query('getAccessPolicy', queryOf);
  query('listAccessRequests', queryOf);
  query('listOwnAccessRequests', queryOf);
  query('listApiKeys', queryOf);
  query('listAccessEvents', queryOf);

  command('approveRecommendation', toTarget);
  command('rejectRecommendation', toTarget);
  command('rollbackRecommendation', toTarget);
  command('setRecommendationMode', toTarget);
  command('holdWorkload', (request) => ({ ...onTarget(request), body: request.body ?? {} }));
  command('endHold', (request) => ({ ...onTarget(request), body: {} }));
  command('triggerResizeCycle', () => undefined);
  command('setBounds', toTarget);
  command('removeBounds', (request) => ({ ...onTarget(request), body: {} }));
  command('setExclusion', toTarget);
  command('approveLimitException', toTarget);
  command('rejectLimitException', toTarget);
  command('wakeWorkload', toTarget);
  command('setPolicyOverride', ({ path, body }) => ({ target: path, body }));
  command('resetToDeploy', (request) => ({ ...onTarget(request), body: request.body ?? {} }));
  command('deleteRecommendation', (request) => ({ ...onTarget(request), body: {} }));
  command('replaceAccessPolicy', ({ body }) => ({ body }));
  command('requestAccess', ({ body }) => ({ body }));
  command('approveAccessRequest', ({ body }) => ({ body }));
  command('denyAccessRequest', ({ body }) => ({ body }));
  command('createApiKey', ({ body }) => ({ body }));
  command('deleteApiKey', ({ path }) => path);
  command('stripAnnotations', (request) => ({ ...onTarget(request), body: {} }));

  bulk('bulkRecommendations', ({ body }) => body);
  bulk('bulkOverrides', ({ body }) => body);
  bulk('bulkResourceAudit', ({ body }) => body);
}

interface OnWorkloadRequest {
  readonly path: { readonly ns: string; readonly name: string };
  readonly query: { readonly kind?: string };
}

/** The query parameters unchanged. */
function queryOf<Query>({ query }: { readonly query: Query }): Query {
  return query;
}

/** The workload of a path, with the kind that distinguishes equal names. */
function onTarget({ path, query }: OnWorkloadRequest) {
  return { target: { namespace: path.ns, name: path.name, kind: query.kind } };
}

function toTarget<Body>(request: OnWorkloadRequest & { readonly body: Body }) {
  return { ...onTarget(request), body: request.body };
}

function callerOf({ scope, requestId, address, idempotencyKey, query, body }: ApiRequest<OperationTypes>): Caller {
  const caller = { scope, requestId, address, idempotencyKey, dryRun: query['dryRun'] === true };
  return idempotencyKey === null ? caller : { ...caller, bodyHash: hashOfBody(body) };
}

/** Predicate that compares `If-Match` (the ETag of the object's GET) with the object; undefined: no condition. */
function ifMatchConditionOf({ ifMatch, operation, scope }: ApiRequest<OperationTypes>): ((item: unknown) => boolean) | undefined {
  if (ifMatch === null) return undefined;
  if (!operation.takesIfMatch) {
    throw invalidRequest([{ path: 'header.if-match', message: 'is not supported here: no GET returns this object' }]);
  }
  return ifMatch.trim() === '*' ? undefined : (item) => isTagMatch(ifMatch, entityTag(item, 1, scope.key));
}

function countsOf(results: readonly BulkResult[]): { readonly succeeded: number; readonly failed: number } {
  const succeeded = results.filter(({ ok }) => ok).length;
  return { succeeded, failed: results.length - succeeded };
}
