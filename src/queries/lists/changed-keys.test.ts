import { expect, test } from '@jest/globals';
import { ALL, ChangedKeys, MAX_KEYS } from './changed-keys.ts';

function source() {
  const listeners = new Set<(key: string) => void>();
  let revision = 0;
  return {
    listeners,
    change: (key: string) => {
      revision += 1;
      for (const listener of listeners) listener(key);
    },
    changes: {
      revision: () => revision,
      subscribe: (listener: (key: string) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

test('the changes of the time in which all items are evaluated are kept', () => {
  const { changes, change } = source();
  const keys = new ChangedKeys();
  keys.follow(changes, (key) => key);
  expect(keys.take()).toBe(ALL);
  // 5,000 nodes report 150,000 pods in a minute: these are the changes of 16 s.
  for (let pod = 0; pod < 40_000; pod += 1) change(`pod-${pod}`);
  expect((keys.take() as Set<string>).size).toBe(40_000);
});

test('beyond the maximum nothing is kept until all items are evaluated', () => {
  const { changes, change, listeners } = source();
  const keys = new ChangedKeys();
  keys.follow(changes, (key) => key);
  keys.take();
  for (let pod = 0; pod <= MAX_KEYS + 1; pod += 1) change(`pod-${pod}`);
  expect(listeners.size).toBe(0);
  expect(keys.take()).toBe(ALL);
});

test('a change before the end of the subscriptions is kept', () => {
  const { changes, change } = source();
  const keys = new ChangedKeys();
  keys.follow(changes, (key) => key);
  keys.take();
  change('pod-1');
  keys.close();
  expect(keys.take()).toBe(ALL);
});
