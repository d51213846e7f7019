import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
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
let built: (key: string) => Recommendation | undefined;
/** Steps that wait; null: steps run at once. */
let waiting: Iterator<void>[] | null;

function runInSlices(steps: Generator<void, void, void>): Promise<void> {
  if (waiting === null) for (const _ of steps);
  else if (steps.next().done !== true) waiting.push(steps);
  return Promise.resolve();
}

/** Runs the next step of the work that waits. @returns whether it has ended */
function runStep(): boolean {
  const [steps] = waiting ?? [];
  if (steps?.next().done === true) waiting?.shift();
  return waiting?.length === 0;
}

beforeEach(() => {
  timer = new ManualClock();
  asked = [];
  keys = KEYS;
  record = undefined;
  built = () => record;
  waiting = null;
  hub = new ChangeHub(
    {
      cluster: () => {
        clusterReads += 1;
        return {} as never;
      },
      recommendation: (key) => {
        asked.push(key);
        return built(key);
      },
      workloadKeys: () => keys,
      subscribe: (listener) => {
        change = listener;
        return () => undefined;
      },
      onTimelineEntry: () => () => undefined,
      usageConfirmedAt: () => null,
      isReady: () => true,
      runInSlices,
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

describe('with many workloads', () => {
  const MANY = Array.from({ length: 250 }, (_, index) => `shop/Deployment/w-${index}`);
  const [FIRST = '', LAST = ''] = [MANY[0], MANY.at(-1)];

  /** Names of the workloads in the last event of recommendations. */
  function changedWorkloads(): readonly string[] {
    const events = (hub.since(start) ?? []).filter(({ topic }) => topic.name === 'recommendations');
    const data = events.at(-1)?.event.dataFor(EVERYONE_IS_ADMIN) as { readonly changed: readonly Recommendation[] } | undefined;
    return (data?.changed ?? []).map(({ name }) => name);
  }

  let start: number;

  beforeEach(() => {
    hub.close();
    keys = MANY;
    waiting = [];
    built = (name) => ({ name, updatedAt: 'before' }) as Recommendation;
    hub.listen(() => undefined);
    start = hub.seq;
  });

  test('a listener is served while their records are built, and ticks begin after that', () => {
    expect(asked.length).toBeLessThan(MANY.length);
    expect(timer.pending).toBe(0);
    while (!runStep());
    expect([asked.length, timer.pending]).toEqual([MANY.length, 1]);
  });

  test('a tick serves other events between its steps', () => {
    while (!runStep());
    asked = [];
    change({ kind: 'podresizepolicy', key: 'p' });
    timer.advance(A_TICK_MS);
    expect(asked.length).toBeLessThan(MANY.length);
    while (!runStep());
    expect(asked.length).toBe(MANY.length);
  });

  test.each([
    ['first', FIRST],
    ['last', LAST],
  ])('the %s workload is published if it changes while the others are remembered: listeners may have read it before', (_, key) => {
    built = (name) => ({ name, updatedAt: name === key ? 'after' : 'before' }) as Recommendation;
    change({ kind: 'workload', key });
    while (!runStep());
    timer.advance(A_TICK_MS);
    while (!runStep());
    expect(changedWorkloads()).toEqual([key]);
  });

  test('nothing is published of a hub that stops during a tick', () => {
    while (!runStep());
    built = (name) => ({ name, updatedAt: 'after' }) as Recommendation;
    change({ kind: 'podresizepolicy', key: 'p' });
    timer.advance(A_TICK_MS);
    hub.close();
    const { seq } = hub;
    while (!runStep());
    expect([hub.seq, timer.pending]).toEqual([seq, 0]);
  });
});
