import type { BulkResult, ResourceAuditBulkBody } from '../apis/http/types.generated.ts';
import { OPERATOR_OF_ITEMS } from '../core/access/requirement.ts';
import { bulkOutcome, carryOutItems } from './carry-out-items.ts';
import { carryOut, type Command } from './command.ts';
import { deleteRecommendation } from './delete-recommendation.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';
import { holdOf, resetToDeploy } from './reset-to-deploy.ts';
import { stripAnnotations } from './strip-annotations.ts';

/** One action on many workloads, each by itself. */
export const bulkResourceAudit: Command<ResourceAuditBulkBody, readonly BulkResult[]> = {
  requires: OPERATOR_OF_ITEMS,
  async run(ports, caller, body) {
    const fault = faultOf(body);
    if (fault !== null) return fault;
    const reason = body.reason === undefined ? {} : { reason: body.reason };
    const results = await carryOutItems(ports, caller, body.items, async (own, target): Promise<CommandOutcome<unknown>> => {
      switch (body.action) {
        case 'reset-to-deploy':
          return carryOut(resetToDeploy, ports, own, { target, body: { ...(body.for === undefined ? {} : { for: body.for }), ...reason } });
        case 'delete-recommendation':
          return carryOut(deleteRecommendation, ports, own, { target, body: reason });
        case 'strip-annotations':
          return carryOut(stripAnnotations, ports, own, { target, body: reason });
      }
    });
    return bulkOutcome(caller, results);
  },
};

/** What is wrong with the request as a whole, before any of its items is looked at; null: nothing. */
function faultOf(body: Pick<ResourceAuditBulkBody, 'action' | 'for'>): CommandRefusal | null {
  if (body.for === undefined) return null;
  if (body.action !== 'reset-to-deploy') {
    return { kind: 'invalid', details: [{ path: '/for', message: `goes with reset-to-deploy alone: ${body.action} holds nothing` }] };
  }
  const hold = holdOf(body.for);
  return typeof hold === 'number' ? null : hold;
}
