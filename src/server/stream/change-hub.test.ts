import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import type { ClusterChange } from '../../ports/cluster-reader.ts';
import { ChangeHub } from './change-hub.ts';

const KEYS = ['shop/Deployment/web', 'shop/Deployment/cart'];
const A_TICK_MS = 2_000;

let timer: ManualClock;
let hub: ChangeHub;
let change: (change: ClusterChange) => void;
let asked: string[];
let clusterReads: number;

beforeEach(() => {
  timer = new ManualClock();
  asked = [];
  hub = new ChangeHub(
    {
      cluster: () => {
        clusterReads += 1;
        return {} as never;
      },
      recommendation: (key) => {
        asked.push(key);
        return undefined;
      },
      workloadKeys: () => KEYS,
      subscribe: (listener) => {
        change = listener;
        return () => undefined;
      },
      usageConfirmedAt: () => null,
      ready: () => true,
    },
    timer,
    'e',
  );
  hub.listen(() => undefined);
  asked = [];
  clusterReads = 0;
});
afterEach(() => hub.close());

test('a change of an HPA rebuilds the records of its workloads alone', () => {
  change({ kind: 'hpa', key: 'shop/web', workloads: ['shop/Deployment/web'] });
  timer.advance(A_TICK_MS);
  expect(asked).toEqual(['shop/Deployment/web']);
});

test('a change of a policy rebuilds the records of all workloads', () => {
  change({ kind: 'podresizepolicy' } as ClusterChange);
  timer.advance(A_TICK_MS);
  expect(asked.toSorted()).toEqual(KEYS.toSorted());
});

test.each(['vpa', 'scaledobject'] as const)('a change of a %s rebuilds no record: none shows it', (kind) => {
  change({ kind, key: 'shop/web', workloads: ['shop/Deployment/web'] });
  timer.advance(A_TICK_MS);
  expect([asked, clusterReads]).toEqual([[], 0]);
});
