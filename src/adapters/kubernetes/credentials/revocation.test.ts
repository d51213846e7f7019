// Revoked permissions on several replicas over one API server, each with a connection that fails on its own.

import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiRequest, ApiStream, ApiTransport } from '#kube/api-transport';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { crds } from '../../../../test/builders/crds.ts';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { seededRandom } from '../../../../test/fakes/seeded-random.ts';
import type { ReplicaReports } from '../../../core/access/replica-reports.ts';
import type { AccessWrite } from '../../../ports/access-store.ts';
import { KubernetesAccessStore } from './access-store.ts';
import { MAX_AGE_MS } from './confirmed-copy.ts';
import { LEASE_MS } from './replica-lease.ts';
import { StaleLeaseCleaner } from './stale-lease-cleaner.ts';

const NAMESPACE = 'evenkeel-system';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const POLICIES = '/apis/evenkeel.io/v1alpha1/accesspolicies';
const ALL_REPORTED = { missing: [], areKnown: true };

let world: ApiWorld;
let running: Replica[];
beforeEach(async () => {
  world = new ApiWorld();
  running = [];
  await world.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const definition = crds().find(({ spec }) => spec.names.plural === 'accesspolicies');
  expect((await world.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status).toBe(201);
});

interface Options {
  readonly pod?: { readonly name: string; readonly uid: string } | null;
  readonly isLost?: (request: ApiRequest) => boolean;
}

class Replica {
  readonly identity: string;
  readonly store: KubernetesAccessStore;
  readonly cluster = new FakeClusterReader();
  /** Requests that fail. */
  isLost: (request: ApiRequest) => boolean;
  /** Whether watches are silent. */
  isDeaf = false;
  readonly writes: string[] = [];
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(identity: string, { pod = null, isLost = () => false }: Options = {}) {
    this.identity = identity;
    this.isLost = isLost;
    const transport = this.#transport();
    const context = {
      transport,
      clock: world.clock,
      timer: world.machine,
      activity: world.activity,
      random: seededRandom(1),
      logger: world.logger,
      metrics: new CountingMetrics(),
      capabilities: { streamingLists: null },
    };
    const now = () => world.clock.now() + world.machine.nowMs();
    this.store = new KubernetesAccessStore({
      context,
      commands: transport,
      namespace: NAMESPACE,
      cluster: this.cluster,
      now,
      replica: { identity, pod, transport },
    });
    this.#ended = this.store.run(this.#stop.signal);
    running.push(this);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('done'));
    await this.#ended;
  }

  /** The process ends without a request. */
  async crash(): Promise<void> {
    this.isLost = () => true;
    await this.stop();
  }

  async has(id: string): Promise<boolean> {
    return (await this.store.apiKeys()).has(id);
  }

  #transport(): ApiTransport {
    const refuse = () => Promise.reject(new Error('connection refused'));
    return {
      request: (request) => {
        if (this.isLost(request)) return refuse();
        if (request.method !== 'GET') this.writes.push(`${request.method} ${request.path.split('/').at(-1)}`);
        return world.transport.request(request);
      },
      stream: async (request) => {
        if (this.isLost(request)) return refuse();
        const stream = await world.transport.stream(request);
        return { ...stream, items: this.#heard(stream) };
      },
    };
  }

  /** Events that are dropped while the replica is deaf. */
  async *#heard(stream: ApiStream): AsyncGenerator {
    for await (const item of stream.items) if (!this.isDeaf) yield item;
  }
}

const keyOf = (id: string) => ({
  id,
  email: 'ann@example.com',
  label: 'grafana',
  hash: 'a'.repeat(64),
  createdAt: Date.UTC(2026, 10, 27),
  createdBy: 'root@example.com',
  lastUsedAt: null,
});

/** Starts two replicas, and lets the second one read a key. */
async function withKey(use: (first: Replica, second: Replica) => Promise<void>): Promise<void> {
  const [first, second] = [new Replica('first_1'), new Replica('second_2')];
  await world.machine.advance(SECOND_MS);
  await first.store.createApiKey(keyOf('abcdefghijkl'));
  await world.machine.advance(SECOND_MS);
  expect(await second.has('abcdefghijkl')).toBe(true);
  try {
    await use(first, second);
  } finally {
    for (const replica of running) await replica.stop();
  }
}

/** Waits for a write in machine time. Returns the reports, and how long they took. */
async function answered(replica: Replica, write: AccessWrite | null): Promise<ReplicaReports & { readonly ms: number }> {
  const began = world.machine.nowMs();
  const reports: ReplicaReports[] = [];
  void replica.store.untilEveryReplicaHas(write!).then((answer) => reports.push(answer));
  await world.machine.advance(0);
  while (reports.length === 0) await world.machine.advance(100);
  return { ...reports[0]!, ms: world.machine.nowMs() - began };
}

