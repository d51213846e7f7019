import { beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS } from '#kube/units';
import type { AccessPolicy, AccessPolicyStatus } from '../../apis/v1alpha1/index.ts';
import type { OwnObject, WriteOutcome } from '../../ports/cluster/writers.ts';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { FakeRecordWriter } from '../../../test/fakes/fake-record-writer.ts';
import { AccessPolicyReconciler, watchAccessPolicy } from './reconciler.ts';

const NOW = Date.UTC(2026, 10, 27);
const ROOT = { email: 'root@example.com', role: 'admin' } as const;

/** Stores applied statuses in the cluster, as the API server does. */
class StatusWriter extends FakeRecordWriter {
  readonly statuses: AccessPolicyStatus[] = [];
  outcome: WriteOutcome = { kind: 'done' };

  override async applyStatus(object?: OwnObject, status?: object): Promise<WriteOutcome> {
    expect(object).toEqual({ plural: 'accesspolicies', namespace: null, name: 'default' });
    if (this.outcome.kind === 'done') {
      this.statuses.push(status as AccessPolicyStatus);
      store({ ...policy, status: { ...policy.status, ...status } });
    }
    return this.outcome;
  }
}

let clock: ManualClock;
let cluster: FakeClusterReader;
let writer: StatusWriter;
let policy: AccessPolicy;
let reconciler: AccessPolicyReconciler;
beforeEach(() => {
  clock = new ManualClock(NOW);
  cluster = new FakeClusterReader();
  writer = new StatusWriter(cluster);
  reconciler = new AccessPolicyReconciler({ clock, cluster, records: writer });
});

function store(stored: AccessPolicy): void {
  policy = stored;
  cluster.own.set('accesspolicies', [stored as unknown as Readonly<Record<string, unknown>>]);
}

function create(spec: object, status?: AccessPolicyStatus, name = 'default'): void {
  const metadata = { name, uid: 'u', generation: 3, resourceVersion: '1' };
  store({ apiVersion: 'evenkeel.io/v1alpha1', kind: 'AccessPolicy', metadata, spec, ...(status === undefined ? {} : { status }) });
}

const reconcile = () => reconciler.reconcile('default', new AbortController().signal);
const ready = () => writer.statuses.at(-1)?.conditions?.map(({ status, reason, message }) => [status, reason, message]);

describe('the status', () => {
  test('counts grants in effect, expired ones, domains and pending requests', async () => {
    const requestedAt = isoTime(NOW);
    const requests = [
      { id: 'a', email: 'a@example.com', requestedAt, state: 'pending' },
      { id: 'b', email: 'b@example.com', requestedAt, state: 'denied' },
    ] as const;
    const expired = { email: 'old@example.com', role: 'viewer', expiresAt: isoTime(NOW) };
    const autoApprove = [{ domain: 'example.com', role: 'viewer' }];
    create({ grants: [ROOT, { email: 'eve@example.com', role: 'viewer' }, expired], autoApprove }, { requests });
    expect(await reconcile()).toEqual({ done: true });
    expect(writer.statuses).toMatchObject([{ observedGeneration: 3, grants: 2, pendingRequests: 1 }]);
    expect(ready()).toEqual([
      ['True', 'InForce', '2 grants in effect, 1 of an admin; 1 domain in autoApprove; 1 grant expired: old@example.com'],
    ]);
    expect(policy.status?.requests).toBe(requests);
  });

  test('is written once, and again when a grant expires', async () => {
    create({ grants: [ROOT, { email: 'eve@example.com', role: 'viewer', expiresAt: isoTime(NOW + HOUR_MS) }] });
    expect([await reconcile(), await reconcile(), writer.statuses.length]).toEqual([
      { requeueAfterMs: HOUR_MS },
      { requeueAfterMs: HOUR_MS },
      1,
    ]);
    clock.advance(HOUR_MS);
    expect([await reconcile(), writer.statuses.at(-1)?.grants]).toEqual([{ done: true }, 1]);
  });

  test('names invalid entries with the remedy', async () => {
    const autoApprove = [{ domain: 'example.com', role: 'viewer', namespaces: ['a', '*!'] }];
    create({ grants: [ROOT, { email: 'Eve@example.com', role: 'viewer' }, { ...ROOT, role: 'viewer' }], autoApprove });
    await reconcile();
    const [[status, reason, message]] = ready() as [[string, string, string]];
    expect([status, reason]).toEqual(['False', 'InvalidSpec']);
    expect(message).toMatch(
      /^spec\.grants\[1\]\.email must be in lower case: eve@example\.com, spec\.grants\[2\]\.email repeats the address/,
    );
    expect(message).toMatch(/spec\.autoApprove\[0\]\.namespaces\[1\] '\*!' is not a glob.*give nothing.*no grant in effect has role admin/);
  });

  test.each<[string, object]>([
    ['without grants', {}],
    ['whose only admin has expired', { grants: [{ ...ROOT, expiresAt: isoTime(NOW) }] }],
  ])('of a policy %s says that it has no admin', async (_what, spec) => {
    create(spec);
    await reconcile();
    expect(ready()).toMatchObject([['False', 'NoAdmin', expect.stringContaining('kubectl')]]);
  });

  test('after a conflict is written again shortly', async () => {
    create({ grants: [ROOT] });
    writer.outcome = { kind: 'conflict', message: 'modified' };
    expect(await reconcile()).toEqual({ requeueAfterMs: 1000 });
    writer.outcome = { kind: 'refused', status: 403, message: 'forbidden' };
    await expect(reconcile()).rejects.toThrow('writing the status of AccessPolicy default: forbidden');
  });

  test('of a policy with another name is not written', async () => {
    create({ grants: [ROOT] }, undefined, 'other');
    expect([await reconcile(), await reconciler.reconcile('other', new AbortController().signal)]).toEqual([
      { done: true },
      { done: true },
    ]);
    expect(writer.statuses).toEqual([]);
  });
});

test('the AccessPolicy default is reconciled at the start and at each change', () => {
  const enqueued: string[] = [];
  const stop = watchAccessPolicy(cluster, (name) => void enqueued.push(name));
  cluster.announce({ kind: 'other', key: 'accesspolicies/default' });
  cluster.announce({ kind: 'other', key: 'accesspolicies/other' });
  stop();
  cluster.announce({ kind: 'other', key: 'accesspolicies/default' });
  expect(enqueued).toEqual(['default', 'default']);
});
