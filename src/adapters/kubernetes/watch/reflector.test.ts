import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { cutOff, FakeApiServer, json, refusal, streamOf, type ReceivedRequest } from '../../../../test/fakes/fake-api-server.ts';
import { FastTimer, until } from '../../../../test/fakes/fast-timer.ts';
import { FakeActivity } from '#embedded-cluster/testing/fake-clock';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { Clock, MachineTimer } from '../../../ports/clock.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { Reflector } from './reflector.ts';
import { REFLECTOR_TIMES, type ReflectorSpec, type ReflectorTimes } from './reflector-spec.ts';
import { PODS } from '../resources.ts';
import { decoder, objectAt, requiredTextAt, textAt } from '../wire.ts';

const PATH = '/api/v1/pods';

/** An hour is 3 minutes under FastTimer, so that no answer is late on a busy machine; tests of deadlines set their own. */
const PATIENT: ReflectorTimes = { ...REFLECTOR_TIMES, watchSeconds: [3_600, 3_600], quietMs: HOUR_MS, initialSilenceMs: HOUR_MS };

interface Note {
  readonly name: string;
  readonly color: string;
}

let server: FakeApiServer;
let metrics: CountingMetrics;
let logger: RecordingLogger;
let activity: FakeActivity;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  metrics = new CountingMetrics();
  logger = new RecordingLogger();
  activity = new FakeActivity();
  stops = [];
});

afterEach(async () => {
  for (const stop of stops) await stop();
  await server.close();
});

function thing(name: string, color = 'red'): { metadata: { name: string }; spec: { color: string } } {
  return { metadata: { name }, spec: { color } };
}

function start(
  spec: Partial<ReflectorSpec<Note>> = {},
  times: Partial<ReflectorTimes> = {},
  timer: MachineTimer = new FastTimer(),
  clock: Clock = { now: () => Date.now(), schedule: () => () => undefined },
): { reflector: Reflector<Note>; seen: Map<string, string>; log: string[] } {
  const transport = new HttpTransport({ connection: server.connection, timer, random: seededRandom(1), metrics, timeoutMs: HOUR_MS });
  const seen = new Map<string, string>();
  const log: string[] = [];
  const reflector = new Reflector<Note>(
    {
      resource: PODS,
      required: true,
      decode: decoder((wire) => ({
        name: requiredTextAt(objectAt(wire, 'metadata'), 'name'),
        color: textAt(objectAt(wire, 'spec'), 'color', 'spec.color'),
      })),
      onChange: (key, record) => {
        log.push(`${key}=${record?.color ?? 'gone'}`);
        if (record === null) seen.delete(key);
        else seen.set(key, record.color);
      },
      ...spec,
    },
    {
      transport,
      clock,
      timer,
      activity,
      random: seededRandom(2),
      logger,
      metrics,
      capabilities: { streamingLists: null },
      times: { ...PATIENT, ...times },
    },
  );
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
    transport.close();
  });
  return { reflector, seen, log };
}

const watching = (): Promise<void> => until(() => server.watches.size === 1, 'a watch is open: the reflector has listed');
const isWatch = (request: ReceivedRequest): boolean => request.query.get('watch') === 'true';
const isResume = (request: ReceivedRequest): boolean => isWatch(request) && !request.query.has('sendInitialEvents');
const isList = (request: ReceivedRequest): boolean => !isWatch(request);

