import type { CommandPorts } from '../../commands/context.ts';
import { decideLimitExceptions, type ExceptionVerdict } from '../../commands/decide-limit-exceptions.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRequest, ApiRouter } from '../api-router.ts';
import { changed, list, type Reply } from '../reply.ts';
import { callerOf, targetOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { requireMatch } from './if-match.ts';

type Deciding = 'approveLimitException' | 'rejectLimitException';

/** Limit exceptions: listed, approved, rejected. */
export function limitExceptionRoutes(api: ApiRouter, { limitExceptions, recommendations }: ReadModels, ports: CommandPorts): void {
  api.on('listLimitExceptions', ({ scope, query }) => list(limitExceptions.list(scope, query)));

  const decide = async <Id extends Deciding>(request: ApiRequest<Deciding>, verdict: ExceptionVerdict): Promise<Reply<Id>> => {
    const { ifMatch, scope, path, query, body } = request;
    await requireMatch(ifMatch, scope, () => recommendations.get(scope, targetOf(path, query)));
    const outcome = await decideLimitExceptions(ports, callerOf(request), targetOf(path, query), verdict, body ?? {});
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    const data = limitExceptions.of(outcome.item.workload, outcome.item.recommendation);
    return changed<Id>(data, { dryRun: outcome.dryRun, total: data.length });
  };
  api.on('approveLimitException', (request) => decide(request, 'approve'));
  api.on('rejectLimitException', (request) => decide(request, 'reject'));
}
