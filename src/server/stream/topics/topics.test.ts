import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { aScope } from '../../../../test/builders/tenants/scopes.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import type { ChangeSource } from '../../../application/index.ts';
import { ADMIN, IDENTIFIED } from '../../../core/access/requirement.ts';
import { EVERYONE_IS_ADMIN, type Scope } from '../../../core/access/scope.ts';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';
import type { TimelineEntry } from '../../../ports/store/timeline.ts';
import { streamOperation } from '../../openapi/sections/system-section.ts';
import { SILENT_LOGGER } from '../../../runtime/logging.ts';
import { ChangeHub } from '../change-hub.ts';
import { EventStreams, type StreamResponse } from '../event-stream.ts';
import { STREAM_TOPICS, type StreamTopic } from './index.ts';

const A_TICK_MS = 2_000;
const ONLY_SHOP = aScope('viewer', ['shop']);

/** A test topic: names of nodes as they change. */
const nodesTopic = (requires: StreamTopic['requires']): StreamTopic => ({
  name: 'nodes',
  description: 'holds `{ names }`',
  requires,
  openFeed: () => {
    const names: string[] = [];
    return {
      remember: () => undefined,
      mark: (change) => {
        if (change.kind === 'node') names.push(change.key);
      },
      collect: () => {
        const changed = names.splice(0);
        return changed.length === 0 ? null : { records: 0, dataFor: () => ({ names: changed }) };
      },
      close: () => undefined,
    };
  },
});

function runAtOnce(steps: Iterable<void>): Promise<void> {
  for (const _ of steps);
  return Promise.resolve();
}

/** Collects written text. */
function collectText(into: string[]): StreamResponse {
  const nothing = (): void => undefined;
  const write = (text: string): void => void into.push(text);
  return { req: { method: 'GET' }, writableLength: 0, writeHead: nothing, write, once: nothing, end: nothing, destroy: nothing };
}

let timer: ManualClock;
let streams: EventStreams | undefined;
let change: (change: ClusterChange) => void;
let record: (entry: Pick<TimelineEntry, 'namespace' | 'object'>) => void;
let sources: ChangeSource;
let timelineListeners: number;

beforeEach(() => {
  timer = new ManualClock();
  timelineListeners = 0;
  sources = {
    cluster: () => ({}) as never,
    recommendation: () => undefined,
    workloadKeys: () => [],
    subscribe: (listener) => {
      change = listener;
      return () => undefined;
    },
    onTimelineEntry: (listener) => {
      record = (entry) => listener(entry as TimelineEntry);
      timelineListeners += 1;
      return () => void (timelineListeners -= 1);
    },
    usageConfirmedAt: () => null,
    isReady: () => true,
    runInSlices: runAtOnce,
  };
});
afterEach(() => {
  streams?.close();
  streams = undefined;
});

/** Opens a stream of all topics for the scope; returns a function that reads the received events. */
function listen(topics: readonly StreamTopic[], scope: Scope): () => readonly { readonly event: string; readonly data: unknown }[] {
  streams ??= new EventStreams(new ChangeHub(sources, timer, topics, SILENT_LOGGER), timer, () => undefined);
  const texts: string[] = [];
  const currentScope = () => Promise.resolve(scope);
  streams.open(collectText(texts), {
    topics: new Set(topics.map(({ name }) => name)),
    scope,
    lastEventId: null,
    client: 'c',
    currentScope,
  });
  return () =>
    [...texts.join('').matchAll(/event: (\w+)\ndata: (.+)/g)]
      .map(([, event = '', data = '']) => ({ event, data: JSON.parse(data) as unknown }))
      .filter(({ event }) => event !== 'hello');
}

test('a registered topic is served and described', () => {
  const topics = [...STREAM_TOPICS, nodesTopic(IDENTIFIED)];
  const sent = listen(topics, ONLY_SHOP);
  change({ kind: 'node', key: 'n1' });
  timer.advance(A_TICK_MS);
  expect(sent()).toEqual([{ event: 'nodes', data: { names: ['n1'] } }]);
  const { description, parameters } = streamOperation(topics);
  expect(description).toContain('Event `nodes` holds `{ names }`.');
  expect(parameters?.[0]?.schema).toMatchObject({ items: { enum: ['cluster', 'recommendations', 'scaling', 'nodes'] } });
});

test("a topic's events go only to listeners that meet its requirement", () => {
  const topics = [nodesTopic(ADMIN)];
  const [viewer, admin] = [listen(topics, ONLY_SHOP), listen(topics, EVERYONE_IS_ADMIN)];
  change({ kind: 'node', key: 'n1' });
  timer.advance(A_TICK_MS);
  expect([viewer().length, admin().length]).toEqual([0, 1]);
});

test('scaling lists objects of any kind; cluster-scoped ones only for admins', () => {
  const [viewer, admin] = [listen(STREAM_TOPICS, ONLY_SHOP), listen(STREAM_TOPICS, EVERYONE_IS_ADMIN)];
  const node = { namespace: null, kind: 'Node', name: 'n1' };
  const claim = { namespace: 'shop', kind: 'PersistentVolumeClaim', name: 'data' };
  const foreign = { namespace: 'bank', kind: 'Deployment', name: 'web' };
  for (const { namespace, kind, name } of [node, claim, claim, foreign]) record({ namespace, object: { kind, name } });
  timer.advance(A_TICK_MS);
  expect(viewer()).toEqual([{ event: 'scaling', data: { objects: [claim] } }]);
  expect(admin()).toEqual([{ event: 'scaling', data: { objects: [node, claim, foreign] } }]);
});

test('scaling follows the timeline only while the hub runs', () => {
  listen(STREAM_TOPICS, EVERYONE_IS_ADMIN);
  expect(timelineListeners).toBe(1);
  streams?.close();
  expect(timelineListeners).toBe(0);
});

test('a record is built once per tick for all topics', () => {
  const built: string[] = [];
  sources = { ...sources, workloadKeys: () => ['shop/Deployment/web'], recommendation: (key) => void built.push(key) };
  listen(STREAM_TOPICS, EVERYONE_IS_ADMIN);
  change({ kind: 'podresizepolicy', key: 'shop' });
  timer.advance(A_TICK_MS);
  expect(built).toHaveLength(2);
});
