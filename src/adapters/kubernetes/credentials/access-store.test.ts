import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiTransport } from '#kube/api-transport';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import { crds } from '../../../../test/builders/crds.ts';
import { ROTATE_EVERY_MS, sessionKeyKeptMs, sessionKeyName } from '../../../core/access/session-keys.ts';
import { HOUR_MS } from '#kube/units';
import type { Metrics } from '../../../ports/metrics.ts';
import { isUnavailable } from '../../../ports/unavailable-error.ts';
import { PrometheusMetrics } from '../../../runtime/metrics.ts';
import { AccessCreator } from './access-creator.ts';
import { KubernetesAccessStore } from './access-store.ts';
import { MAX_AGE_MS } from './confirmed-copy.ts';

const LIFETIME_MS = 2 * HOUR_MS;
const NAMESPACE = 'evenkeel-system';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const POLICIES = '/apis/evenkeel.io/v1alpha1/accesspolicies';
const KEY = {
  id: 'abcdefghijkl',
  email: 'ann@example.com',
  label: 'grafana',
  hash: 'a'.repeat(64),
  createdAt: Date.UTC(2026, 10, 27),
  createdBy: 'root@example.com',
  lastUsedAt: null,
};

let world: ApiWorld;
let cluster: FakeClusterReader;
let isOut: boolean;
let replicas = 0;
beforeEach(async () => {
  world = new ApiWorld();
  cluster = new FakeClusterReader();
  isOut = false;
  await world.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const definition = crds().find(({ spec }) => spec.names.plural === 'accesspolicies');
  expect((await world.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status).toBe(201);
});

/** The transport of a replica, which an outage cuts off. */
function transport(): ApiTransport {
  const refuse = () => Promise.reject(new Error('connection refused'));
  return {
    request: (request) => (isOut ? refuse() : world.transport.request(request)),
    stream: (request) => (isOut ? refuse() : world.transport.stream(request)),
  };
}

function replica(metrics: Metrics = new CountingMetrics()): KubernetesAccessStore {
  const context = {
    transport: transport(),
    clock: world.clock,
    timer: world.machine,
    activity: world.activity,
    random: seededRandom(1),
    logger: world.logger,
    metrics,
    capabilities: { streamingLists: null },
  };
  const identity = `controller_${(replicas += 1)}`;
  return new KubernetesAccessStore({
    context,
    commands: transport(),
    namespace: NAMESPACE,
    cluster,
    now: () => world.clock.now(),
    replica: { identity, pod: null, transport: transport() },
  });
}

async function running(store: KubernetesAccessStore, use: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const run = store.run(stop.signal);
  try {
    await use();
  } finally {
    stop.abort(new Error('done'));
    await run;
  }
}

const grant = (role: string, email = 'ann@example.com') => ({
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'default' },
  spec: { grants: [{ email, role }] },
});
const endedOf = async (store: KubernetesAccessStore) => {
  const ended = await store.endedSessions();
  return ['one', 'two', 'three'].filter((id) => ended.has(id));
};
const roles = async (store: KubernetesAccessStore) => [...(await store.grants()).byEmail.values()].map((granted) => granted?.role);

