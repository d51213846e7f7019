import { expect, test } from '@jest/globals';
import { replicaWarnings } from './replica-reports.ts';

test('an answer that every replica has confirmed has no warning', () => {
  expect(replicaWarnings({ missing: [], areKnown: true }, true)).toEqual([]);
});

test('a warning names replicas only to a caller who may see them', () => {
  const reports = { missing: ['controller-a', 'controller-b'], areKnown: true };
  expect(replicaWarnings(reports, true)).toMatchObject([
    { code: 'replica_not_confirmed', message: expect.stringContaining('from controller-a, controller-b.') },
  ]);
  expect(replicaWarnings(reports, false)).toMatchObject([{ message: expect.stringContaining('from 2 replicas.') }]);
  expect(replicaWarnings({ ...reports, missing: ['controller-a'] }, false)).toMatchObject([
    { message: expect.stringContaining('from 1 replica.') },
  ]);
});

test('replicas that could not be listed are a warning', () => {
  expect(replicaWarnings({ missing: [], areKnown: false }, true)).toMatchObject([
    { message: expect.stringContaining('could not be listed') },
  ]);
});
