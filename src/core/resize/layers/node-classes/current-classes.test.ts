import { expect, test } from '@jest/globals';
import { aPodRecord, T0 } from '../../../../../test/builders/rightsizing.ts';
import { NO_MEMORY, type ResizeMemory } from '../../model/situation.ts';
import { memoryAtCreation, memoryOfClass } from './current-classes.ts';

const CLASSES = new Map([
  ['s1', '2cpu-8Gi'],
  ['l1', '16cpu-64Gi'],
]);

function applied(by: string): ResizeMemory {
  return { ...NO_MEMORY, lastApplied: { at: T0, by, reason: '', pods: 1, values: new Map() } };
}

const apart: ResizeMemory = { ...applied('small'), classes: new Map([['2cpu-8Gi', applied('small')]]) };

test.each([
  ['the only class there is', '2cpu-8Gi', ['s1'], applied('whole'), 'whole'],
  ['the first pod of all', '2cpu-8Gi', [], applied('whole'), 'whole'],
  ['a class that is new', '16cpu-64Gi', ['s1'], applied('whole'), null],
  ['a class that is known', '2cpu-8Gi', ['s1', 'l1'], apart, 'small'],
  ['a class that is known and has no pods now', '2cpu-8Gi', ['l1'], apart, 'small'],
  ['a class that is new beside others', '16cpu-64Gi', ['s1'], apart, null],
  ['a node that nobody knows, of one class', null, ['s1'], applied('whole'), 'whole'],
  ['a node that nobody knows, of two classes', null, ['s1', 'l1'], apart, null],
])('a pod is created with what is in force for its class: %s', (_, name, nodes, memory, expected) => {
  const pods = nodes.map((node) => aPodRecord({ name: node, node }));
  expect(memoryAtCreation(name, pods, CLASSES, memory).lastApplied?.by ?? null).toBe(expected);
});

test('a request for a roll-back that was carried out before a class came is not carried out for it', () => {
  const rolledBack = { at: T0, reason: 'request', message: '', heldUntil: T0, count: 0, requestedAt: T0 - 1, values: new Map() };
  const memory = { ...applied('whole'), rolledBack, lastRollbackRequestAt: T0 - 1 };
  const current = ['l1', 's1'].map((node, index) => ({
    name: CLASSES.get(node)!,
    pods: [aPodRecord({ name: node, node, createdAt: T0 - index })],
  }));
  const fresh = memoryOfClass(current[0]!, current, memory);
  expect([fresh.rolledBack, fresh.lastRollbackRequestAt]).toEqual([null, T0 - 1]);
});
