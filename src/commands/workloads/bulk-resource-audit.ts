import type { BulkResult, ResourceAuditBulkBody } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_ITEMS } from '../../core/access/requirement.ts';
import { bulkOutcome, carryOutItems } from '../carry-out-items.ts';
import { carryOut, type Command } from '../command.ts';
import { deleteRecommendation } from '../recommendations/delete-recommendation.ts';
import type { CommandOutcome, CommandRefusal } from '../outcome.ts';
import { holdOf, resetToDeploy } from './reset-to-deploy.ts';
import { stripAnnotations } from './strip-annotations.ts';

/** Carries out one action on many workloads independently. */
export const bulkResourceAudit: Command<ResourceAuditBulkBody, readonly BulkResult[]> = {
  requires: OPERATOR_OF_ITEMS,
  async run(ports, caller, body) {
    const fault = faultOf(body);
    if (fault !== null) return fault;
    const reason = body.reason === undefined ? {} : { reason: body.reason };
    const results = await carryOutItems(ports, caller, body.items, async (itemCaller, target): Promise<CommandOutcome<unknown>> => {
      switch (body.action) {
        case 'reset-to-deploy':
          return carryOut(resetToDeploy, ports, itemCaller, {
            target,
            body: { ...(body.for === undefined ? {} : { for: body.for }), ...reason },
          });
        case 'delete-recommendation':
          return carryOut(deleteRecommendation, ports, itemCaller, { target, body: reason });
        case 'strip-annotations':
          return carryOut(stripAnnotations, ports, itemCaller, { target, body: reason });
      }
    });
    return bulkOutcome(caller, results);
  },
};

/** A fault of the whole request, before its items are processed; null where there is none. */
function faultOf(body: Pick<ResourceAuditBulkBody, 'action' | 'for'>): CommandRefusal | null {
  if (body.for === undefined) return null;
  if (body.action !== 'reset-to-deploy') {
    return { kind: 'invalid', details: [{ path: '/for', message: `is accepted only with reset-to-deploy, not with ${body.action}` }] };
  }
  const hold = holdOf(body.for);
  return typeof hold === 'number' ? null : hold;
}
