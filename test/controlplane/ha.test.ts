// Two replicas of the controller on a real control plane with one PostgreSQL: one acts and both answer, and however the leader ends, the
// two never act at the same time. The API server's audit log proves it.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Cluster, Pod, RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { logged } from '../e2e/controller-process.ts';
import { ask, read } from '../e2e/dashboard.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { becameLeaderAt, HaWorld, identityOf, type Replica, termsOf } from './ha-world.ts';
import { describeProof, LEASE_MS, proveSingleWriter, type Term } from './single-writer-proof.ts';

let world: HaWorld;
let leader: Replica;
let follower: Replica;
/** Duration of each hand-over: printed with the proof, not asserted. */
const handOvers: string[] = [];

beforeAll(async () => {
  world = await HaWorld.start();
}, HANG_TEST_MS);
afterAll(() => (world as HaWorld | undefined)?.end(), HANG_TEST_MS);

describe('Two replicas with one store', () => {
  test('one leads and reads the kubelets; the other reads none and answers the same', async () => {
    leader = await world.replica('keel-0');
    await leads(leader, 0);
    await world.policy();
    follower = await world.replica('keel-1');
    await eventuallyReads(
      'both report the same usage of every pod: the leader shares what it reads',
      HANG_MS,
      async () => [await usageOfPods(leader), await usageOfPods(follower)] as const,
      ([a, b]) => Object.keys(a).length >= 48 && Object.values(a).every((used) => used !== null) && isSame(a, b),
    );
    expect(await kubeletReads(leader)).toBeGreaterThan(0);
    expect(await kubeletReads(follower)).toBe(0);
    expect(await healthOf(follower, 'usage-source')).toBe('ok: kubelet, through the leader: read');
    expect([termsOf(leader), termsOf(follower)]).toEqual([1, 0]);
  });

  test('the evidence of a recommendation is the same on both', async () => {
    const path = 'recommendations/shop-a/shop-a-0';
    await eventuallyReads(
      'both explain the recommendation alike: they share the policy and the evidence',
      HANG_MS,
      async () => [await detailOf(leader, path), await detailOf(follower, path)] as const,
      ([a, b]) => 'explained' in a && a.explained === 1 && isSame(a, b),
    );
    await eventually(
      'the leader has resized a pod: the pods use far less than they request',
      HANG_MS,
      async () => (await world.effectsOf('keel-0')) > 0,
    );
    expect(await world.effectsOf('keel-1')).toBe(0);
  });
});

