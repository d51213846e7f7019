import { setImmediate } from 'node:timers/promises';

/** Some milliseconds of work. */
const ITEMS_PER_TURN = 500;

/** Passes over many items, and serves other events meanwhile: 150,000 pods at once would block the event loop for half a second. */
export async function inTurns<Item>(items: Iterable<Item>, take: (item: Item) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    take(item);
    if (++count % ITEMS_PER_TURN === 0) await setImmediate();
  }
}
