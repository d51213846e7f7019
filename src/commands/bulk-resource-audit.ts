import type { BulkResult, ResourceAuditBulkBody } from '../apis/http/types.generated.ts';
import { carryOutItems } from './carry-out-items.ts';
import type { Caller, CommandPorts } from './context.ts';
import { deleteRecommendation } from './delete-recommendation.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';
import { holdOf, resetToDeploy } from './reset-to-deploy.ts';
import { stripAnnotations } from './strip-annotations.ts';

/** What is wrong with the request as a whole, before any of its items is looked at; null: nothing. */
export function bulkResourceAuditFault(body: Pick<ResourceAuditBulkBody, 'action' | 'for'>): CommandRefusal | null {
  if (body.for === undefined) return null;
  if (body.action !== 'reset-to-deploy') {
    return { kind: 'invalid', details: [{ path: '/for', message: `goes with reset-to-deploy alone: ${body.action} holds nothing` }] };
  }
  const hold = holdOf(body.for);
  return typeof hold === 'number' ? null : hold;
}

/** One action on many workloads, each by itself. */
export function bulkResourceAudit(ports: CommandPorts, caller: Caller, body: ResourceAuditBulkBody): Promise<readonly BulkResult[]> {
  const { action, items, reason } = body;
  return carryOutItems(ports, caller, items, async (own, item): Promise<CommandOutcome<unknown>> => {
    switch (action) {
      case 'reset-to-deploy':
        return resetToDeploy(ports, own, item, {
          ...(body.for === undefined ? {} : { for: body.for }),
          ...(reason === undefined ? {} : { reason }),
        });
      case 'delete-recommendation':
        return deleteRecommendation(ports, own, item, reason);
      case 'strip-annotations':
        return stripAnnotations(ports, own, item, reason);
    }
  });
}
