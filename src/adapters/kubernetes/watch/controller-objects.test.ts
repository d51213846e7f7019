import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import type { EventSpec } from '../../../ports/cluster/event-recorder.ts';
import { compareVersions, CRD_HASH_ANNOTATION, CRD_VERSION_ANNOTATION, installCrds } from '../write/crd-installer.ts';
import { KubernetesEventRecorder } from '../write/event-recorder.ts';
import { KubernetesLeaseStore } from '../write/lease-store.ts';

const signal = new AbortController().signal;

describe('KubernetesLeaseStore', () => {
  const lease = {
    holder: 'me',
    leaseDurationSeconds: 10,
    acquireTime: '2026-01-01T00:00:00.123Z',
    renewTime: '2026-01-01T00:00:01Z',
    transitions: 3,
  };

  test('reads back a written lease, with times of six fractional digits', async () => {
    const transport = new FakeTransport((request) => ({ body: { ...(request.body as object), metadata: { resourceVersion: '8' } } }));
    const written = await new KubernetesLeaseStore(transport, { namespace: 'evenkeel-system', name: 'controller' }).update(
      '7',
      lease,
      signal,
    );
    expect(transport.requests[0]).toMatchObject({
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/evenkeel-system/leases/controller',
      body: {
        metadata: { resourceVersion: '7' },
        spec: { acquireTime: '2026-01-01T00:00:00.123000Z', renewTime: '2026-01-01T00:00:01.000000Z' },
      },
    });
    expect(written).toMatchObject({ resourceVersion: '8', holder: 'me', transitions: 3 });
  });

  test('a lost race is a value; a server error is a fault', async () => {
    const conflict = new KubernetesLeaseStore(new FakeTransport(() => status(409, 'Conflict', 'modified')), { namespace: 'x', name: 'y' });
    expect(await conflict.update('7', lease, signal)).toBeUndefined();
    expect(await conflict.create(lease, signal)).toBeUndefined();
    const missing = new KubernetesLeaseStore(new FakeTransport(() => status(404, 'NotFound', 'no')), { namespace: 'x', name: 'y' });
    expect(await missing.read(signal)).toBeUndefined();
    const forbidden = new KubernetesLeaseStore(new FakeTransport(() => status(403, 'Forbidden', 'no')), { namespace: 'x', name: 'y' });
    await expect(forbidden.read(signal)).rejects.toThrow('reading lease x/y');
  });
});