describe('Reflector', () => {
  test('lists in pages where streaming lists are refused, then follows the watch', async () => {
    for (let i = 0; i < 1_200; i++) server.put(PATH, thing(`p${i}`), { quietly: true });
    const { reflector, seen } = start();
    await reflector.waitForSync();
    expect(seen.size).toBe(1_200);
    expect(server.requests.filter(isList).map((request) => request.query.get('limit'))).toEqual(['500', '500', '500']);
    expect(server.requests.filter(isList).some((request) => request.query.has('resourceVersion'))).toBe(false);

    await watching();
    server.put(PATH, thing('p7', 'blue'));
    server.remove(PATH, 'p8');
    server.put(PATH, thing('new'));
    await until(() => seen.has('new'), 'the new object is seen: the watch is open');
    expect([seen.get('p7'), seen.has('p8'), seen.size]).toEqual(['blue', false, 1_200]);
  });

  test('uses a streaming list where it is served, and continues in the same stream', async () => {
    server.streamingLists = true;
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, seen } = start();
    await reflector.waitForSync();
    server.put(PATH, thing('b'));
    await until(() => seen.has('b'), 'the object b is seen: the stream goes on after its list');
    expect(server.requests).toHaveLength(1);
  });

  test('commits a streaming list only when it is complete', async () => {
    server.once(isWatch, streamOf(`${JSON.stringify({ type: 'ADDED', object: thing('half') })}\n`, 'end'));
    server.put(PATH, thing('whole'), { quietly: true });
    const { reflector, log } = start();
    await reflector.waitForSync();
    expect(log).toEqual(['whole=red']);
  });

  test('resumes an ended watch at its last version, by bookmark', async () => {
    const { reflector } = start();
    await reflector.waitForSync();
    await watching();
    const version = server.bookmark(PATH);
    server.endWatches(PATH);
    await until(() => server.count(isResume) === 2, 'there is a second watch: the first has ended');
    expect(server.requests.filter(isResume)[1]?.query.get('resourceVersion')).toBe(version);
    expect(server.count(isList)).toBe(1);
  });

  test('lists again after 410 and reports only differences, including a missed deletion', async () => {
    for (const name of ['same', 'changed', 'deleted']) server.put(PATH, thing(name), { quietly: true });
    const { reflector, log } = start();
    await reflector.waitForSync();
    await watching();
    log.length = 0;
    server.remove(PATH, 'deleted', '', { quietly: true });
    server.put(PATH, thing('changed', 'blue'), { quietly: true });
    server.notify(PATH, 'ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' });
    await until(() => log.length === 2, 'two changes are seen: two objects differ in the new list');
    expect(log).toEqual(['deleted=gone', 'changed=blue']);
    expect(metrics.total('evenkeel_informer_expired_total')).toBe(1);
  });

  test('restarts a listing when its continue token expires', async () => {
    for (let i = 0; i < 600; i++) server.put(PATH, thing(`p${i}`), { quietly: true });
    server.once((request) => request.query.has('continue'), refusal(410, 'Expired', 'The provided continue parameter is too old'));
    const { reflector, seen } = start();
    await reflector.waitForSync();
    expect(seen.size).toBe(600);
    expect(server.count(isList)).toBe(4);
  });

  test('reports an object that was deleted and recreated as two', async () => {
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, log } = start();
    await reflector.waitForSync();
    await watching();
    const again = { ...thing('a', 'blue'), metadata: { name: 'a', uid: 'another' } };
    server.put(PATH, again);
    await until(() => log.length === 3, 'three changes are seen: the watch is open');
    expect(log).toEqual(['a=red', 'a=gone', 'a=blue']);
  });

  test('reconnects without loss after a connection breaks in the middle of an event', async () => {
    const { reflector, seen } = start();
    await reflector.waitForSync();
    await watching();
    for (const watch of server.watches) watch.response.write('{"type":"ADDED","obj');
    server.closeWatches(PATH);
    await until(() => server.watches.size === 0, 'the watch has ended: its connection was cut');
    await watching();
    server.put(PATH, thing('late'));
    await until(() => seen.has('late'), 'the object that came later is seen: the watch is open again');
    expect(server.count(isList)).toBe(1);
  });

  test('closes a silent connection once the watch has exceeded its timeout', async () => {
    const { reflector, seen } = start({}, { watchSeconds: [2, 2], graceMs: 500 });
    await reflector.waitForSync();
    await until(() => metrics.total('evenkeel_informer_stalls_total') > 0, 'a stall is counted: the watch is silent');
    await watching();
    server.put(PATH, thing('after'));
    await until(() => seen.has('after'), 'the object after the stall is seen: the watch is open again');
  });

  test('closes a connection without bookmarks, long before the watch timeout', async () => {
    const { reflector, seen } = start({}, { quietMs: 2_000 });
    await reflector.waitForSync();
    await until(() => metrics.total('evenkeel_informer_stalls_total') > 0, 'a stall is counted: the watch is silent');
    await watching();
    server.put(PATH, thing('after'));
    await until(() => seen.has('after'), 'the object after the stall is seen: the watch is open again');
    expect(server.count(isList)).toBe(1);
  });

  test('a watch that receives messages stays open', async () => {
    const timer = new ManualClock();
    const { reflector, seen } = start({}, REFLECTOR_TIMES, timer);
    await reflector.waitForSync();
    await until(() => activity.count === 0, 'the reflector is idle: its watch is open');
    // Longer in total than the maximum silence, shorter than the minimum watch timeout of 300 s.
    for (const name of ['a', 'b', 'c', 'd']) {
      timer.advance(70_000);
      server.put(PATH, thing(name));
      await until(() => seen.has(name), `the object ${name} is seen: the watch is open`);
    }
    expect([metrics.total('evenkeel_informer_stalls_total'), server.count(isWatch)]).toEqual([0, 2]);
  });

  test.each([
    ['an empty object', {}],
    ['a list without a version', { kind: 'PodList', items: [] }],
    ['a word', 'ok'],
  ])('%s in place of a list is a problem, never an empty cluster', async (_, body) => {
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, log } = start();
    await reflector.waitForSync();
    await watching();
    server.once(isWatch, refusal(410, 'Expired', 'too old resource version'));
    server.once(isList, json(200, body));
    server.closeWatches(PATH);
    await until(() => reflector.status().problem !== null, 'a problem is reported: the list is none');
    await until(() => reflector.status().problem === null, 'no problem is reported: the next list is answered');
    expect(log).toEqual(['a=red']);
  });

  test('rejected credentials are reported with the remedy until they are accepted', async () => {
    for (let i = 0; i < 2; i++) server.once(() => true, refusal(401, 'Unauthorized', 'Unauthorized'));
    const { reflector } = start();
    await until(() => reflector.status().problem !== null, 'a problem is reported: the server answered 401');
    expect(reflector.status().problem).toContain('is the token expired?');
    await reflector.waitForSync();
  });

  test('waits as requested by a throttling server within a watch, and keeps its objects', async () => {
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, seen } = start();
    await reflector.waitForSync();
    await watching();
    server.notify(PATH, 'ERROR', {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'busy',
      details: { retryAfterSeconds: 1 },
    });
    await until(() => server.count(isResume) === 2, 'there is a second watch: the first has ended');
    expect([seen.size, server.count(isList)]).toEqual([1, 1]);
  });

  test('reports the missing permission, keeps retrying, and never syncs a required kind', async () => {
    server.once(isWatch, refusal(403, 'Forbidden', 'pods is forbidden'));
    server.once(isWatch, refusal(403, 'Forbidden', 'pods is forbidden'));
    const { reflector } = start();
    await until(() => reflector.status().problem !== null, 'a problem is reported: the server answered 403');
    expect(reflector.status().problem).toContain('not permitted to list and watch pods: grant the verbs list and watch in a ClusterRole');
    expect(reflector.status().problem).toContain('unless the API server has just started and not read its roles yet');
    expect(reflector.hasSynced()).toBe(false);
    expect(activity.count).toBe(0);
    await reflector.waitForSync();
    expect(reflector.status().problem).toBeNull();
    expect(logger.lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });

  test.each([
    ['is no longer permitted', refusal(403, 'Forbidden', 'cannot list resource "pods"'), true],
    ['is no longer served', refusal(404, 'NotFound', 'the server could not find the requested resource'), false],
  ])('of a kind with user requests that %s, an outdated state is decisive or dropped', async (words, answer, decisive) => {
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, seen } = start({ required: false, holdsUserRequests: true });
    expect(reflector.status().decisive).toBe(false);
    await reflector.waitForSync();
    await watching();
    expect(reflector.status().decisive).toBe(true);
    server.once(isWatch, answer);
    server.closeWatches(PATH);
    const said = decisive ? 'not permitted to list and watch' : 'is not served';
    await until(() => reflector.status().problem?.includes(said) === true, `the problem is reported: the kind ${words}`);
    expect([reflector.status().decisive, seen.has('a')]).toEqual([decisive, decisive]);
  });

  test('a kind that is not served counts as empty and is listed once it is served', async () => {
    server.once(isWatch, refusal(404, 'NotFound', 'the server could not find the requested resource'));
    server.put(PATH, thing('late'), { quietly: true });
    const { reflector, seen } = start({ required: false });
    await reflector.waitForSync();
    expect(seen.size).toBe(0);
    await until(() => seen.has('late'), 'the object is seen: the kind is looked for again and again');
  });

  test('a kind of another tool that is not served is no problem, and is listed once it is served', async () => {
    server.once(isWatch, refusal(404, 'NotFound', 'the server could not find the requested resource'));
    server.put(PATH, thing('late'), { quietly: true });
    const { reflector, seen } = start({ required: false, foreign: true });
    await reflector.waitForSync();
    expect(reflector.status()).toMatchObject({ problem: null, restarts: 0, objects: 0 });
    await until(() => seen.has('late'), 'the object is seen: the kind is looked for again and again');
    expect(logger.lines.filter(({ level }) => level !== 'debug' && level !== 'info')).toEqual([]);
  });

  test('ignores an undecodable object with the reason, and keeps its previous state', async () => {
    server.put(PATH, thing('good'), { quietly: true });
    server.put(PATH, { ...thing('bad'), spec: { color: 7 } }, { quietly: true });
    const { reflector, seen } = start();
    await reflector.waitForSync();
    await watching();
    server.put(PATH, { ...thing('good'), spec: { color: [] } });
    server.put(PATH, thing('marker'));
    await until(() => seen.has('marker'), 'the marker is seen: the watch is open');
    expect(seen.get('good')).toBe('red');
    expect(metrics.total('evenkeel_informer_undecodable_total')).toBe(2);
    expect(logger.lines.map((line) => line.fields['problem'])).toContain('spec.color: expected a string, got 7');
  });

  test('reports an undecodable object until it is corrected or deleted, also by a listing', async () => {
    server.put(PATH, { ...thing('corrected'), spec: { color: 7 } }, { quietly: true });
    server.put(PATH, { ...thing('gone'), spec: { color: 8 } }, { quietly: true });
    const { reflector } = start();
    await reflector.waitForSync();
    const first = { key: 'corrected', problem: 'spec.color: expected a string, got 7' };
    expect(reflector.status().unreadable).toEqual({ count: 2, first });
    await watching();
    server.put(PATH, thing('corrected'));
    await until(() => reflector.status().unreadable?.first.key === 'gone', 'the other object is reported: the first is corrected');
    server.remove(PATH, 'gone', '', { quietly: true });
    server.notify(PATH, 'ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' });
    await until(() => reflector.status().unreadable === null, 'nothing is reported: the object was not in the next listing');
    expect(reflector.status()).toMatchObject({ problem: null, objects: 1 });
  });

  test('counts and logs errors of a handler, and continues', async () => {
    const handled: string[] = [];
    const { reflector } = start({
      onChange: (key) => {
        handled.push(key);
        if (key === 'poison') throw new Error('bug');
      },
    });
    await reflector.waitForSync();
    await watching();
    server.put(PATH, thing('poison'));
    server.put(PATH, thing('next'));
    await until(() => handled.includes('next'), 'the next change is handled: the watch goes on');
    expect(metrics.total('evenkeel_informer_handler_failures_total')).toBe(1);
    expect(logger.lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });

  test('waits for a server that is unavailable at the start', async () => {
    for (let i = 0; i < 4; i++) server.once(() => true, cutOff);
    server.once(() => true, json(503, { kind: 'Status', code: 503, message: 'etcd is starting' }));
    server.put(PATH, thing('a'), { quietly: true });
    const { reflector, seen } = start();
    await reflector.waitForSync();
    expect(seen.size).toBe(1);
    expect(reflector.status().restarts).toBeGreaterThan(0);
  });

  test('an audit detects, counts and repairs changes that the watch missed', async () => {
    const { reflector, seen } = start({}, { auditEveryMs: 2_000 });
    await reflector.waitForSync();
    await watching();
    server.put(PATH, thing('missed'), { quietly: true });
    await until(() => seen.has('missed'), 'the missed object is seen: an audit lists it');
    expect(metrics.total('evenkeel_informer_drift_total')).toBe(1);
  });

  test('is active until it watches', async () => {
    const { reflector } = start();
    expect(activity.count).toBe(1);
    await reflector.waitForSync();
    await watching();
    await until(() => activity.count === 0, 'the reflector is idle: its watch is open');
  });

  test.each([
    ['of another tool is inactive between retries: it may fail forever', true, 0],
    ['required for decisions is active until it is listed', false, 1],
  ])('a kind %s', async (_, foreign, count) => {
    // Fails every list and watch, and no timer ends the pauses.
    for (let i = 0; i < 4; i += 1) server.once(() => true, refusal(500, 'InternalError', 'conversion webhook failed'));
    const { reflector } = start({ foreign, required: !foreign }, {}, new ManualClock());
    await until(() => reflector.status().problem !== null, 'the fault is reported: the first list has failed');
    expect(activity.count).toBe(count);
  });

  test('reports the time of the last event: a change of an object, not a listing or bookmark', async () => {
    const clock = new ManualClock();
    const { reflector } = start({}, {}, new ManualClock(0), clock);
    await reflector.waitForSync();
    await watching();
    expect(reflector.status().lastEventAt).toBeNull();
    clock.advance(MINUTE_MS);
    server.put(PATH, thing('new'));
    await until(() => reflector.status().lastEventAt !== null, 'the change arrived: the watch is open');
    expect(reflector.status().lastEventAt).toBe(clock.now());
    clock.advance(MINUTE_MS);
    expect(reflector.status().lastEventAt).toBe(clock.now() - MINUTE_MS);
  });

  test('reports its freshness: now while the watch is open, then the time of the disconnect', async () => {
    const [clock, machine] = [new ManualClock(), new ManualClock(0)];
    const begun = clock.now();
    const { reflector } = start({}, {}, machine, clock);
    expect(reflector.confirmedAt()).toBe(0);
    await reflector.waitForSync();
    await watching();
    await until(() => reflector.confirmedAt() > 0, 'the first confirmation: the watch is open');
    clock.advance(MINUTE_MS);
    expect(reflector.confirmedAt()).toBe(begun + MINUTE_MS);
    server.once(isWatch, cutOff);
    server.closeWatches(PATH);
    await until(() => reflector.status().problem !== null, 'the lost watch is reported: its connection was cut');
    clock.advance(MINUTE_MS);
    expect(reflector.confirmedAt()).toBe(begun + MINUTE_MS);
  });
});