describe('grants', () => {
  test('are those of the AccessPolicy default, and none without it', async () => {
    const store = replica();
    expect(await roles(store)).toEqual([]);
    await world.post(POLICIES, { ...grant('admin'), metadata: { name: 'other' } });
    await world.post(POLICIES, grant('viewer'));
    await world.machine.advance(MAX_AGE_MS);
    expect(await roles(store)).toEqual(['viewer']);
  });

  test('of a changed policy are in effect with the watch event', async () => {
    await world.post(POLICIES, grant('admin'));
    const store = replica();
    await running(store, async () => {
      expect(await roles(store)).toEqual(['admin']);
      await world.patch('merge', `${POLICIES}/default`, { spec: { grants: [] } });
      cluster.announce({ kind: 'other', key: 'accesspolicies/default' });
      expect(await roles(store)).toEqual([]);
    });
  });

  test('that cannot be confirmed for ten seconds are not served', async () => {
    await world.post(POLICIES, grant('admin'));
    const store = replica();
    await running(store, async () => {
      await world.machine.advance(1);
      expect(await roles(store)).toEqual(['admin']);
      isOut = true;
      await world.machine.advance(MAX_AGE_MS - 2);
      expect(await roles(store)).toEqual(['admin']);
      await world.machine.advance(2);
      const failure = await store.grants().catch((err: unknown) => err);
      expect([isUnavailable(failure), store.problem]).toEqual([true, expect.stringContaining('connection refused')]);
      isOut = false;
      await world.machine.advance(MAX_AGE_MS);
      expect([await roles(store), store.problem]).toEqual([['admin'], null]);
    });
  });
});

describe('API keys', () => {
  test('are stored in a Secret each, without the key, and read by every replica', async () => {
    const [first, second] = [replica(), replica()];
    await first.createApiKey(KEY);
    await first.recordUse(KEY.id, Date.UTC(2026, 10, 28));
    expect((await second.apiKeys()).get(KEY.id)).toEqual({ ...KEY, lastUsedAt: Date.UTC(2026, 10, 28) });
    const { metadata } = (await world.get(`${SECRETS}/evenkeel-api-key-${KEY.id}`)).body as { metadata: { labels: object } };
    expect(metadata.labels).toMatchObject({ 'evenkeel.io/api-key': KEY.id, 'evenkeel.io/access': 'true' });
  });

  test('that are deleted are gone at once on the replica, and by the watch on others', async () => {
    const [first, second] = [replica(), replica()];
    await first.createApiKey(KEY);
    await running(second, async () => {
      await world.machine.advance(1);
      expect((await second.apiKeys()).has(KEY.id)).toBe(true);
      expect(await first.deleteApiKey(KEY.id)).toMatchObject({ part: 'api-keys' });
      expect((await first.apiKeys()).has(KEY.id)).toBe(false);
      await world.machine.advance(1);
      expect((await second.apiKeys()).has(KEY.id)).toBe(false);
    });
    expect(await first.deleteApiKey(KEY.id)).toBeNull();
  });

  test('that are used change no access, so that their use ends no copy', async () => {
    const [first, second] = [replica(), replica()];
    await first.createApiKey(KEY);
    await running(second, async () => {
      await world.machine.advance(1);
      let changes = 0;
      second.subscribe(() => (changes += 1));
      await first.recordUse(KEY.id, Date.UTC(2026, 10, 28));
      await world.machine.advance(1);
      expect(changes).toBe(0);
      await world.patch('merge', `${SECRETS}/evenkeel-api-key-${KEY.id}`, { data: { hash: 'eA==' } });
      await world.machine.advance(1);
      expect([changes, (await second.apiKeys()).size]).toEqual([1, 0]);
    });
  });

  test.each<[string, object]>([
    ['under the name of another', { metadata: { name: 'evenkeel-api-key-other', labels: { 'evenkeel.io/api-key': KEY.id } } }],
    ['without a hash', { data: {} }],
    ['with a hash that is none', { data: { hash: 'eA==', email: 'YUBiLmM=' } }],
  ])('in a Secret %s do not exist', async (_what, part) => {
    const labels = { 'evenkeel.io/api-key': KEY.id };
    await world.post(SECRETS, { metadata: { name: `evenkeel-api-key-${KEY.id}`, labels }, ...part });
    expect((await replica().apiKeys()).size).toBe(0);
  });
});

