// Two replicas: one acts, both serve reads, and the other takes over.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Mode } from '../../src/apis/http/types.generated.ts';
import type { ClusterClient } from './cluster-client.ts';
import { startConstantCluster } from './constant-cluster.ts';
import { aWorkload, TOO_LARGE } from './constant-world.ts';
import { type Controller, logged, startController } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { followObjects } from './follow-objects.ts';
import { TestFixture } from './processes.ts';

/** Duration of a lease that is not released. */
const LEASE_MS = 10_000;

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/evenkeel-system/leases';
const LEASE_NAME = 'evenkeel-controller';

let fixture: TestFixture;
let cluster: ClusterClient;
let kubeconfig: string;

beforeAll(async () => {
  fixture = new TestFixture();
  // Leases use machine time: at speed 1 virtual time equals it.
  const started = await startConstantCluster(fixture, 'cluster', [aWorkload('web', TOO_LARGE)], 1);
  cluster = started.cluster;
  kubeconfig = started.demo.kubeconfig;
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

describe('Two replicas', () => {
  let first: Controller;
  let second: Controller;
  let third: Controller;

  test(
    'one leads, and the other serves reads and names the leader',
    async () => {
      first = await startReplica();
      await eventually('the first leading: no other replica is there', HANG_MS, async () => (await holder()) === identityOf(first));
      second = await startReplica();
      // A replica is ready before it has read the lease.
      await eventually('the second naming the leader: it reads the lease', HANG_MS, async () => {
        return (await leaderAccordingTo(second)) === identityOf(first);
      });
      const { status, envelope } = await ask<readonly unknown[]>(second.dashboard, 'recommendations');
      expect([status, envelope.meta.stale]).toEqual([200, undefined]);
      expect(logged(second.process, 'Became leader')).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'on SIGTERM the leader exits with 0 and releases the lease, and the other takes it, serving reads meanwhile',
    async () => {
      await expectAnswersDuring(second, async () => {
        const holders = await leaseHoldersDuring(async (seen) => {
          // Otherwise the leader may end before the initial list of the watch.
          await eventually(
            'the watch listing the lease with its first holder: the first replica leads',
            HANG_MS,
            () => seen.at(-1) === identityOf(first),
          );
          first.process.signal('SIGTERM');
          expect(await first.process.exit()).toEqual({ code: 0, signal: null });
          await untilLeads(second);
          await eventually(
            'the watch of the lease coming to its last holder: the second replica leads',
            HANG_MS,
            () => seen.at(-1) === identityOf(second),
          );
        });
        // Released, not expired: in between it has no holder.
        expect(holders.filter((holder, index) => holder !== holders[index - 1])).toEqual([identityOf(first), '', identityOf(second)]);
      });
    },
    HANG_TEST_MS,
  );

  test(
    'after kill -9 of the leader the other leads once the lease has expired, serving reads meanwhile',
    async () => {
      third = await startReplica();
      await expectAnswersDuring(third, async () => {
        await second.process.kill();
        const last = Date.parse((await lease()).spec.renewTime);
        await untilLeads(third);
        // Not before the lease expires, because its holder may only be slow.
        expect(Date.parse((await lease()).spec.acquireTime) - last).toBeGreaterThanOrEqual(LEASE_MS);
      });
    },
    HANG_TEST_MS,
  );

  test(
    'the last replica to stop releases the lease',
    async () => {
      third.process.signal('SIGTERM');
      expect(await third.process.exit()).toEqual({ code: 0, signal: null });
      expect(await holder()).toBe('');
    },
    HANG_TEST_MS,
  );
});

function startReplica(): Promise<Controller> {
  return startController(fixture, { 'kubernetes.kubeconfig': kubeconfig });
}

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity?: string; readonly acquireTime: string; readonly renewTime: string };
}

function lease(): Promise<Lease> {
  return cluster.get(`${LEASES}/${LEASE_NAME}`);
}

async function holder(): Promise<string> {
  return holderOf(await lease());
}

function holderOf({ spec }: Lease): string {
  return spec.holderIdentity ?? '';
}

async function leaderAccordingTo(replica: Controller): Promise<string | null> {
  return (await read<Mode>(replica.dashboard, 'mode')).leader;
}

/** Identity of a leading replica. */
function identityOf(replica: Controller): unknown {
  return logged(replica.process, 'Became leader')[0]?.['identity'];
}

/** Waits until the replica holds the lease and acts. */
async function untilLeads(replica: Controller): Promise<void> {
  await eventually('the other replica leading: the lease is free, or expires', HANG_MS, async () => {
    const identity = identityOf(replica);
    return identity !== undefined && (await holder()) === identity;
  });
}

/** Holders of the lease in order, from a watch that ends with `act`, also when `act` fails. */
async function leaseHoldersDuring(act: (holders: readonly string[]) => Promise<void>): Promise<readonly string[]> {
  const holders: string[] = [];
  const stop = new AbortController();
  const following = followObjects(cluster, LEASES, stop.signal, (object) => {
    const found = object as Lease;
    if (found.metadata.name === LEASE_NAME) holders.push(holderOf(found));
  });
  // Its error is thrown by the await below.
  following.catch(() => undefined);
  try {
    await act(holders);
  } finally {
    stop.abort();
    await following;
  }
  return holders;
}

/** Checks that every read of the replica succeeds while `act` runs. The reads end with `act`, also when it fails. */
async function expectAnswersDuring({ dashboard }: Controller, act: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const reading = outcomesOfReads(dashboard, stop.signal);
  try {
    await act();
  } finally {
    stop.abort();
    await reading;
  }
  const outcomes = await reading;
  // The first round of reads starts before `act` and always completes.
  expect(outcomes.length).toBeGreaterThanOrEqual(3);
  expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
}

/** HTTP statuses of consecutive reads until the signal aborts, or the error of a read without a response. Never rejects. */
async function outcomesOfReads(dashboard: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  while (!signal.aborted) {
    for (const path of ['cluster', 'recommendations', 'pods']) {
      outcomes.push(
        await ask(dashboard, path).then(
          ({ status }) => status,
          (err: unknown) => err,
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return outcomes;
}