const revoke = (replica: Replica, id = 'abcdefghijkl') => replica.store.deleteApiKey(id);

describe('a revoke', () => {
  test('is answered once the other replica has reported it, which refuses the key then', async () => {
    await withKey(async (first, second) => {
      const { ms, ...reports } = await answered(first, await revoke(first));
      expect(reports).toEqual(ALL_REPORTED);
      expect(ms).toBeLessThan(SECOND_MS);
      second.isLost = () => true;
      // Nothing is left to serve: the copy was dropped before the report.
      expect([await first.has('abcdefghijkl'), await second.has('abcdefghijkl').catch(() => false)]).toEqual([false, false]);
    });
  });

  test('is not complete before: without the wait, the other replica still serves the key', async () => {
    await withKey(async (first, second) => {
      second.isDeaf = true;
      await revoke(first);
      expect(await second.has('abcdefghijkl')).toBe(true);
    });
  });

  test('waits where the watch of the other replica is silent, until that has read by itself', async () => {
    await withKey(async (first, second) => {
      second.isDeaf = true;
      const { ms, ...reports } = await answered(first, await revoke(first));
      expect(reports).toEqual(ALL_REPORTED);
      expect(ms).toBeLessThanOrEqual(5 * SECOND_MS);
      expect(await second.has('abcdefghijkl')).toBe(false);
    });
  });

  test('does not need its own watch of the reports', async () => {
    await withKey(async (first, second) => {
      first.isDeaf = true;
      const { ms, ...reports } = await answered(first, await revoke(first));
      expect(reports).toEqual(ALL_REPORTED);
      expect(ms).toBeLessThanOrEqual(SECOND_MS);
      expect(await second.has('abcdefghijkl')).toBe(false);
    });
  });

  test('is answered after ten seconds where the other replica reaches nothing, which serves nothing then', async () => {
    await withKey(async (first, second) => {
      second.isLost = () => true;
      second.isDeaf = true;
      const { ms, ...reports } = await answered(first, await revoke(first));
      expect(reports).toEqual({ missing: ['second_2'], areKnown: true });
      expect(ms).toBe(MAX_AGE_MS);
      await expect(second.has('abcdefghijkl')).rejects.toThrow('connection refused');
    });
  });

  test('is answered after ten seconds where the other replica cannot report, which reads by itself then', async () => {
    await withKey(async (first, second) => {
      second.isLost = ({ path, method }) => path.startsWith(LEASES) && method === 'PATCH';
      const { ms, missing } = await answered(first, await revoke(first));
      expect([missing, ms, await second.has('abcdefghijkl')]).toEqual([['second_2'], MAX_AGE_MS, false]);
    });
  });

  test('is answered after ten seconds where the replicas cannot be listed', async () => {
    await withKey(async (first) => {
      const write = await revoke(first);
      first.isLost = ({ path, method }) => path === LEASES && method === 'GET';
      const { ms, areKnown } = await answered(first, write);
      expect([areKnown, ms]).toEqual([false, MAX_AGE_MS]);
    });
  });

  test('of a session waits for the other replica', async () => {
    await withKey(async (first, second) => {
      for (const id of ['one', 'two']) {
        const { missing } = await answered(first, await first.store.endSession(id, world.clock.now() + 60 * MINUTE_MS));
        expect([missing, (await second.store.endedSessions()).has(id)]).toEqual([[], true]);
      }
    });
  });

  test('of a grant waits for the version of the AccessPolicy', async () => {
    await withKey(async (first, second) => {
      const spec = { grants: [{ email: 'ann@example.com', role: 'viewer' }] };
      await world.post(POLICIES, { apiVersion: 'evenkeel.io/v1alpha1', kind: 'AccessPolicy', metadata: { name: 'default' }, spec });
      second.cluster.announce({ kind: 'other', key: 'accesspolicies/default' });
      await world.machine.advance(SECOND_MS);
      expect((await second.store.grants()).byEmail.size).toBe(1);
      const { body } = await world.patch('merge', `${POLICIES}/default`, { spec: { grants: [] } });
      const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
      const { missing } = await answered(first, { part: 'access-policy', resourceVersion });
      expect([missing, (await second.store.grants()).byEmail.size]).toEqual([[], 0]);
    });
  });

  test('leaves no Secret, and a failed deletion leaves one that is no key', async () => {
    await withKey(async (first, second) => {
      first.isLost = ({ method, path }) => method === 'DELETE' && path.startsWith(SECRETS);
      expect(await revoke(first)).not.toBeNull();
      expect(await second.has('abcdefghijkl')).toBe(false);
      expect((await world.get(`${SECRETS}/evenkeel-api-key-abcdefghijkl`)).status).toBe(200);
      first.isLost = () => false;
      expect(await revoke(first)).not.toBeNull();
      expect((await world.get(`${SECRETS}/evenkeel-api-key-abcdefghijkl`)).status).toBe(404);
      expect(await revoke(first)).toBeNull();
    });
  });
});

