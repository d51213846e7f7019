import type { BulkResult } from '../apis/http/types.generated.ts';
import type { Caller, CommandPorts } from './context.ts';
import { refusalError, type CommandOutcome } from './outcome.ts';

/** Writes at once: enough to hide the API server's latency, few enough not to crowd it. */
const CONCURRENCY = 24;

interface NamedItem {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Carries out each item by itself; a failing one never stops the others and is named by its index. Items of one object
 * follow each other in their order, so that the last word stands.
 */
export async function carryOutItems<Item extends NamedItem>(
  ports: Pick<CommandPorts, 'logger'>,
  caller: Caller,
  items: readonly Item[],
  carryOut: (caller: Caller, item: Item) => Promise<CommandOutcome<unknown>>,
): Promise<readonly BulkResult[]> {
  const results = new Array<BulkResult>(items.length);
  const lines = [...linesOf(items)];
  const one = async (index: number, item: Item): Promise<BulkResult> => {
    const own = caller.idempotencyKey === null ? caller : { ...caller, idempotencyKey: `${caller.idempotencyKey}#${index}` };
    try {
      const outcome = await carryOut(own, item);
      if (outcome.kind === 'done') return { index, ok: true, ...(outcome.dryRun ? { dryRun: true } : {}) };
      return { index, ok: false, error: refusalError(outcome) };
    } catch (error) {
      ports.logger.error('bulk item failed', { requestId: caller.requestId, index, err: error });
      const message = 'Something went wrong on our side; the request id finds it in the log.';
      return { index, ok: false, error: { code: 'internal', message } };
    }
  };
  const work = async (): Promise<void> => {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      for (const { index, item } of line) results[index] = await one(index, item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, lines.length) }, work));
  return results;
}

/** The results as one outcome: in a dry run as a whole where nothing that succeeded was carried out. */
export function bulkOutcome({ dryRun: requested }: Caller, results: readonly BulkResult[]): CommandOutcome<readonly BulkResult[]> {
  const done = results.filter(({ ok }) => ok);
  const dryRun = requested || (done.length > 0 && done.every((result) => result.dryRun === true));
  return { kind: 'done', item: results, dryRun };
}

function linesOf<Item extends NamedItem>(items: readonly Item[]): Iterable<{ readonly index: number; readonly item: Item }[]> {
  const lines = new Map<string, { readonly index: number; readonly item: Item }[]>();
  items.forEach((item, index) => {
    const key = `${item.namespace}/${item.name}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [{ index, item }]);
    else line.push({ index, item });
  });
  return lines.values();
}
