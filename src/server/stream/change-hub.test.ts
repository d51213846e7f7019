import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import type { ClusterChange } from '../../ports/cluster/cluster-reader.ts';
import type { Recommendation } from '../../apis/http/types.generated.ts';
import { ChangeHub } from './change-hub.ts';
import { STREAM_TOPICS } from './topics/index.ts';

const KEYS = ['shop/Deployment/web', 'shop/Deployment/cart'];
const A_TICK_MS = 2_000;

let timer: ManualClock;
let hub: ChangeHub;
let change: (change: ClusterChange) => void;
let asked: string[];
let clusterReads: number;
let keys: readonly string[];
let record: Recommendation | undefined;

beforeEach(() => {
  timer = new ManualClock();
  asked = [];
  keys = KEYS;
  record = undefined;
  hub = new ChangeHub(
    {
      cluster: () => {
        clusterReads += 1;
        return {} as never;
      },
      recommendation: (key) => {
        asked.push(key);
        return record;
      },
      workloadKeys: () => keys,
      subscribe: (listener) => {
        change = listener;
        return () => undefined;
      },
      onTimelineEntry: () => () => undefined,
      usageConfirmedAt: () => null,
      isReady: () => true,
    },
    timer,
    STREAM_TOPICS,
  );
  hub.listen(() => undefined);
  asked = [];
  clusterReads = 0;
});
afterEach(() => hub.close());

test('a change of an HPA rebuilds only the records of its workloads', () => {
  change({ kind: 'hpa', key: 'shop/web', workloads: ['shop/Deployment/web'] });
  timer.advance(A_TICK_MS);
  expect(asked).toEqual(['shop/Deployment/web']);
});

test('a change of a policy rebuilds the records of all workloads', () => {
  change({ kind: 'podresizepolicy' } as ClusterChange);
  timer.advance(A_TICK_MS);
  expect(asked.toSorted()).toEqual(KEYS.toSorted());
});

test.each(['vpa', 'scaledobject'] as const)('a change of a %s rebuilds no record, since none contains it', (kind) => {
  change({ kind, key: 'shop/web', workloads: ['shop/Deployment/web'] });
  timer.advance(A_TICK_MS);
  expect([asked, clusterReads]).toEqual([[], 0]);
});

test('events with up to 2,000 recommendations are stored; clients that missed more start over', () => {
  keys = Array.from({ length: 1000 }, (_, index) => `shop/Deployment/w-${index}`);
  const rebuildAll = (updatedAt: string): void => {
    record = { updatedAt } as Recommendation;
    change({ kind: 'podresizepolicy', key: 'p' });
    timer.advance(A_TICK_MS);
  };
  const start = hub.seq;
  for (const updatedAt of ['1', '2', '3']) rebuildAll(updatedAt);
  expect([hub.since(start), hub.since(hub.seq - 2)?.length]).toEqual([null, 2]);
});
