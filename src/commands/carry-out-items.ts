import type { BulkResult } from '../apis/http/types.generated.ts';
import type { Caller, CommandPorts } from './context.ts';
import { refusalError, type CommandOutcome } from './outcome.ts';

/** Concurrent writes: enough to hide the API server's latency without overloading it. */
const CONCURRENCY = 24;

interface NamedItem {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Carries out each item independently; a failing item is reported by its index and does not stop the others. Items of one object run in
 * their order, so that the last one takes effect.
 */
export async function carryOutItems<Item extends NamedItem>(
  ports: Pick<CommandPorts, 'logger'>,
  caller: Caller,
  items: readonly Item[],
  carryOut: (caller: Caller, item: Item) => Promise<CommandOutcome<unknown>>,
): Promise<readonly BulkResult[]> {
  const results = new Array<BulkResult>(items.length);
  const groups = [...groupByObject(items)];
  const one = async (index: number, item: Item): Promise<BulkResult> => {
    const trail = caller.trail?.item();
    const idempotencyKey = caller.idempotencyKey === null ? null : `${caller.idempotencyKey}#${index}`;
    const itemCaller = { ...caller, idempotencyKey, ...(trail === undefined ? {} : { trail }) };
    try {
      const outcome = await carryOut(itemCaller, item);
      trail?.complete(outcome, item);
      if (outcome.kind === 'done') return { index, ok: true, ...(outcome.dryRun ? { dryRun: true } : {}) };
      return { index, ok: false, error: refusalError(outcome) };
    } catch (error) {
      trail?.fail(item);
      ports.logger.error('Bulk item failed', { requestId: caller.requestId, index, err: error });
      const message = 'Internal error. The log has the details under the request id.';
      return { index, ok: false, error: { code: 'internal', message } };
    }
  };
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const { index, item } of group) results[index] = await one(index, item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, groups.length) }, work));
  return results;
}

/** The results as one outcome, which is a dry run where no successful item was carried out. */
export function bulkOutcome({ dryRun: requested }: Caller, results: readonly BulkResult[]): CommandOutcome<readonly BulkResult[]> {
  const done = results.filter(({ ok }) => ok);
  const dryRun = requested || (done.length > 0 && done.every((result) => result.dryRun === true));
  return { kind: 'done', item: results, dryRun };
}

function groupByObject<Item extends NamedItem>(items: readonly Item[]): Iterable<{ readonly index: number; readonly item: Item }[]> {
  const groups = new Map<string, { readonly index: number; readonly item: Item }[]>();
  items.forEach((item, index) => {
    const key = `${item.namespace}/${item.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ index, item }]);
    else group.push({ index, item });
  });
  return groups.values();
}
