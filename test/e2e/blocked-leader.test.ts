// Two replicas: the event loop of one is blocked, as by a large computation. Its lease is renewed by a thread of its own for a while, and is
// lost when the loop stays blocked. The API server's record of writes proves that the two never act at the same time.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Mode } from '../../src/apis/http/types.generated.ts';
import { describeProof, proveSingleWriter, type Term } from '../controlplane/single-writer-proof.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { BreakableCluster } from './breakable-cluster.ts';
import { PATHS } from './cluster-client.ts';
import { aQuickPolicy, constantInput, NAMESPACE } from './constant-cluster.ts';
import { aWorkload, TOO_LARGE } from './constant-world.ts';
import { type Controller, logged, startController } from './controller-process.ts';
import { read } from './dashboard.ts';
import { ROOT, TestFixture } from './processes.ts';

/** Renewals in about 6 s; the leader of a blocked main thread made none before. */
const RENEWALS = 4;

interface Replica extends Controller {
  readonly name: string;
  /** The main thread is blocked while this file exists. */
  readonly blockedBy: string;
}

let fixture: TestFixture;
let cluster: BreakableCluster;
let first: Replica;
let second: Replica;

beforeAll(async () => {
  fixture = new TestFixture();
  cluster = await BreakableCluster.start(fixture, constantInput(fixture, 'cluster', [aWorkload('web', TOO_LARGE)], 300));
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

describe('A leader whose main thread is blocked', () => {
  test(
    'for a few seconds renews its lease and stays leader',
    async () => {
      first = await startReplica('keel-0');
      await leads(first, 1);
      await cluster.client.create(PATHS.policies, aQuickPolicy('quick'));
      await writes(first, 1);
      second = await startReplica('keel-1');
      await block(first);
      const renewals = leaseWritesOf(first);
      await eventually('the lease renewed: another thread renews it', HANG_MS, () => leaseWritesOf(first) >= renewals + RENEWALS);
      unblock(first);
      await writes(first, 1);
      expect([termsOf(first), logged(first.process, 'No longer leader').length, termsOf(second)]).toEqual([1, 0, 0]);
    },
    HANG_TEST_MS,
  );

  test(
    'for longer loses its lease by expiry, and the other replica acts',
    async () => {
      await block(first);
      await leads(second, 1);
      await recreatePods();
      await writes(second, 1);
      expect(first.process.stderr.filter((line) => line.includes('Main thread has not answered for 15 s'))).toHaveLength(1);
      // While it is blocked, it cannot notice.
      expect(logged(first.process, 'No longer leader')).toEqual([]);
      expect(terms().find(({ identity }) => identity === identityOf(first))).toMatchObject({ released: false });
    },
    HANG_TEST_MS,
  );

  test(
    'continues as a follower, and leads again when the lease is free',
    async () => {
      unblock(first);
      await eventually('the former leader ends its term: its lease has expired', HANG_MS, () => {
        return logged(first.process, 'No longer leader').length === 1;
      });
      await eventually('the former leader names its successor: it reads the lease again', HANG_MS, async () => {
        return (await read<Mode>(first.dashboard, 'mode')).leader === identityOf(second);
      });
      await writes(second, 1);
      second.process.signal('SIGTERM');
      expect(await second.process.exit()).toEqual({ code: 0, signal: null });
      await leads(first, 2);
      await recreatePods();
      await writes(first, 1);
      first.process.signal('SIGTERM');
      expect(await first.process.exit()).toEqual({ code: 0, signal: null });
    },
    HANG_TEST_MS,
  );

  test('never acts at the same time as the other: each write lies in a term of its writer', () => {
    const proof = proveSingleWriter(cluster.writes);
    console.info(describeProof(proof));
    expect(proof.problems).toEqual([]);
    expect(proof.terms.map(({ identity, released }) => [identity.split('_')[0], released])).toEqual([
      ['keel-0', false],
      ['keel-1', true],
      ['keel-0', true],
    ]);
    for (const { effects, records } of proof.terms) expect(effects + records).toBeGreaterThan(0);
  });
});

async function startReplica(name: string): Promise<Replica> {
  const blockedBy = join(fixture.folder, `${name}.blocked`);
  const preload = pathToFileURL(join(ROOT, 'test/e2e/block-main-thread.ts')).href;
  const controller = await startController(
    fixture,
    { 'kubernetes.kubeconfig': cluster.kubeconfig, 'controller.warmUp': '1m', 'kubelet.interval': '5m' },
    { POD_NAME: name, BLOCKED_BY: blockedBy, NODE_OPTIONS: `--import=${preload}` },
  );
  return { ...controller, name, blockedBy };
}

async function block(replica: Replica): Promise<void> {
  const isBlocked = (line: string): boolean => line === 'main thread blocked';
  const before = replica.process.stderr.filter(isBlocked).length;
  writeFileSync(replica.blockedBy, '');
  replica.process.signal('SIGUSR2');
  await eventually('the main thread blocked: the signal blocks it', HANG_MS, () => {
    return replica.process.stderr.filter(isBlocked).length > before;
  });
}

function unblock({ blockedBy }: Replica): void {
  rmSync(blockedBy);
}

async function leads(replica: Replica, times: number): Promise<void> {
  await eventually(`${replica.name} leads: the lease is free, was released or expires`, HANG_MS, () => termsOf(replica) === times);
}

/** Waits for further writes that are reserved to the leader. */
async function writes(replica: Replica, count: number): Promise<void> {
  const before = leaderWritesOf(replica);
  await eventually(`${replica.name} writes: it leads, and evaluates the policy each minute`, HANG_MS, () => {
    return leaderWritesOf(replica) >= before + count;
  });
}

/** New pods have the size of their template, which the leader changes. */
async function recreatePods(): Promise<void> {
  for (const { metadata } of await cluster.client.pods(NAMESPACE)) {
    await cluster.client.delete(`/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}`);
  }
}

function termsOf(replica: Replica): number {
  return logged(replica.process, 'Became leader').length;
}

function identityOf(replica: Replica): unknown {
  return logged(replica.process, 'Became leader')[0]?.['identity'];
}

function terms(): readonly Term[] {
  return proveSingleWriter(cluster.writes).terms;
}

function leaderWritesOf({ name }: Replica): number {
  return terms()
    .filter(({ identity }) => identity.startsWith(`${name}_`))
    .reduce((sum, { effects, records }) => sum + effects + records, 0);
}

function leaseWritesOf({ name }: Replica): number {
  return cluster.writes.filter(({ userAgent = '', objectRef }) => userAgent.includes(`(${name}_`) && objectRef?.resource === 'leases')
    .length;
}
