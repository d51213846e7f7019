import { approveRecommendation } from '../../commands/approve-recommendation.ts';
import { bulkRecommendations } from '../../commands/bulk-recommendations.ts';
import { askingForEffect, type CommandPorts } from '../../commands/context.ts';
import type { CommandOutcome } from '../../commands/outcome.ts';
import type { ChangedRecommendation } from '../../commands/recommendation-intent.ts';
import { rejectRecommendation } from '../../commands/reject-recommendation.ts';
import { rollbackRecommendation } from '../../commands/rollback-recommendation.ts';
import { setWorkloadMode } from '../../commands/set-workload-mode.ts';
import { triggerResizeCycle } from '../../commands/trigger-resize-cycle.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRequest, ApiRouter } from '../api-router.ts';
import { changed, list, one, type Reply } from '../reply.ts';
import { bulkReply } from './bulk-reply.ts';
import { callerOf, targetOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { refuseIfMatch, requireMatch } from './if-match.ts';

type WorkloadOperation = 'approveRecommendation' | 'rejectRecommendation' | 'rollbackRecommendation' | 'setRecommendationMode';

/** Recommendations and cycles: ask, or have intent written, and shape. */
export function recommendationRoutes(api: ApiRouter, models: ReadModels, ports: CommandPorts): void {
  const { recommendations, system, workloadUsage } = models;

  api.on('listRecommendations', ({ scope, query }) => list(recommendations.list(scope, query)));
  api.on('getRecommendation', async ({ scope, path, query }) =>
    one<'getRecommendation'>(await recommendations.get(scope, targetOf(path, query))),
  );
  api.on('getWorkloadUsage', async ({ scope, path, query }) =>
    one<'getWorkloadUsage'>(await workloadUsage.get(scope, targetOf(path, query), query)),
  );
  api.on('listResizeStats', async ({ scope, query }) => list(await system.cycles(scope, query)));

  /** Answers with the record as the write left it, and has the next list computed anew. */
  const answered = <Id extends WorkloadOperation>(outcome: CommandOutcome<ChangedRecommendation>): Reply<Id> => {
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    const { workload, recommendation } = outcome.item;
    return changed<Id>(recommendations.record(workload, recommendation), { dryRun: outcome.dryRun });
  };
  const matched = ({ ifMatch, scope, path, query }: ApiRequest<WorkloadOperation>): Promise<void> =>
    requireMatch(ifMatch, scope, () => recommendations.get(scope, targetOf(path, query)));

  api.on('approveRecommendation', async (request) => {
    await matched(request);
    return answered(await approveRecommendation(ports, callerOf(request), targetOf(request.path, request.query), request.body));
  });
  api.on('rejectRecommendation', async (request) => {
    await matched(request);
    return answered(await rejectRecommendation(ports, callerOf(request), targetOf(request.path, request.query), request.body));
  });
  api.on('rollbackRecommendation', async (request) => {
    await matched(request);
    return answered(await rollbackRecommendation(ports, callerOf(request), targetOf(request.path, request.query), request.body));
  });
  api.on('setRecommendationMode', async (request) => {
    await matched(request);
    const outcome = await setWorkloadMode(ports, callerOf(request), targetOf(request.path, request.query), request.body);
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'setRecommendationMode'>(recommendations.record(outcome.item), { dryRun: outcome.dryRun });
  });
  api.on('bulkRecommendations', async (request) => {
    refuseIfMatch(request.ifMatch);
    const caller = callerOf(request);
    const { items } = request.body;
    const asking = items.every(({ action }) => action === 'rollback') ? askingForEffect(ports, caller) : caller;
    const results = await bulkRecommendations(ports, asking, items);
    recommendations.clear();
    return bulkReply<'bulkRecommendations'>(results, asking.dryRun);
  });
  api.on('triggerResizeCycle', async (request) => {
    refuseIfMatch(request.ifMatch);
    const outcome = await triggerResizeCycle(ports, callerOf(request));
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'triggerResizeCycle'>(outcome.item, { dryRun: outcome.dryRun });
  });
}
