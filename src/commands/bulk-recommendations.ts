import type { BulkItem, BulkResult } from '../apis/http/types.generated.ts';
import { approveRecommendation } from './approve-recommendation.ts';
import { carryOutItems } from './carry-out-items.ts';
import type { Caller, CommandPorts } from './context.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';
import { rejectRecommendation } from './reject-recommendation.ts';
import { rollbackRecommendation } from './rollback-recommendation.ts';
import { setWorkloadMode } from './set-workload-mode.ts';

/** Carries out each item by itself; a failing one never stops the others. */
export function bulkRecommendations(ports: CommandPorts, caller: Caller, items: readonly BulkItem[]): Promise<readonly BulkResult[]> {
  return carryOutItems(ports, caller, items, (own, item) => dispatch(ports, own, item));
}

async function dispatch(ports: CommandPorts, caller: Caller, item: BulkItem): Promise<CommandOutcome<unknown>> {
  const reason = item.reason === undefined ? {} : { reason: item.reason };
  switch (item.action) {
    case 'approve':
      if (item.containers === undefined) return missing('containers', 'is required for approve: the values seen');
      return approveRecommendation(ports, caller, item, { containers: item.containers, ...reason });
    case 'reject':
      return rejectRecommendation(ports, caller, item, {
        ...(item.containers === undefined ? {} : { containers: item.containers }),
        ...reason,
      });
    case 'rollback':
      return rollbackRecommendation(ports, caller, item, reason);
    case 'mode':
      if (item.mode === undefined) return missing('mode', 'is required for mode; null goes back to the policy’s');
      return setWorkloadMode(ports, caller, item, { mode: item.mode, ...reason });
  }
}

function missing(path: string, message: string): CommandRefusal {
  return { kind: 'invalid', details: [{ path, message }] };
}
