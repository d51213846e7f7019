import { bulkResourceAudit, bulkResourceAuditFault } from '../../commands/bulk-resource-audit.ts';
import { askingForEffect, type CommandPorts } from '../../commands/context.ts';
import { deleteRecommendation } from '../../commands/delete-recommendation.ts';
import { resetToDeploy } from '../../commands/reset-to-deploy.ts';
import { stripAnnotations } from '../../commands/strip-annotations.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRequest, ApiRouter } from '../api-router.ts';
import { changed, list, one } from '../reply.ts';
import { bulkReply } from './bulk-reply.ts';
import { callerOf, targetOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { refuseIfMatch, requireMatch } from './if-match.ts';

type WorkloadOperation = 'resetToDeploy' | 'deleteRecommendation' | 'stripAnnotations';

/** Template, recommendation and live pods side by side, and the ways back. */
export function resourceAuditRoutes(api: ApiRouter, { resourceAudit, recommendations }: ReadModels, ports: CommandPorts): void {
  api.on('listResourceAudit', ({ scope, query }) => list(resourceAudit.list(scope, query)));
  api.on('getResourceAudit', ({ scope, path, query }) => one<'getResourceAudit'>(resourceAudit.get(scope, targetOf(path, query))));

  const matched = ({ ifMatch, scope, path, query }: ApiRequest<WorkloadOperation>): Promise<void> =>
    requireMatch(ifMatch, scope, async () => resourceAudit.get(scope, targetOf(path, query)));

  api.on('resetToDeploy', async (request) => {
    await matched(request);
    const outcome = await resetToDeploy(ports, callerOf(request), targetOf(request.path, request.query), request.body ?? {});
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'resetToDeploy'>(resourceAudit.record(outcome.item), { dryRun: outcome.dryRun });
  });
  api.on('deleteRecommendation', async (request) => {
    await matched(request);
    const outcome = await deleteRecommendation(ports, callerOf(request), targetOf(request.path, request.query));
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'deleteRecommendation'>(resourceAudit.record(outcome.item, null), { dryRun: outcome.dryRun });
  });
  api.on('stripAnnotations', async (request) => {
    await matched(request);
    const outcome = await stripAnnotations(ports, callerOf(request), targetOf(request.path, request.query));
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'stripAnnotations'>(resourceAudit.record(outcome.item), { dryRun: outcome.dryRun });
  });
  api.on('bulkResourceAudit', async (request) => {
    refuseIfMatch(request.ifMatch);
    const caller = callerOf(request);
    const fault = bulkResourceAuditFault(request.body);
    if (fault !== null) throw commandProblem(fault);
    const asking = request.body.action === 'reset-to-deploy' ? askingForEffect(ports, caller) : caller;
    const results = await bulkResourceAudit(ports, asking, request.body);
    recommendations.clear();
    return bulkReply<'bulkResourceAudit'>(results, asking.dryRun);
  });
}