describe('Hand-over', () => {
  test('on a clean stop the lease is released, and the other leads at once with all usage', async () => {
    const tookMs: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const before = await confidenceOf(leader);
      const terms = termsOf(follower);
      const identity = identityOf(leader);
      const begun = Date.now();
      leader.process.signal('SIGTERM');
      await leads(follower, terms);
      tookMs.push(becameLeaderAt(follower) - begun);
      expect(await leader.process.exit()).toEqual({ code: 0, signal: null });
      // A lease that was not released is taken only after it has expired.
      expect((await endedTerm(identity)).released).toBe(true);
      expect(await confidenceOf(follower)).toBeCloseTo(before, 1);
      await swap();
    }
    handOvers.push(`clean stop: ${tookMs.join(', ')} ms (promised on an idle machine: 2000)`);
  });

  test('after kill -9 the other leads, and not before the lease has expired', async () => {
    const tookMs: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const terms = termsOf(follower);
      const identity = identityOf(leader);
      await world.churn('shop-b');
      const begun = Date.now();
      await leader.process.kill();
      await leads(follower, terms);
      tookMs.push(becameLeaderAt(follower) - begun);
      const { released, lastRenewal, until } = await endedTerm(identity);
      expect(released).toBe(false);
      expect((until ?? 0) - lastRenewal).toBeGreaterThanOrEqual(LEASE_MS);
      await swap();
    }
    handOvers.push(`kill -9: ${tookMs.join(', ')} ms (promised on an idle machine: 13000)`);
  });

  test('a leader that was stopped past its lease continues as a follower', async () => {
    await world.churn('shop-a');
    await eventually(
      'the leader has resized a pod: new ones have the size of their template',
      HANG_MS,
      async () => (await world.effectsOf(leader.name)) > 0,
    );
    const terms = termsOf(follower);
    leader.process.signal('SIGSTOP');
    try {
      await leads(follower, terms);
    } finally {
      leader.process.signal('SIGCONT');
    }
    await eventually(
      'the old leader reports the end of its term: its lease expired while it was stopped',
      HANG_MS,
      () => logged(leader.process, 'No longer leader').length > 0,
    );
    // Its last renewal failed while it was stopped; health reports that until it reads the lease again.
    const successor = `ok: ${String(identityOf(follower))} is the leader`;
    await eventually(
      'the old leader names its successor: it reads the lease again',
      HANG_MS,
      async () => (await healthOf(leader, 'leader-election')) === successor,
    );
    // As a follower it takes usage from its successor, and no longer reads kubelets.
    await eventually('the old leader takes usage from its successor: a follower reads no kubelet', HANG_MS, async () =>
      (await healthOf(leader, 'usage-source')).includes('through the leader: read'),
    );
    [leader, follower] = [follower, leader];
  });

  test('a lease edited to another holder stops the leader; a replica leads again once it has expired', async () => {
    const before = [termsOf(leader), termsOf(follower)] as const;
    const ended = logged(leader.process, 'No longer leader').length;
    await world.editLease({ holderIdentity: 'another-holder' });
    await eventually(
      'the leader steps down: the lease names another holder',
      HANG_MS,
      () => logged(leader.process, 'No longer leader').length > ended,
    );
    await eventually(
      'a replica leads again: the other holder never renews the lease',
      HANG_MS,
      () => termsOf(leader) > before[0] || termsOf(follower) > before[1],
    );
    if (termsOf(follower) > before[1]) [leader, follower] = [follower, leader];
  });

  test('the lease of a holder whose clock is ten years ahead expires by the follower’s clock', async () => {
    for (const replica of [follower, leader]) {
      replica.process.signal('SIGTERM');
      await replica.process.exit();
    }
    const renewTime = new Date(Date.now() + 10 * 365 * 86_400_000).toISOString().replace('Z', '000Z');
    await world.editLease({ holderIdentity: 'gone', leaseDurationSeconds: 10, renewTime });
    const begun = Date.now();
    leader = await world.replica('keel-2');
    await leads(leader, 0);
    // Measured from its first look at the lease, which came after the start of the test.
    expect(becameLeaderAt(leader) - begun).toBeGreaterThanOrEqual(LEASE_MS);
    follower = await world.replica('keel-3');
  });
});

describe('With the store unavailable', () => {
  test('the follower answers with null and a warning, the leader continues from memory; both recover with the store', async () => {
    await eventually('the follower reports usage: the leader shares it', HANG_MS, async () =>
      Object.values(await usageOfPods(follower)).some((used) => used !== null),
    );
    await world.store.down();
    try {
      const { status, envelope } = await eventuallyReads(
        'the follower reports no usage: the store is unavailable',
        HANG_MS,
        () => ask<readonly Pod[]>(follower.dashboard, 'pods?limit=1000'),
        ({ envelope: { data } }) => data.every(({ used }) => isUnused(used)),
      );
      expect(status).toBe(200);
      expect(warningsOf(envelope.meta).map(({ code }) => code)).toContain('history_unavailable');
      for (const path of [
        'cluster',
        'nodes',
        'recommendations',
        'recommendations/shop-a/shop-a-0',
        'resize-stats',
        'workloads/shop-a/shop-a-0/usage',
      ]) {
        expect([path, (await ask(follower.dashboard, path)).status, (await ask(leader.dashboard, path)).status]).toEqual([path, 200, 200]);
      }
      expect((await read<Cluster>(follower.dashboard, 'cluster')).used).toEqual({ cpuMillicores: null, memoryBytes: null });
      // CPU is a rate: a new leader has it from its second reading of the kubelets on.
      await eventually('the leader reports usage: it reads the kubelets itself', HANG_MS, async () => {
        const { used } = await read<Cluster>(leader.dashboard, 'cluster');
        return (used.cpuMillicores ?? 0) > 0 && (used.memoryBytes ?? 0) > 0;
      });
      expect((await boundedFetch(`${follower.probes}/readyz`, 'readiness of the follower')).status).toBe(200);
      const effects = await world.effectsOf(leader.name);
      await world.churn('shop-c');
      await eventually(
        'the leader has resized a pod without the store: new ones have the size of their template',
        HANG_MS,
        async () => (await world.effectsOf(leader.name)) > effects,
      );
    } finally {
      await world.store.up();
    }
    await eventuallyReads(
      'both report the same usage again: the store is back',
      HANG_MS,
      async () => [await usageOfPods(leader), await usageOfPods(follower)] as const,
      ([a, b]) => Object.values(a).some((used) => used !== null) && isSame(a, b),
    );
  });
});

