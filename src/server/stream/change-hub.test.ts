import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import type { ClusterChange } from '../../ports/cluster/cluster-reader.ts';
import type { Recommendation } from '../../apis/http/types.generated.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
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
/** Work whose further steps wait; null: all steps run at once. */
let waiting: Work[] | null;

interface Work {
  readonly steps: Iterator<void>;
  readonly end: PromiseWithResolvers<undefined>;
}

/** As `Slices.run`: the first step runs at once, and a failure rejects. */
async function runInSlices(steps: Generator<void, void, void>): Promise<void> {
  const work = { steps, end: Promise.withResolvers<undefined>() };
  if (!advance(work)) waiting?.push(work);
  await work.end.promise;
}

/** Runs a step, or all where none waits. @returns whether the work has ended */
function advance({ steps, end }: Work): boolean {
  try {
    for (;;) {
      if (steps.next().done === true) {
        end.resolve(undefined);
        return true;
      }
      if (waiting !== null) return false;
    }
  } catch (err) {
    end.reject(err);
    return true;
  }
}

/** Runs the next step of the work that waits. @returns whether it has ended */
function runStep(): boolean {
  const [work] = waiting ?? [];
  if (work !== undefined && advance(work)) waiting?.shift();
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
    SILENT_LOGGER,
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

  function removedWorkloads(): readonly string[] {
    const events = (hub.since(start) ?? []).filter(({ topic }) => topic.name === 'recommendations');
    const data = events.at(-1)?.event.dataFor(EVERYONE_IS_ADMIN) as { readonly removed: readonly { readonly name: string }[] } | undefined;
    return (data?.removed ?? []).map(({ name }) => name);
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

  test('other events are served while the records are built, and ticks begin after that', () => {
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

  test('a listener may read once the state is remembered, and gets all changes after that', () => {
    let isReady = false;
    hub.whenRemembered(() => (isReady = true));
    runStep();
    expect(isReady).toBe(false);
    while (!runStep());
    expect(isReady).toBe(true);
    built = (name) => ({ name, updatedAt: name === FIRST ? 'after' : 'before' }) as Recommendation;
    change({ kind: 'workload', key: FIRST });
    timer.advance(A_TICK_MS);
    while (!runStep());
    expect(changedWorkloads()).toEqual([FIRST]);
  });

  test.each([
    ['first', FIRST],
    ['last', LAST],
  ])('the %s workload is not published where it changes while the others are remembered: no listener has read it before', (_, key) => {
    change({ kind: 'workload', key });
    change({ kind: 'podresizepolicy', key: 'p' });
    while (!runStep());
    timer.advance(A_TICK_MS);
    while (!runStep());
    expect(changedWorkloads()).toEqual([]);
  });

  test('a workload that is deleted after it was remembered is published as removed', () => {
    built = (name) => (name === FIRST ? undefined : ({ name, updatedAt: 'before' } as Recommendation));
    change({ kind: 'workload', key: FIRST });
    while (!runStep());
    timer.advance(A_TICK_MS);
    while (!runStep());
    expect(removedWorkloads()).toEqual(['w-0']);
  });

  test.each(['it remembers', 'a tick'] as const)('a hub that stops while %s builds no more records, and publishes nothing', (when) => {
    if (when === 'a tick') {
      while (!runStep());
      built = (name) => ({ name, updatedAt: 'after' }) as Recommendation;
      change({ kind: 'podresizepolicy', key: 'p' });
      timer.advance(A_TICK_MS);
    }
    hub.close();
    asked = [];
    const { seq } = hub;
    while (!runStep());
    expect([hub.seq, timer.pending, asked]).toEqual([seq, 0, []]);
  });

  test('the pause after a tick is by its own work, without that of others between its steps', () => {
    while (!runStep());
    built = (name) => {
      timer.advance(1);
      return { name, updatedAt: 'after' } as Recommendation;
    };
    change({ kind: 'podresizepolicy', key: 'p' });
    timer.advance(A_TICK_MS);
    do timer.advance(10_000);
    while (!runStep());
    asked = [];
    change({ kind: 'podresizepolicy', key: 'p' });
    timer.advance(19 * MANY.length - 1);
    expect(asked).toEqual([]);
    timer.advance(1);
    expect(asked).not.toEqual([]);
  });
});

test.each([
  ['while it remembers', false],
  ['in a tick', true],
])('a hub that fails %s ends its listeners, which read everything again', async (_, inTick) => {
  hub.close();
  const fail = () => {
    throw new Error('a record that cannot be built');
  };
  if (!inTick) built = fail;
  let ends = 0;
  const { seq } = hub;
  hub.listen(
    () => undefined,
    () => (ends += 1),
  );
  built = fail;
  change({ kind: 'podresizepolicy', key: 'p' });
  timer.advance(A_TICK_MS);
  await Promise.resolve();
  await Promise.resolve();
  expect([ends, hub.since(seq), timer.pending]).toEqual([1, null, 0]);
});
