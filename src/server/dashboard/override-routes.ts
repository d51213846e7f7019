import { bulkOverrides } from '../../commands/bulk-overrides.ts';
import type { CommandPorts } from '../../commands/context.ts';
import type { CommandOutcome } from '../../commands/outcome.ts';
import { removeBounds, setBounds } from '../../commands/set-bounds.ts';
import { setExclusion } from '../../commands/set-exclusion.ts';
import type { WorkloadRecord } from '../../core/model/workload.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRequest, ApiRouter } from '../api-router.ts';
import { changed, list, one, type Reply } from '../reply.ts';
import { bulkReply } from './bulk-reply.ts';
import { callerOf, targetOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { refuseIfMatch, requireMatch } from './if-match.ts';

type WorkloadOperation = 'setBounds' | 'removeBounds' | 'setExclusion';

/** Overrides of single workloads: floors, ceilings, exclusion. */
export function overrideRoutes(api: ApiRouter, { overrides, recommendations }: ReadModels, ports: CommandPorts): void {
  api.on('listOverrides', ({ scope, query }) => list(overrides.list(scope, query)));
  api.on('getOverride', ({ scope, path, query }) => one<'getOverride'>(overrides.get(scope, targetOf(path, query))));

  const matched = ({ ifMatch, scope, path, query }: ApiRequest<WorkloadOperation>): Promise<void> =>
    requireMatch(ifMatch, scope, async () => overrides.get(scope, targetOf(path, query)));
  const answered = <Id extends WorkloadOperation>(outcome: CommandOutcome<WorkloadRecord>): Reply<Id> => {
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<Id>(overrides.record(outcome.item), { dryRun: outcome.dryRun });
  };

  api.on('setBounds', async (request) => {
    await matched(request);
    return answered(await setBounds(ports, callerOf(request), targetOf(request.path, request.query), request.body));
  });
  api.on('removeBounds', async (request) => {
    await matched(request);
    return answered(await removeBounds(ports, callerOf(request), targetOf(request.path, request.query)));
  });
  api.on('setExclusion', async (request) => {
    await matched(request);
    return answered(await setExclusion(ports, callerOf(request), targetOf(request.path, request.query), request.body));
  });
  api.on('bulkOverrides', async (request) => {
    refuseIfMatch(request.ifMatch);
    const results = await bulkOverrides(ports, callerOf(request), request.body.items);
    recommendations.clear();
    return bulkReply<'bulkOverrides'>(results, request.query.dryRun === true);
  });
}
