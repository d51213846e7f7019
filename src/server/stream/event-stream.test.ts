import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { EVERYONE_IS_ADMIN, type Scope } from '../../core/access/scope.ts';
import { MiB } from '#kube/units';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { ChangeHub } from './change-hub.ts';
import { STREAM_TOPICS } from './topics/index.ts';
import { EventStreams, type StreamResponse } from './event-stream.ts';

const A_TICK_MS = 2_000;
const STREAMS = 500;
const PER_CLIENT = STREAMS / 4;

/** A response whose client never reads. */
class UnreadResponse implements StreamResponse {
  readonly req = { method: 'GET' };
  writableLength: number;
  destroyed = false;
  written = '';
  readonly #onClose: (() => void)[] = [];

  constructor(waitingBytes = 0) {
    this.writableLength = waitingBytes;
  }

  writeHead(): void {
    this.written = '';
  }
  /** Like Node.js, throws where the response is destroyed, which would end the process. */
  write(text: string): void {
    if (this.destroyed) throw new Error('write after destroy');
    this.written += text;
  }
  once(_event: 'close', listener: () => void): void {
    this.#onClose.push(listener);
  }
  end(): void {
    this.destroyed = true;
  }
  /** The close event is delayed, and the backlog counts until then. */
  destroy(): void {
    this.destroyed = true;
  }
  leave(): void {
    for (const listener of this.#onClose.splice(0)) listener();
  }
}

let timer: ManualClock;
let streams: EventStreams;
let refusals: string[];
let workloads: number;
let scopeNow: Scope | null;
let rendered: number;

beforeEach(() => {
  timer = new ManualClock();
  refusals = [];
  workloads = 0;
  rendered = 0;
  scopeNow = EVERYONE_IS_ADMIN;
  const record = (): object => ({ workloads, toJSON: () => ({ workloads, rendered: (rendered += 1) }) });
  const hub = new ChangeHub(
    {
      cluster: () => record() as never,
      recommendation: () => undefined,
      workloadKeys: () => [],
      subscribe: () => () => undefined,
      onTimelineEntry: () => () => undefined,
      usageConfirmedAt: () => workloads,
      isReady: () => true,
      runInSlices: (steps) => {
        for (const _ of steps);
        return Promise.resolve();
      },
    },
    timer,
    STREAM_TOPICS,
    SILENT_LOGGER,
  );
  streams = new EventStreams(hub, timer, (kind, reason) => refusals.push(`${kind} ${reason}`));
});
afterEach(() => streams.close());

const currentScope = () => Promise.resolve(scopeNow);

function open(client: string, response = new UnreadResponse()): UnreadResponse {
  streams.open(response, { topics: new Set(['cluster']), scope: EVERYONE_IS_ADMIN, lastEventId: null, client, currentScope });
  return response;
}

/** Publishes an event to every stream. */
function notify(): void {
  workloads += 1;
  timer.advance(A_TICK_MS);
}

describe('the number of streams', () => {
  test('is limited per address to a quarter of all, and streams of other clients continue', () => {
    const honest = open('honest');
    for (let count = 0; count < PER_CLIENT; count += 1) open('flood');
    expect(() => open('flood')).toThrow('Too many streams are open from this address');
    notify();
    expect(honest.written).toContain('event: cluster');
    expect(refusals).toEqual(['stream client']);
  });

  test('is limited in total: an address without a stream displaces the oldest of the address with the most', () => {
    const oldest = open('flood-0');
    for (let count = 1; count < STREAMS; count += 1) open(`flood-${count % 4}`);
    expect(open('honest').destroyed).toBe(false);
    expect([oldest.destroyed, streams.count, refusals]).toEqual([true, STREAMS, ['stream displaced']]);
    notify();
  });

  test('is freed when a stream ends', () => {
    const opened = Array.from({ length: PER_CLIENT }, () => open('browser'));
    opened[0]?.leave();
    expect(open('browser').destroyed).toBe(false);
  });
});

describe('the unread backlog', () => {
  test('is limited per stream', () => {
    const behind = open('a', new UnreadResponse(4 * MiB + 1));
    const reading = open('b', new UnreadResponse(4 * MiB));
    notify();
    expect([behind.destroyed, reading.destroyed, refusals]).toEqual([true, false, ['stream slow']]);
  });

  test('is limited in total: the address with the largest backlog loses its slowest stream', () => {
    const honest = open('honest', new UnreadResponse(4 * MiB));
    const slow = Array.from({ length: 10 }, (_, index) => open('flood', new UnreadResponse(3 * MiB + index)));
    notify();
    expect(honest.destroyed).toBe(false);
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([...Array<boolean>(9).fill(false), true]);
  });

  test('ends a replay of missed events as well', () => {
    const lastEventId = /id: (\S+)/.exec(open('a').written)?.[1] ?? '';
    for (let count = 0; count < 10; count += 1) notify();
    const response = new UnreadResponse(4 * MiB + 1);
    streams.open(response, { topics: new Set(['cluster']), scope: EVERYONE_IS_ADMIN, lastEventId, client: 'b', currentScope });
    expect([response.destroyed, response.written]).toEqual([true, 'retry: 2000\n\n']);
  });
});

describe('a stream whose credential', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test.each<[string, Scope | null, boolean]>([
    ['has the same permissions continues', { ...EVERYONE_IS_ADMIN }, false],
    ['is no longer valid ends within 15 s', null, true],
    ['has other permissions ends within 15 s', { ...EVERYONE_IS_ADMIN, admin: false, key: 'viewer:shop' }, true],
  ])('%s', async (_what, scope, isEnded) => {
    const response = open('a');
    scopeNow = scope;
    timer.advance(15_000);
    await settled();
    expect([response.destroyed, streams.count]).toEqual([isEnded, isEnded ? 0 : 1]);
  });

  test('has been revoked ends with the change of the policy', async () => {
    const response = open('a');
    scopeNow = null;
    streams.checkScopes();
    await settled();
    expect(response.destroyed).toBe(true);
  });
});

test('an event is rendered once per scope', () => {
  for (let count = 0; count < 10; count += 1) open('browser');
  const before = rendered;
  notify();
  // Rendered once more by the hub, which compares it with the previous record.
  expect(rendered - before).toBe(2);
});
