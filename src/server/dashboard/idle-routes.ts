import type { CommandPorts } from '../../commands/context.ts';
import { wakeWorkload } from '../../commands/wake-workload.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRouter } from '../api-router.ts';
import { Problem } from '../problem.ts';
import { changed, list } from '../reply.ts';
import { callerOf, targetOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { requireMatch } from './if-match.ts';

/** Workloads that are small because nobody uses them. */
export function idleRoutes(api: ApiRouter, { idleWorkloads, recommendations }: ReadModels, ports: CommandPorts): void {
  api.on('listIdleWorkloads', ({ scope, query }) => list(idleWorkloads.list(scope, query)));
  api.on('wakeWorkload', async (request) => {
    const { ifMatch, scope, path, query } = request;
    await requireMatch(ifMatch, scope, () => recommendations.get(scope, targetOf(path, query)));
    const outcome = await wakeWorkload(ports, callerOf(request), targetOf(path, query), request.body);
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    const record = idleWorkloads.record(outcome.item.recommendation);
    if (record === null) throw new Problem('conflict', 'It has woken meanwhile.');
    return changed<'wakeWorkload'>(record, { dryRun: outcome.dryRun });
  });
}
