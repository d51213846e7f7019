import type { BulkResult, OverrideBulkItem } from '../apis/http/types.generated.ts';
import { carryOutItems } from './carry-out-items.ts';
import type { Caller, CommandPorts } from './context.ts';
import type { CommandOutcome } from './outcome.ts';
import { removeBounds, setBounds } from './set-bounds.ts';

/** Sets or removes the bounds of many workloads, each by itself. */
export function bulkOverrides(ports: CommandPorts, caller: Caller, items: readonly OverrideBulkItem[]): Promise<readonly BulkResult[]> {
  return carryOutItems(ports, caller, items, (own, item) => dispatch(ports, own, item));
}

async function dispatch(ports: CommandPorts, caller: Caller, item: OverrideBulkItem): Promise<CommandOutcome<unknown>> {
  const { action, floor, ceiling, reason } = item;
  if (action === 'set') {
    if (floor === undefined && ceiling === undefined) {
      return { kind: 'invalid', details: [{ path: 'floor', message: 'or ceiling is required for set' }] };
    }
    return setBounds(ports, caller, item, {
      ...(floor === undefined ? {} : { floor }),
      ...(ceiling === undefined ? {} : { ceiling }),
      ...(reason === undefined ? {} : { reason }),
    });
  }
  const given = floor !== undefined ? 'floor' : ceiling !== undefined ? 'ceiling' : null;
  if (given !== null) {
    const message = 'is not taken by remove, which takes away floor and ceiling; to take away one value use set with null';
    return { kind: 'invalid', details: [{ path: given, message }] };
  }
  return removeBounds(ports, caller, item, reason);
}