describe('sessions', () => {
  test('that ended on one replica have ended on every other, and are forgotten after they expired', async () => {
    const [first, second] = [replica(), replica()];
    const now = world.clock.now();
    await first.endSession('one', now + 60_000);
    await first.endSession('two', now + 3_600_000);
    expect(await endedOf(second)).toEqual(['one', 'two']);
    await world.clock.advance(600_000);
    await second.endSession('three', now + 3_600_000);
    expect(await endedOf(second)).toEqual(['two', 'three']);
  });

  test('that end at the same time share a write', async () => {
    const store = replica();
    const until = world.clock.now() + 60_000;
    const ids = Array.from({ length: 20 }, (_, index) => `session-${index}`);
    const versions = new Set(
      (await Promise.all(ids.map((id) => store.endSession(id, until)))).map(({ resourceVersion }) => resourceVersion),
    );
    const ended = await store.endedSessions();
    expect(ids.every((id) => ended.has(id))).toBe(true);
    expect(versions.size).toBeLessThanOrEqual(2);
  });

  test('are sealed by a key that the leader creates once; a key that is added sorts last', async () => {
    const dependencies = { transport: transport(), leaders: transport(), timer: world.machine, logger: world.logger, namespace: NAMESPACE };
    const creator = () =>
      new AccessCreator({
        ...dependencies,
        initialAdmin: '',
        sessionLifetimeMs: LIFETIME_MS,
        isLeader: () => true,
        now: () => world.clock.now(),
      });
    expect(await replica().sessionKeys()).toEqual([]);
    expect(await creator().create()).toBe(true);
    const [created] = await replica().sessionKeys();
    expect(created?.bytes).toHaveLength(32);
    await creator().create();
    const added = Buffer.from(Buffer.alloc(32, 1).toString('base64')).toString('base64');
    await world.patch('merge', `${SECRETS}/evenkeel-session-keys`, { data: { '20990101T000000000Z': added, short: 'c2hvcnQ=' } });
    expect(await replica().sessionKeys()).toEqual([created, { id: '20990101T000000000Z', bytes: Buffer.alloc(32, 1) }]);
  });
});

test('metrics have the number of API keys, and when each part was confirmed', async () => {
  const metrics = new PrometheusMetrics();
  const store = replica(metrics);
  await store.createApiKey(KEY);
  await Promise.all([store.grants(), store.apiKeys(), store.endedSessions(), store.sessionKeys()]);
  const text = await metrics.expose();
  expect(text).toContain('evenkeel_auth_api_keys 1\n');
  for (const part of ['accesspolicy-default', 'api-keys', 'ended-sessions', 'session-keys']) {
    expect(text).toContain(`evenkeel_auth_confirmed_timestamp_seconds{part="${part}"} ${world.clock.now() / 1000}\n`);
  }
  expect(text).not.toContain(KEY.hash);
  expect(text).not.toContain(KEY.email);
});

describe('keys of sessions', () => {
  const leader = () => {
    const dependencies = { transport: transport(), leaders: transport(), timer: world.machine, logger: world.logger, namespace: NAMESPACE };
    return new AccessCreator({
      ...dependencies,
      initialAdmin: '',
      sessionLifetimeMs: LIFETIME_MS,
      isLeader: () => true,
      now: () => world.clock.now(),
    });
  };
  const names = async () => (await replica().sessionKeys()).map(({ id }) => id);

  test('are rotated every week by any leader, and the earlier one is removed when its sessions have ended', async () => {
    await leader().create();
    const [first = ''] = await names();
    await world.clock.advance(ROTATE_EVERY_MS - 1);
    await leader().create();
    expect(await names()).toEqual([first]);
    await world.clock.advance(1);
    await leader().create();
    await leader().create();
    const [kept, second = ''] = await names();
    expect([kept, second > first]).toEqual([first, true]);
    await world.clock.advance(sessionKeyKeptMs(LIFETIME_MS));
    await leader().create();
    expect(await names()).toEqual([second]);
    expect(world.logger.lines).toContainEqual(expect.objectContaining({ message: 'Rotated the keys of sessions' }));
    const bytes = (await replica().sessionKeys()).map((key) => Buffer.from(key.bytes).toString('base64'));
    expect(JSON.stringify(world.logger.lines)).not.toContain(bytes[0]);
  });

  test('are kept where a user adds one at the same time: the leader merges', async () => {
    await leader().create();
    const [first = ''] = await names();
    await world.clock.advance(ROTATE_EVERY_MS);
    const added = Buffer.from(Buffer.alloc(32, 1).toString('base64')).toString('base64');
    await world.patch('merge', `${SECRETS}/evenkeel-session-keys`, { data: { [sessionKeyName(world.clock.now() - 1)]: added } });
    await leader().create();
    expect(await names()).toEqual([first, sessionKeyName(world.clock.now() - 1)]);
    await world.clock.advance(sessionKeyKeptMs(LIFETIME_MS));
    await leader().create();
    expect(await names()).toHaveLength(1);
  });

  test('all removed by a user are replaced by one', async () => {
    await leader().create();
    const [first = ''] = await names();
    await world.patch('merge', `${SECRETS}/evenkeel-session-keys`, { data: { [first]: null } });
    await world.clock.advance(1);
    await leader().create();
    expect(await names()).toEqual([sessionKeyName(world.clock.now())]);
  });
});

