import { expect, test } from '@jest/globals';
import { SharedUpdate } from './shared-update.ts';

/** An update that ends when the test ends it, and counts how many run at once. */
function aSlowUpdate() {
  const ends: (() => void)[] = [];
  const state = { begun: 0, active: 0, mostActive: 0 };
  const update = new SharedUpdate(async () => {
    state.begun += 1;
    state.active += 1;
    state.mostActive = Math.max(state.mostActive, state.active);
    await new Promise<void>((resolve) => ends.push(resolve));
    state.active -= 1;
  });
  const endAll = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { update, state, endAll };
}

test('callers that come while one runs share the next', async () => {
  const { update, state, endAll } = aSlowUpdate();
  const callers = Array.from({ length: 100 }, () => update.run());
  await endAll();
  await Promise.all(callers);
  expect(state).toEqual({ begun: 2, active: 0, mostActive: 1 });
});

test('two never run at once, also where a caller asks again as soon as it was served', async () => {
  const { update, state, endAll } = aSlowUpdate();
  const first = update.run().then(() => update.run());
  const second = update.run();
  await endAll();
  await Promise.all([first, second]);
  expect(state).toEqual({ begun: 2, active: 0, mostActive: 1 });
});

test('an update follows one that failed', async () => {
  let begun = 0;
  const update = new SharedUpdate(() => {
    begun += 1;
    return begun === 1 ? Promise.reject(new Error('broken')) : Promise.resolve();
  });
  const [first, second] = [update.run(), update.run()];
  await expect(first).rejects.toThrow('broken');
  await expect(second).resolves.toBeUndefined();
});

test.each([
  ['5 ms continue one in a turn', 5, ['update', 'first', 'turn', 'update', 'second', 'turn', 'third', 'turn', 'fourth']],
  ['2 ms continue together for 5 ms', 2, ['update', 'first', 'update', 'second', 'third', 'fourth', 'turn']],
])('callers of one update that take %s, and the next update begins after the last', async (_, durationMs, expected) => {
  const turns: (() => void)[] = [];
  const order: string[] = [];
  let nowMs = 0;
  const update = new SharedUpdate(
    () => {
      order.push('update');
      return Promise.resolve();
    },
    (task) => turns.push(task),
    () => nowMs,
  );
  const callers = ['first', 'second', 'third', 'fourth'].map(async (name) => {
    await update.run();
    // What a caller does after further promises counts, too.
    for (let promise = 0; promise < 10; promise += 1) await Promise.resolve();
    nowMs += durationMs;
    order.push(name);
  });
  const done = Promise.all(callers);
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const next = turns.shift();
    if (next === undefined) continue;
    order.push('turn');
    next();
  }
  await done;
  expect(order.slice(0, expected.length)).toEqual(expected);
});
