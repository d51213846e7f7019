import { expect, test } from '@jest/globals';
import { Slices, type Steps } from './slices.ts';

const STEP_MS = 3;

/** Steps that take 3 ms each; `log` gets their names, and `turn` at the begin of each turn. */
function world() {
  const log: string[] = [];
  const turns: (() => void)[] = [];
  let nowMs = 0;
  function* steps(name: string, count: number): Steps<string> {
    for (let step = 1; step <= count; step += 1) {
      if (step > 1) yield;
      nowMs += STEP_MS;
      log.push(`${name}${step}`);
      if (name === 'bad' && step === 2) throw new Error('no more');
    }
    return name;
  }
  const slices = new Slices(
    () => nowMs,
    (task) => turns.push(task),
  );
  const finish = async (otherEventsMs = 0): Promise<void> => {
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      log.push('turn');
      nowMs += otherEventsMs;
      turn();
      await Promise.resolve();
    }
  };
  return { log, slices, steps, finish };
}

test('work of one step runs at once', async () => {
  const { log, slices, steps } = world();
  const result = slices.run(steps('a', 1));
  expect(log).toEqual(['a1']);
  expect(await result).toBe('a');
});

test('work of several callers shares the turns', async () => {
  const { log, slices, steps, finish } = world();
  const results = Promise.all([slices.run(steps('a', 4)), slices.run(steps('b', 3))]);
  await finish();
  expect(log).toEqual(['a1', 'b1', 'turn', 'a2', 'b2', 'turn', 'a3', 'b3', 'turn', 'a4']);
  expect(await results).toEqual(['a', 'b']);
});

test.each([
  [24, 4],
  [1000, 9],
])('turns are longer where other events take %i ms, so that they do not starve the work', async (otherEventsMs, stepsOfTurn) => {
  const { log, slices, steps, finish } = world();
  const result = slices.run(steps('a', 30));
  await finish(otherEventsMs);
  await result;
  expect(log.indexOf('turn', 2) - log.indexOf('turn') - 1).toBe(stepsOfTurn);
});

test('a step that fails ends its own work only', async () => {
  const { slices, steps, finish } = world();
  const bad = slices.run(steps('bad', 3));
  const good = slices.run(steps('good', 3));
  const rejection = expect(bad).rejects.toThrow('no more');
  await finish();
  await rejection;
  expect(await good).toBe('good');
});
