import type { BulkResult, OverrideBulkItem } from '../../apis/http/types.generated.ts';
import { OPERATOR_OF_ITEMS } from '../../core/access/requirement.ts';
import { bulkOutcome, carryOutItems } from '../carry-out-items.ts';
import { carryOut, type Command } from '../command.ts';
import type { Caller, CommandPorts } from '../context.ts';
import type { CommandOutcome, CommandRefusal } from '../outcome.ts';
import { removeBounds, setBounds } from './set-bounds.ts';

/** Sets or removes the bounds of many workloads independently. */
export const bulkOverrides: Command<{ readonly items: readonly OverrideBulkItem[] }, readonly BulkResult[]> = {
  requires: OPERATOR_OF_ITEMS,
  async run(ports, caller, { items }) {
    return bulkOutcome(caller, await carryOutItems(ports, caller, items, (itemCaller, item) => dispatch(ports, itemCaller, item)));
  },
};

async function dispatch(ports: CommandPorts, caller: Caller, item: OverrideBulkItem): Promise<CommandOutcome<unknown>> {
  const { action, floor, ceiling } = item;
  const reason = item.reason === undefined ? {} : { reason: item.reason };
  if (action === 'set') {
    if (floor === undefined && ceiling === undefined) return invalidField('/floor', 'or ceiling is required for set');
    const body = { ...(floor === undefined ? {} : { floor }), ...(ceiling === undefined ? {} : { ceiling }), ...reason };
    return carryOut(setBounds, ports, caller, { target: item, body });
  }
  const given = floor !== undefined ? '/floor' : ceiling !== undefined ? '/ceiling' : null;
  if (given !== null) {
    return invalidField(given, 'is not accepted by remove, which removes floor and ceiling; use set with null to remove one value');
  }
  return carryOut(removeBounds, ports, caller, { target: item, body: reason });
}

function invalidField(path: string, message: string): CommandRefusal {
  return { kind: 'invalid', details: [{ path, message }] };
}