describe('The API server’s audit log', () => {
  test('shows one acting replica at a time', async () => {
    const proof = proveSingleWriter(world.cluster.audit());
    console.info([...handOvers, describeProof(proof)].join('\n'));
    expect(proof.problems).toEqual([]);
    const identities = new Set(proof.terms.map(({ identity }) => identity));
    expect(identities.size).toBeGreaterThanOrEqual(6);
    expect(proof.terms.filter(({ effects, records }) => effects + records > 0).length).toBeGreaterThanOrEqual(6);
    expect(proof.terms.reduce((sum, { effects }) => sum + effects, 0)).toBeGreaterThan(30);
  });
});

/** Waits until a replica has started another term. */
function leads(replica: Replica, termsBefore: number): Promise<unknown> {
  return eventually(`${replica.name} leads: the lease is free, was released or expires`, HANG_MS, () => termsOf(replica) > termsBefore);
}

/** The last term of an identity, once another replica has taken its lease. */
function endedTerm(identity: string | undefined): Promise<Term> {
  return eventually(`the audit log has the end of the term of ${String(identity)}: another replica took the lease`, HANG_MS, async () => {
    const { terms } = proveSingleWriter(world.cluster.audit());
    const term = terms.findLast((candidate) => candidate.identity === identity);
    return term !== undefined && term.until !== null && term !== terms.at(-1) && term;
  });
}

/** After the follower became leader: restarts the other replica as the follower. */
async function swap(): Promise<void> {
  const { name } = leader;
  leader = follower;
  follower = await world.replica(name);
}

async function usageOfPods(replica: Replica): Promise<Readonly<Record<string, number | null>>> {
  const pods = await read<readonly Pod[]>(replica.dashboard, 'pods?limit=1000');
  return Object.fromEntries(pods.map(({ namespace, name, used }) => [`${namespace}/${name}`, used.memoryBytes]));
}

/** The recommendation and its reasons, without the values that change with every reading. */
async function detailOf(replica: Replica, path: string): Promise<object> {
  const { policy, mode, containers, audit } = await read<RecommendationDetail>(replica.dashboard, path);
  const recommendations = containers.map(({ name, recommended }) => ({ name, recommended }));
  return { policy, mode, shown: recommendations, rules: audit.rules, explained: audit.containers.length };
}

async function confidenceOf(replica: Replica): Promise<number> {
  const { confidence } = await read<RecommendationDetail>(replica.dashboard, 'recommendations/shop-a/shop-a-1');
  return confidence ?? 0;
}

async function kubeletReads(replica: Replica): Promise<number> {
  const { text } = await boundedFetch(replica.metrics, `metrics of ${replica.name}`);
  const lines = text.split('\n').filter((line) => line.startsWith('evenkeel_kubelet_reads_total'));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function healthOf(replica: Replica, name: string): Promise<string> {
  const checks = await read<readonly { readonly name: string; readonly status: string; readonly message: string }[]>(
    replica.dashboard,
    'health?limit=1000',
  );
  const found = checks.find((check) => check.name === name);
  return `${found?.status ?? 'none'}: ${found?.message ?? ''}`;
}

function warningsOf(meta: object): readonly { readonly code: string }[] {
  return (meta as { readonly warnings?: readonly { readonly code: string }[] }).warnings ?? [];
}

function isUnused(used: Pod['used']): boolean {
  return used.cpuMillicores === null && used.memoryBytes === null;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