describe('KubernetesEventRecorder', () => {
  const spec: EventSpec = {
    subject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'web', uid: 'u' },
    type: 'Normal',
    reason: 'Resized',
    action: 'Resize',
    message: 'cpu 500m to 250m',
  };

  function recording() {
    const transport = new FakeTransport();
    const clock = new FakeClock();
    const metrics = new CountingMetrics();
    const log = new RecordingLogger();
    const parts = {
      transport,
      clock,
      metrics,
      random: seededRandom(3),
      logger: log,
      controller: 'evenkeel.io/controller',
      instance: 'pod-1',
    };
    return { recorder: new KubernetesEventRecorder(parts), transport, clock, metrics, log };
  }

  test('writes an event of events.k8s.io about the object', async () => {
    const { recorder, transport } = recording();
    recorder.record(spec);
    await settle();
    expect(transport.requests).toHaveLength(1);
    expect(transport.requests[0]).toMatchObject({
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/a/events',
      body: {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reason: 'Resized',
        action: 'Resize',
        note: 'cpu 500m to 250m',
        regarding: { kind: 'Deployment', name: 'web', namespace: 'a', uid: 'u' },
        reportingController: 'evenkeel.io/controller',
      },
    });
  });

  test('equal events within two minutes become one series, written at intervals; later ones are new', async () => {
    const { recorder, transport, clock } = recording();
    for (let i = 0; i < 5; i++) recorder.record(spec);
    await clock.advance(10_000);
    expect(transport.requests.map((request) => request.method)).toEqual(['POST', 'PATCH']);
    expect(transport.requests[1]?.body).toMatchObject({ series: { count: 5 } });
    await clock.advance(121_000);
    recorder.record(spec);
    await settle();
    expect(transport.requests.map((request) => request.method)).toEqual(['POST', 'PATCH', 'POST']);
  });

  test('continues where the clock was set back', async () => {
    const { recorder, transport, clock } = recording();
    recorder.record(spec);
    const now = clock.now();
    clock.now = () => now - 3_600_000;
    for (let index = 0; index < 3; index += 1) recorder.record({ ...spec, message: `after ${index}` });
    await settle();
    expect(transport.requests).toHaveLength(4);
  });

  test('a series whose event has expired is created again', async () => {
    const { recorder, transport, clock } = recording();
    recorder.record(spec);
    await settle();
    transport.answer = (request) => (request.method === 'PATCH' ? status(404, 'NotFound', 'gone') : {});
    recorder.record(spec);
    await clock.advance(10_000);
    expect(transport.requests.map((request) => request.method)).toEqual(['POST', 'PATCH', 'POST']);
  });

  test('a server slower than the flush interval gets one write, and the event is not repeated', async () => {
    const { recorder, transport, clock, log } = recording();
    recorder.record(spec);
    await settle();
    let answer = (): void => undefined;
    const slow = new Promise<void>((resolve) => void (answer = resolve));
    transport.answer = (request) =>
      request.method === 'POST' ? status(409, 'AlreadyExists', 'already exists') : (slow.then(() => ({})) as Promise<never>);
    recorder.record(spec);
    await clock.advance(10_000);
    recorder.record({ ...spec, message: 'another' });
    for (let times = 0; times < 3; times += 1) {
      recorder.record(spec);
      await clock.advance(10_000);
    }
    answer();
    await settle();
    await settle();
    const ofTheFirst = transport.requests.filter(
      ({ path, body }) => path.includes('/events/') || JSON.stringify(body).includes(spec.message),
    );
    expect(ofTheFirst.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
    expect(ofTheFirst.at(-1)?.body).toMatchObject({ series: { count: 5 } });
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('an event that exists although its answer was lost counts as written', async () => {
    const { recorder, transport, metrics, log } = recording();
    transport.answer = () => status(409, 'AlreadyExists', 'events.events.k8s.io "web.0" already exists');
    recorder.record(spec);
    await settle();
    expect(metrics.total('evenkeel_events_written_total', { type: 'Normal' })).toBe(1);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('a storm is written at a bounded rate; events dropped by the queue or rejected are counted', async () => {
    const { recorder, transport, clock, metrics } = recording();
    for (let i = 0; i < 600; i++) recorder.record({ ...spec, message: `message ${i}` });
    expect(metrics.total('evenkeel_events_dropped_total', { reason: 'queue' })).toBe(99);
    await clock.advance(10_000);
    expect(transport.requests).toHaveLength(100);
    transport.answer = () => status(403, 'Forbidden', 'namespace is being terminated');
    await clock.advance(90_000);
    expect(transport.requests).toHaveLength(501);
    expect(metrics.total('evenkeel_events_dropped_total', { reason: 'failed' })).toBe(401);
    expect(clock.waiting).toBe(0);
  });

  test('a flood in one namespace neither delays nor displaces events of others', async () => {
    const { recorder, transport, clock, metrics } = recording();
    const ofAnother = (name: string): EventSpec => ({ ...spec, subject: { ...spec.subject, namespace: 'quiet', uid: name, name } });
    for (let i = 0; i < 600; i++) recorder.record({ ...spec, message: `message ${i}` });
    await clock.advance(0);
    recorder.record(ofAnother('one'));
    recorder.record(ofAnother('two'));
    await clock.advance(1_000);
    const written = transport.requests.filter(({ path }) => path.includes('/namespaces/quiet/'));
    expect(written.map(({ body }) => (body as { regarding: { name: string } }).regarding.name)).toEqual(['one', 'two']);
    expect(metrics.total('evenkeel_events_dropped_total', { reason: 'queue' })).toBe(99);
    for (let i = 600; i < 700; i++) recorder.record({ ...spec, message: `message ${i}` });
    recorder.record(ofAnother('three'));
    expect(metrics.total('evenkeel_events_dropped_total', { reason: 'queue' })).toBeGreaterThan(99);
    await clock.advance(1_000);
    expect(transport.requests.filter(({ path }) => path.includes('/namespaces/quiet/'))).toHaveLength(3);
  });
});

describe('installCrds', () => {
  const manifest = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.evenkeel.io' },
    spec: { group: 'evenkeel.io' },
  };
  const established = { status: { conditions: [{ type: 'Established', status: 'True' }] } };

  function cluster(initial: object | null): FakeTransport {
    let stored: object | null = initial;
    return new FakeTransport((request) => {
      if (request.method === 'PATCH') stored = { ...(request.body as object), ...established };
      return stored === null ? status(404, 'NotFound', 'not found') : { body: stored };
    });
  }

  const parts = (transport: FakeTransport): Parameters<typeof installCrds>[1] => ({
    transport,
    timer: new FakeClock(),
    version: '1.2.0',
  });

  test('applies missing CRDs with version and hash; a second start writes nothing', async () => {
    const transport = cluster(null);
    expect(await installCrds([manifest], parts(transport), signal)).toEqual([
      { name: 'things.evenkeel.io', outcome: 'applied', problem: null },
    ]);
    expect(await installCrds([manifest], parts(transport), signal)).toEqual([
      { name: 'things.evenkeel.io', outcome: 'unchanged', problem: null },
    ]);
    const patches = transport.requests.filter((request) => request.method === 'PATCH');
    expect(patches).toHaveLength(1);
    expect(patches[0]?.body).toMatchObject({
      metadata: { annotations: { [CRD_VERSION_ANNOTATION]: '1.2.0', [CRD_HASH_ANNOTATION]: expect.any(String) } },
    });
  });

  test('never downgrades a newer CRD', async () => {
    const transport = cluster({ metadata: { annotations: { [CRD_VERSION_ANNOTATION]: '1.10.0' } }, ...established });
    expect(await installCrds([manifest], parts(transport), signal)).toMatchObject([
      { outcome: 'kept-newer', problem: expect.stringContaining('was written by Evenkeel 1.10.0') },
    ]);
    expect(transport.requests.every((request) => request.method === 'GET')).toBe(true);
  });

  test('without write permission an installed CRD is accepted, and a missing one is an error with its remedy', async () => {
    const there = new FakeTransport((request) =>
      request.method === 'PATCH' ? status(403, 'Forbidden', 'no') : { body: { metadata: {}, ...established } },
    );
    expect(await installCrds([manifest], parts(there), signal)).toMatchObject([{ outcome: 'kept' }]);
    const missing = new FakeTransport((request) =>
      request.method === 'PATCH' ? status(403, 'Forbidden', 'no') : status(404, 'NotFound', 'x'),
    );
    expect(await installCrds([manifest], parts(missing), signal)).toMatchObject([
      { outcome: 'failed', problem: expect.stringContaining('apply crds/ manually and set crds.install: false') },
    ]);
  });

  test('a foreign CRD of the same name is reported with its missing fields, and the others are installed', async () => {
    const version = (name: string, ...fields: readonly string[]): object => ({
      name,
      served: true,
      schema: { openAPIV3Schema: { properties: { spec: { properties: Object.fromEntries(fields.map((field) => [field, {}])) } } } },
    });
    const ours = { ...manifest, spec: { group: 'evenkeel.io', versions: [version('v1alpha1', 'mode', 'cpu')] } };
    const other = { ...manifest, metadata: { name: 'others.evenkeel.io' } };
    const foreign = { metadata: {}, spec: { versions: [version('v1alpha1', 'mode', 'sauce')] }, ...established };
    const transport = new FakeTransport((request) => {
      if (request.path.endsWith('others.evenkeel.io')) return { body: { ...other, ...established } };
      return request.method === 'PATCH' ? status(422, 'Invalid', 'spec.scope: field is immutable') : { body: foreign };
    });
    expect(await installCrds([ours, other], parts(transport), signal)).toMatchObject([
      { name: 'things.evenkeel.io', outcome: 'failed', problem: expect.stringMatching(/field is immutable.*it lacks spec\.cpu/) },
      { name: 'others.evenkeel.io', outcome: 'applied' },
    ]);
  });

  test('a starting or unavailable server is distinguished from one that refuses', async () => {
    const starting = new FakeTransport(() => status(503, 'ServiceUnavailable', 'apiserver is starting'));
    expect(await installCrds([manifest], parts(starting), signal)).toMatchObject([{ outcome: 'unreached' }]);
    const away = new FakeTransport(() => Promise.reject(new Error('connection refused')));
    expect(await installCrds([manifest], parts(away), signal)).toMatchObject([{ outcome: 'unreached' }]);
  });

  test.each([
    ['1.2.0', '1.10.0', -1],
    ['1.2.0', '1.2.0', 0],
    ['2.0.0', '1.9.9', 1],
    ['1.2.0-rc.1', '1.2.0', -1],
    ['1.2.0-rc.10', '1.2.0-rc.9', 1],
    ['nonsense', '0.0.1', -1],
  ])('version %s against %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });

  test('comparing versions is antisymmetric', () => {
    const version = fc
      .tuple(fc.nat(20), fc.nat(20), fc.nat(20), fc.constantFrom('', '-rc.1', '-rc.2'))
      .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
    fc.assert(fc.property(version, version, (a, b) => Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a)) === 0));
  });
});
