import type { BulkItem, BulkResult } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_ITEMS } from '../../core/access/requirement.ts';
import { approveRecommendation } from './approve-recommendation.ts';
import { bulkOutcome, carryOutItems } from '../carry-out-items.ts';
import { carryOut, type Command } from '../command.ts';
import type { Caller, CommandPorts } from '../context.ts';
import type { CommandOutcome, CommandRefusal } from '../outcome.ts';
import { rejectRecommendation } from './reject-recommendation.ts';
import { rollbackRecommendation } from './rollback-recommendation.ts';
import { setWorkloadMode } from '../workloads/set-workload-mode.ts';

/** Carries out each item independently; a failing item does not stop the others. */
export const bulkRecommendations: Command<{ readonly items: readonly BulkItem[] }, readonly BulkResult[]> = {
  requires: OPERATOR_OF_ITEMS,
  async run(ports, caller, { items }) {
    return bulkOutcome(caller, await carryOutItems(ports, caller, items, (itemCaller, item) => dispatch(ports, itemCaller, item)));
  },
};

async function dispatch(ports: CommandPorts, caller: Caller, item: BulkItem): Promise<CommandOutcome<unknown>> {
  const reason = item.reason === undefined ? {} : { reason: item.reason };
  const { containers } = item;
  switch (item.action) {
    case 'approve':
      if (containers === undefined) return missing('/containers', 'is required for approve: the values that were read');
      return carryOut(approveRecommendation, ports, caller, { target: item, body: { containers, ...reason } });
    case 'reject':
      return carryOut(rejectRecommendation, ports, caller, {
        target: item,
        body: { ...(containers === undefined ? {} : { containers }), ...reason },
      });
    case 'rollback':
      return carryOut(rollbackRecommendation, ports, caller, { target: item, body: reason });
    case 'mode':
      if (item.mode === undefined) return missing('/mode', 'is required for mode; null restores the policy’s mode');
      return carryOut(setWorkloadMode, ports, caller, { target: item, body: { mode: item.mode, ...reason } });
  }
}

function missing(path: string, message: string): CommandRefusal {
  return { kind: 'invalid', details: [{ path, message }] };
}
