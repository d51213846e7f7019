import { describe, expect, test } from '@jest/globals';
import { ApiWorld, type Wire } from '../../../testing/api-world.ts';
import type { KubeObject } from '../kube-object.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';

function configMap(name: string, data: Record<string, string> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function deployment(name = 'web', replicas = 2): Wire {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  };
}

function pod(name: string, extra: object = {}): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'main', image: 'nginx' }], ...extra } };
}

const objectOf = (response: { readonly body: unknown }): KubeObject & { spec: Wire; status: Wire; data: Wire } => response.body as never;
const messageOf = (response: { readonly body: unknown }): string => (response.body as { message: string }).message;

describe('create', () => {
  test('sets uid, version, time and defaults, and records field ownership', async () => {
    const world = new ApiWorld();
    const created = await world.post(DEPLOYMENTS, deployment(), { fieldManager: 'me' });
    expect(created.status).toBe(201);
    const { metadata, spec, status } = objectOf(created);
    expect(metadata).toMatchObject({ namespace: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' });
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(metadata.managedFields).toMatchObject([{ manager: 'me', operation: 'Update', apiVersion: 'apps/v1' }]);
    expect(spec.strategy.type).toBe('RollingUpdate');
    expect(status).toEqual({});
  });

  test('generates names', async () => {
    const created = await new ApiWorld().post(CONFIG_MAPS, { metadata: { generateName: 'web-' } });
    expect(objectOf(created).metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test.each([
    ['an object that exists', CONFIG_MAPS, configMap('there'), 409, 'configmaps "there" already exists'],
    ['a namespace that does not exist', '/api/v1/namespaces/none/configmaps', configMap('x'), 404, 'namespaces "none" not found'],
    [
      'another namespace than that of the path',
      CONFIG_MAPS,
      { metadata: { name: 'x', namespace: 'other' } },
      400,
      /does not match the namespace sent/,
    ],
    ['no name', CONFIG_MAPS, { metadata: {} }, 422, /metadata.name: Required value: name or generateName is required/],
    [
      'a bad name',
      CONFIG_MAPS,
      configMap('Bad_Name'),
      422,
      /ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123/,
    ],
    ['another kind', CONFIG_MAPS, { ...configMap('x'), kind: 'Secret' }, 400, /Secret in version "v1" cannot be handled as a ConfigMap/],
    [
      'labels that are no text',
      CONFIG_MAPS,
      { metadata: { name: 'x', labels: { a: 1 } } },
      400,
      /cannot unmarshal object into Go struct field ObjectMeta.metadata.labels/,
    ],
    [
      'a version of its own',
      CONFIG_MAPS,
      { metadata: { name: 'x', resourceVersion: '4' } },
      500,
      'resourceVersion should not be set on objects to be created',
    ],
  ])('refuses %s', async (_why, path, body, status, message) => {
    const world = new ApiWorld();
    await world.post(CONFIG_MAPS, configMap('there'));
    const refused = await world.post(path, body);
    expect(refused.status).toBe(status);
    if (typeof message === 'string') expect(messageOf(refused)).toBe(message);
    else expect(messageOf(refused)).toMatch(message);
  });

  test('with dryRun=All returns the result, and stores nothing', async () => {
    const world = new ApiWorld();
    expect((await world.post(CONFIG_MAPS, configMap('x'), { dryRun: 'All' })).status).toBe(201);
    expect((await world.get(`${CONFIG_MAPS}/x`)).status).toBe(404);
  });

  test('warns of unknown fields, or refuses them under Strict', async () => {
    const world = new ApiWorld();
    const body = { ...configMap('x'), nonsense: 1 };
    const strict = await world.post(CONFIG_MAPS, body, { fieldValidation: 'Strict' });
    expect(messageOf(strict)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nonsense"',
    );
    const warned = await world.post(CONFIG_MAPS, body);
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"nonsense\\""');
    expect(warned.body).not.toHaveProperty('nonsense');
  });

  test('refuses objects in a terminating namespace', async () => {
    const world = new ApiWorld();
    await world.post('/api/v1/namespaces', { metadata: { name: 'tmp' } });
    await world.delete('/api/v1/namespaces/tmp');
    const refused = await world.post('/api/v1/namespaces/tmp/configmaps', configMap('x'));
    expect(refused.status).toBe(403);
    expect(messageOf(refused)).toMatch(/unable to create new content in namespace tmp because it is being terminated/);
  });
});

describe('update', () => {
  test('a stale version is a conflict; without a version any object is replaced', async () => {
    const world = new ApiWorld();
    const { metadata } = objectOf(await world.post(CONFIG_MAPS, configMap('x', { a: '1' })));
    await world.put(`${CONFIG_MAPS}/x`, configMap('x', { a: '2' }));
    const stale = await world.put(`${CONFIG_MAPS}/x`, { ...configMap('x'), metadata });
    expect(stale.status).toBe(409);
    expect(messageOf(stale)).toBe(
      'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('the generation follows the spec only; an update without a change stores nothing', async () => {
    const world = new ApiWorld();
    const first = objectOf(await world.post(DEPLOYMENTS, deployment()));
    const labelled = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web`, { metadata: { labels: { a: 'b' } } }));
    expect(labelled.metadata.generation).toBe(1);
    const scaled = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web`, { spec: { replicas: 3 } }));
    expect(scaled.metadata.generation).toBe(2);
    const same = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web`, { spec: { replicas: 3 } }));
    expect(same.metadata.resourceVersion).toBe(scaled.metadata.resourceVersion);
    expect(first.metadata.resourceVersion).not.toBe(scaled.metadata.resourceVersion);
  });

  test('the main resource keeps the status, and the status subresource everything else', async () => {
    const world = new ApiWorld();
    await world.post(DEPLOYMENTS, deployment());
    const viaMain = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web`, { status: { replicas: 7 } }));
    expect(viaMain.status).toEqual({});
    const body = { status: { replicas: 7 }, spec: { replicas: 9 }, metadata: { labels: { a: 'b' } } };
    const viaStatus = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web/status`, body));
    expect(viaStatus.status.replicas).toBe(7);
    expect(viaStatus.spec.replicas).toBe(2);
    expect(viaStatus.metadata).toMatchObject({ generation: 1 });
    expect(viaStatus.metadata.labels).toBeUndefined();
  });

  test('fields of the server cannot be changed', async () => {
    const world = new ApiWorld();
    const { metadata } = objectOf(await world.post(CONFIG_MAPS, configMap('x')));
    const body = { ...configMap('x', { a: '1' }), metadata: { name: 'x', creationTimestamp: '1999-01-01T00:00:00Z', generation: 9 } };
    const updated = objectOf(await world.put(`${CONFIG_MAPS}/x`, body));
    expect(updated.metadata.creationTimestamp).toBe(metadata.creationTimestamp);
    expect(updated.metadata.generation).toBeUndefined();
    const other = await world.put(`${CONFIG_MAPS}/x`, { ...configMap('x'), metadata: { name: 'x', uid: 'other' } });
    expect(messageOf(other)).toMatch(/Precondition failed: UID in precondition: other, UID in object meta: /);
  });

  test('stored objects are never changed in place', async () => {
    const world = new ApiWorld();
    const before = objectOf(await world.post(DEPLOYMENTS, deployment()));
    const copy = structuredClone(before);
    await world.patch('strategic', `${DEPLOYMENTS}/web`, { spec: { template: { spec: { containers: [{ name: 'side', image: 'x' }] } } } });
    await world.patch('json', `${DEPLOYMENTS}/web`, [{ op: 'add', path: '/spec/template/metadata/labels/b', value: 'c' }]);
    expect(before).toEqual(copy);
  });
});

describe('patch', () => {
  test('JSON patch applies tests', async () => {
    const world = new ApiWorld();
    await world.post(DEPLOYMENTS, deployment());
    const patch = (expected: number): object[] => [
      { op: 'test', path: '/spec/replicas', value: expected },
      { op: 'replace', path: '/spec/replicas', value: 5 },
    ];
    const failed = await world.patch('json', `${DEPLOYMENTS}/web`, patch(3));
    expect([failed.status, messageOf(failed)]).toEqual([422, 'the server rejected our request due to an error in our request']);
    expect(objectOf(await world.patch('json', `${DEPLOYMENTS}/web`, patch(2))).spec.replicas).toBe(5);
  });

  test('strategic merge merges containers by name; merge patch replaces the list', async () => {
    const world = new ApiWorld();
    await world.post(DEPLOYMENTS, deployment());
    const change = { spec: { template: { spec: { containers: [{ name: 'side', image: 'x' }] } } } };
    const names = (response: { readonly body: unknown }): string[] =>
      objectOf(response).spec.template.spec.containers.map(({ name }: { name: string }) => name);
    expect(names(await world.patch('strategic', `${DEPLOYMENTS}/web`, change)).sort()).toEqual(['main', 'side']);
    expect(names(await world.patch('merge', `${DEPLOYMENTS}/web`, change))).toEqual(['side']);
  });

  test('apply creates, owns, conflicts and can be forced', async () => {
    const world = new ApiWorld();
    const created = await world.patch('apply', `${CONFIG_MAPS}/x`, configMap('x', { a: '1' }), { fieldManager: 'one' });
    expect(created.status).toBe(201);
    const conflict = await world.patch('apply', `${CONFIG_MAPS}/x`, configMap('x', { a: '2' }), { fieldManager: 'two' });
    expect([conflict.status, messageOf(conflict)]).toEqual([409, 'Apply failed with 1 conflict: conflict with "one": .data.a']);
    const forced = await world.patch('apply', `${CONFIG_MAPS}/x`, configMap('x', { a: '2' }), { fieldManager: 'two', force: true });
    expect(objectOf(forced).data).toEqual({ a: '2' });
    const again = await world.patch('apply', `${CONFIG_MAPS}/x`, configMap('x', { a: '2' }), { fieldManager: 'two' });
    expect(objectOf(again).metadata.resourceVersion).toBe(objectOf(forced).metadata.resourceVersion);
    const nameless = await world.patch('apply', `${CONFIG_MAPS}/x`, configMap('x'));
    expect(messageOf(nameless)).toMatch(/fieldManager: Required value: is required for apply patch/);
  });

  test('a version in a patch is a precondition', async () => {
    const world = new ApiWorld();
    await world.post(CONFIG_MAPS, configMap('x'));
    expect((await world.patch('merge', `${CONFIG_MAPS}/x`, { metadata: { resourceVersion: '1' }, data: { a: 'b' } })).status).toBe(409);
  });
});

describe('delete', () => {
  test('finalizers keep the object until the last one is removed', async () => {
    const world = new ApiWorld();
    await world.post(CONFIG_MAPS, { metadata: { name: 'x', finalizers: ['example.com/hold'] } });
    const held = objectOf(await world.delete(`${CONFIG_MAPS}/x`));
    expect(held.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    const added = await world.patch('merge', `${CONFIG_MAPS}/x`, { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } });
    expect(messageOf(added)).toMatch(/no new finalizers can be added if the object is being deleted/);
    await world.patch('merge', `${CONFIG_MAPS}/x`, { metadata: { finalizers: null } });
    expect((await world.get(`${CONFIG_MAPS}/x`)).status).toBe(404);
  });

  test.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])('%s propagation adds its finalizer for the garbage collector', async (propagationPolicy, finalizers) => {
    const world = new ApiWorld();
    await world.post(DEPLOYMENTS, deployment());
    const held = objectOf(await world.delete(`${DEPLOYMENTS}/web`, { propagationPolicy }));
    expect(held.metadata.finalizers).toEqual(finalizers);
  });

  test('a pod on a node gets its grace period and is removed by the kubelet; an unscheduled one is removed at once', async () => {
    const world = new ApiWorld();
    await world.post(PODS, pod('waiting'));
    await world.post(PODS, pod('running', { nodeName: 'n1', terminationGracePeriodSeconds: 20 }));
    await world.delete(`${PODS}/waiting`);
    expect((await world.get(`${PODS}/waiting`)).status).toBe(404);
    const { metadata } = objectOf(await world.delete(`${PODS}/running`));
    expect(metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 20, generation: 2 });
    await world.delete(`${PODS}/running`, { gracePeriodSeconds: 0 });
    expect((await world.get(`${PODS}/running`)).status).toBe(404);
  });

  test('preconditions and dry runs are applied', async () => {
    const world = new ApiWorld();
    await world.post(CONFIG_MAPS, configMap('x'));
    expect((await world.delete(`${CONFIG_MAPS}/x`, { preconditions: { uid: 'other' } })).status).toBe(409);
    expect((await world.delete(`${CONFIG_MAPS}/x`, { dryRun: ['All'] })).status).toBe(200);
    expect((await world.get(`${CONFIG_MAPS}/x`)).status).toBe(200);
  });

  test('deletecollection applies selectors', async () => {
    const world = new ApiWorld();
    for (const name of ['a', 'b']) await world.post(CONFIG_MAPS, { metadata: { name, labels: { name } } });
    await world.delete(CONFIG_MAPS, undefined, { labelSelector: 'name=a' });
    expect((await world.get(CONFIG_MAPS)).body).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  });
});

describe('list', () => {
  test('pages are of one revision, whatever changes in between', async () => {
    const world = new ApiWorld();
    for (const name of ['a', 'b', 'c', 'd']) await world.post(CONFIG_MAPS, configMap(name));
    const first = (await world.get(CONFIG_MAPS, { limit: 2 })).body as Wire;
    expect(first.metadata.remainingItemCount).toBe(2);
    await world.delete(`${CONFIG_MAPS}/c`);
    await world.post(CONFIG_MAPS, configMap('bb'));
    const second = (await world.get(CONFIG_MAPS, { limit: 2, continue: first.metadata.continue })).body as Wire;
    expect(second.items.map((item: KubeObject) => item.metadata.name)).toEqual(['c', 'd']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test('an expired token is refused with one for an inconsistent continuation', async () => {
    const world = new ApiWorld();
    for (const name of ['a', 'b']) await world.post(CONFIG_MAPS, configMap(name));
    const { metadata } = (await world.get(CONFIG_MAPS, { limit: 1 })).body as Wire;
    for (let index = 0; index < 2100; index++) await world.patch('merge', `${CONFIG_MAPS}/a`, { data: { index: String(index) } });
    const expired = await world.get(CONFIG_MAPS, { limit: 1, continue: metadata.continue });
    expect([expired.status, (expired.body as Wire).reason]).toEqual([410, 'Expired']);
    const goesOn = await world.get(CONFIG_MAPS, { limit: 1, continue: (expired.body as Wire).metadata.continue });
    expect((goesOn.body as Wire).items[0].metadata.name).toBe('b');
  });

  test.each([
    [{ resourceVersion: '999' }, 504, 'Too large resource version: 999, current: '],
    [{ resourceVersion: 'x' }, 400, 'resourceVersion: Invalid value'],
    [{ resourceVersionMatch: 'Exact' }, 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [{ continue: 'garbage' }, 400, 'continue key is not valid'],
  ])('refuses %j', async (query, status, message) => {
    const refused = await new ApiWorld().get(CONFIG_MAPS, query);
    expect(refused.status).toBe(status);
    expect(messageOf(refused)).toContain(message);
  });

  test('shows tables and metadata only on request', async () => {
    const world = new ApiWorld();
    await world.post(CONFIG_MAPS, configMap('x', { a: '1' }));
    const table = (await world.get(CONFIG_MAPS, {}, 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json')).body as Wire;
    expect(table).toMatchObject({ kind: 'Table', rows: [{ cells: ['x', 1, '0s'], object: { kind: 'PartialObjectMetadata' } }] });
    const partial = (await world.get(CONFIG_MAPS, {}, 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io')).body as Wire;
    expect(partial.items[0]).not.toHaveProperty('data');
    expect((await world.get(CONFIG_MAPS, {}, 'application/vnd.kubernetes.protobuf')).status).toBe(406);
  });
});

describe('scale', () => {
  test('reads, replaces and patches replicas, whatever the kind', async () => {
    const world = new ApiWorld();
    await world.post(DEPLOYMENTS, deployment());
    const scale = objectOf(await world.get(`${DEPLOYMENTS}/web/scale`));
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 0, selector: 'app=web' } });
    await world.put(`${DEPLOYMENTS}/web/scale`, { ...scale, spec: { replicas: 4 } });
    const patched = objectOf(await world.patch('merge', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 5 } }));
    expect(patched.spec.replicas).toBe(5);
    expect(objectOf(await world.get(`${DEPLOYMENTS}/web`)).metadata.generation).toBe(3);
    expect((await world.put(`${DEPLOYMENTS}/web/scale`, { ...scale, spec: { replicas: 1 } })).status).toBe(409);
  });
});

describe('events', () => {
  test('of events.k8s.io are served and selected in the core API as well', async () => {
    const world = new ApiWorld();
    const regarding = { kind: 'Pod', name: 'p', namespace: 'default' };
    const event = {
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding,
      note: 'hello',
      reason: 'R',
      action: 'A',
      type: 'Normal',
      reportingController: 'c',
      reportingInstance: 'i',
    };
    await world.post('/apis/events.k8s.io/v1/namespaces/default/events', event);
    const core = objectOf(await world.get('/api/v1/namespaces/default/events/e'));
    expect(core).toMatchObject({ apiVersion: 'v1', involvedObject: regarding, message: 'hello', reportingComponent: 'c' });
    const selected = await world.get('/api/v1/events', { fieldSelector: 'involvedObject.name=p,reason=R' });
    expect((selected.body as Wire).items).toHaveLength(1);
  });

  test('expire an hour after their last change', async () => {
    const world = new ApiWorld();
    const event = (name: string): object => ({
      metadata: { name },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      message: name,
    });
    await world.post('/api/v1/namespaces/default/events', event('old'));
    await world.post('/api/v1/namespaces/default/events', event('renewed'));
    await world.clock.advance(1800_000);
    await world.patch('merge', '/api/v1/namespaces/default/events/renewed', { message: 'again' });
    await world.clock.advance(1800_000);
    expect((await world.get('/api/v1/events')).body).toMatchObject({ items: [{ metadata: { name: 'renewed' } }] });
    await world.clock.advance(1800_000);
    expect((await world.get('/api/v1/events')).body).toMatchObject({ items: [] });
  });
});
