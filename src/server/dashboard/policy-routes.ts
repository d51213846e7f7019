import type { CommandPorts } from '../../commands/context.ts';
import { setPolicyOverride } from '../../commands/set-policy-override.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRouter } from '../api-router.ts';
import { changed, list } from '../reply.ts';
import { callerOf } from './caller.ts';
import { commandProblem } from './command-problem.ts';
import { refuseIfMatch } from './if-match.ts';

/** Policies and what people override in them for a while. */
export function policyRoutes(api: ApiRouter, { policies, recommendations }: ReadModels, ports: CommandPorts): void {
  api.on('listPolicies', ({ scope, query }) => list(policies.list(scope, query)));
  api.on('listPolicyOverrides', ({ scope, query }) => list(policies.overrides(scope, query)));
  api.on('setPolicyOverride', async (request) => {
    refuseIfMatch(request.ifMatch);
    const { expiresIn, ...body } = request.body;
    const given = { ...body, value: body.value, ...(expiresIn === undefined ? {} : { expiresIn }) };
    const outcome = await setPolicyOverride(ports, callerOf(request), request.path, given);
    if (outcome.kind !== 'done') throw commandProblem(outcome);
    recommendations.clear();
    return changed<'setPolicyOverride'>(policies.record(outcome.item.kind, outcome.item), { dryRun: outcome.dryRun });
  });
}