describe('a Secret of session keys without a valid key', () => {
  test.each<[string, object]>([
    ['and without data', {}],
    ['but with one that is too short', { data: { '20990101T000000000Z': 'c2hvcnQ=' } }],
  ])('%s gets one, and sign-in works again', async (_what, part) => {
    await world.post(SECRETS, { metadata: { name: 'evenkeel-session-keys' }, ...part });
    const dependencies = { transport: transport(), leaders: transport(), timer: world.machine, logger: world.logger, namespace: NAMESPACE };
    const creator = new AccessCreator({
      ...dependencies,
      initialAdmin: '',
      sessionLifetimeMs: LIFETIME_MS,
      isLeader: () => true,
      now: () => world.clock.now(),
    });
    expect(await creator.create()).toBe(true);
    const keys = await replica().sessionKeys();
    expect(keys.map(({ bytes }) => bytes.length)).toEqual([32]);
    await creator.create();
    expect(await replica().sessionKeys()).toEqual(keys);
  });
});

describe('the initial admin', () => {
  const create = (initialAdmin: string) =>
    new AccessCreator({
      transport: transport(),
      leaders: transport(),
      timer: world.machine,
      logger: world.logger,
      namespace: NAMESPACE,
      initialAdmin,
      sessionLifetimeMs: LIFETIME_MS,
      isLeader: () => true,
      now: () => world.clock.now(),
    }).create();

  test('is granted where no AccessPolicy exists', async () => {
    await create('root@example.com');
    expect([...(await replica().grants()).byEmail.values()]).toMatchObject([{ email: 'root@example.com', role: 'admin' }]);
  });

  test('changes no AccessPolicy that exists', async () => {
    await world.post(POLICIES, grant('viewer'));
    expect(await create('root@example.com')).toBe(true);
    expect(await roles(replica())).toEqual(['viewer']);
  });

  test('that cannot be created is the problem of the leader, until it is created or another replica leads', async () => {
    let isLeader = true;
    const creator = new AccessCreator({
      transport: transport(),
      leaders: transport(),
      timer: world.machine,
      logger: world.logger,
      namespace: NAMESPACE,
      initialAdmin: 'root@example.com',
      sessionLifetimeMs: LIFETIME_MS,
      isLeader: () => isLeader,
      now: () => world.clock.now(),
    });
    isOut = true;
    expect([await creator.create(), creator.problem]).toEqual([false, expect.stringContaining('connection refused')]);
    isLeader = false;
    expect(creator.problem).toBeNull();
    isLeader = true;
    isOut = false;
    expect([await creator.create(), creator.problem]).toEqual([true, null]);
  });

  test('is not created where the setting is empty', async () => {
    await create('');
    expect((await world.get(`${POLICIES}/default`)).status).toBe(404);
  });
});