describe('a replica', () => {
  test('whose Lease is not written serves no copy: each call reads', async () => {
    const alone = new Replica('alone_1', { isLost: ({ path }) => path.startsWith(LEASES) });
    const other = new Replica('other_2');
    await world.machine.advance(5 * SECOND_MS);
    await other.store.createApiKey(keyOf('abcdefghijkl'));
    alone.isDeaf = true;
    expect(await alone.has('abcdefghijkl')).toBe(true);
    const { ms, ...reports } = await answered(other, await revoke(other));
    expect([reports, ms]).toEqual([ALL_REPORTED, 0]);
    expect(await alone.has('abcdefghijkl')).toBe(false);
    expect(alone.store.leaseProblem).toContain('connection refused');
    for (const replica of running) await replica.stop();
  });

  test('drops its copies before others wait for it again', async () => {
    await withKey(async (first, second) => {
      second.isDeaf = true;
      second.isLost = ({ path }) => path.startsWith(LEASES);
      await world.machine.advance(LEASE_MS + SECOND_MS);
      expect(await second.has('abcdefghijkl')).toBe(true);
      const { ms } = await answered(first, await revoke(first));
      expect(ms).toBe(0);
      second.isLost = () => false;
      await world.machine.advance(SECOND_MS);
      expect(await second.has('abcdefghijkl')).toBe(false);
    });
  });

  test('that crashed is waited for until its Lease has expired, and the leader deletes that', async () => {
    await withKey(async (first, second) => {
      await second.crash();
      expect((await answered(first, await revoke(first))).missing).toEqual(['second_2']);
      await world.machine.advance(LEASE_MS);
      await first.store.createApiKey(keyOf('bbcdefghijkl'));
      expect(await answered(first, await revoke(first, 'bbcdefghijkl'))).toEqual({ ...ALL_REPORTED, ms: 0 });
      const stop = new AbortController();
      const leaders: ApiTransport = world.transport;
      const parts = { replicas: first.store.replicas, leaders, namespace: NAMESPACE, timer: world.machine, logger: world.logger };
      const cleaning = new StaleLeaseCleaner({ ...parts, isLeader: () => true }).run(stop.signal);
      await world.machine.advance(6 * MINUTE_MS);
      stop.abort(new Error('done'));
      await cleaning;
      expect(await leaseNames()).toEqual(['evenkeel-access-first-1']);
    });
  });

  test('whose Lease was deleted by others is waited for, since it may not know, and creates another', async () => {
    await withKey(async (first, second) => {
      second.isDeaf = true;
      await world.delete(`${LEASES}/evenkeel-access-second-2`);
      await world.machine.advance(1);
      const { ms, missing } = await answered(first, await revoke(first));
      expect([ms <= MAX_AGE_MS, missing, await second.has('abcdefghijkl')]).toEqual([true, [], false]);
      await world.machine.advance(20 * SECOND_MS);
      expect(await leaseNames()).toEqual(['evenkeel-access-first-1', 'evenkeel-access-second-2']);
    });
  });

  test('that stops is not waited for, and leaves no Lease', async () => {
    await withKey(async (first, second) => {
      await second.stop();
      await world.machine.advance(1);
      expect(await answered(first, await revoke(first))).toEqual({ ...ALL_REPORTED, ms: 0 });
      expect(await leaseNames()).toEqual(['evenkeel-access-first-1']);
    });
  });

  test('writes its Lease every ten seconds at rest, and once for each change', async () => {
    await withKey(async (first, second) => {
      await world.machine.advance(20 * SECOND_MS);
      second.writes.length = 0;
      await world.machine.advance(60 * SECOND_MS);
      expect(second.writes.length).toBeLessThanOrEqual(6);
      second.writes.length = 0;
      await answered(first, await revoke(first));
      await world.machine.advance(9 * SECOND_MS);
      expect(second.writes.length).toBeLessThanOrEqual(2);
    });
  });

  test('in a pod has a Lease that the pod owns, and that is named after it', async () => {
    const replica = new Replica('evenkeel-controller-7d9f_ab12', { pod: { name: 'evenkeel-controller-7d9f', uid: '1-2-3' } });
    await world.machine.advance(1);
    const { body } = await world.get(`${LEASES}/evenkeel-access-evenkeel-controller-7d9f-ab12`);
    expect(body).toMatchObject({
      metadata: {
        labels: { 'evenkeel.io/access-replica': 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'evenkeel-controller-7d9f', uid: '1-2-3' }],
      },
      spec: { holderIdentity: 'evenkeel-controller-7d9f_ab12', leaseDurationSeconds: 30 },
    });
    await replica.stop();
  });
});

async function leaseNames(): Promise<readonly string[]> {
  const { items } = (await world.get(LEASES)).body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name).toSorted();
}
