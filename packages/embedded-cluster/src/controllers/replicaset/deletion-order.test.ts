import { describe, expect, test } from '@jest/globals';
import { aWirePod } from '../../../testing/workloads.ts';
import { TEST_EPOCH } from '../../../testing/manual-clock.ts';
import { toTimestamp } from '../../api/timestamp.ts';
import type { Pod } from '../wire/pod.ts';
import { sortForDeletion } from './deletion-order.ts';

const NOW = TEST_EPOCH + 86_400_000;

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly cost?: string;
  readonly readyForSeconds?: number;
  readonly restarts?: number;
  readonly ageSeconds?: number;
}

function aPod(
  name: string,
  { node = 'n1', phase = 'Running', ready = true, cost, readyForSeconds = 600, restarts = 0, ageSeconds = 600 }: Traits,
): Pod {
  const pod = aWirePod({ name, phase, ready, ...(node === '' ? {} : { node }) }) as Pod;
  pod.metadata.creationTimestamp = toTimestamp(NOW - ageSeconds * 1000);
  if (cost !== undefined) pod.metadata.annotations = { 'controller.kubernetes.io/pod-deletion-cost': cost };
  pod.status.conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: toTimestamp(NOW - readyForSeconds * 1000) },
  ];
  pod.status.containerStatuses = [{ name: 'main', restartCount: restarts }];
  return pod;
}

describe('a ReplicaSet deletes first', () => {
  test.each<[string, Traits, Traits]>([
    ['what has no node', { node: '', phase: 'Pending', ready: false }, { cost: '-100' }],
    ['what does not run', { phase: 'Pending', ready: false }, { ready: false }],
    ['what is not ready', { ready: false }, { cost: '-100' }],
    ['what costs least', { cost: '-5' }, { cost: '0', readyForSeconds: 10 }],
    ['what shares its node with most', { node: 'crowded' }, { node: 'n1', readyForSeconds: 10 }],
    ['what has been ready for less', { readyForSeconds: 10 }, { readyForSeconds: 600, restarts: 5 }],
    ['what has restarted more', { restarts: 2 }, { restarts: 0, ageSeconds: 10 }],
    ['what is younger', { ageSeconds: 10 }, { ageSeconds: 6000 }],
  ])('%s', (_, first, second) => {
    const crowding = (node: string): number => (node === 'crowded' ? 5 : 1);
    // Names in reverse order, so that the name does not decide.
    const pods = [aPod('a', second), aPod('b', first)];
    expect(sortForDeletion(pods, crowding, NOW).map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
  });
});
