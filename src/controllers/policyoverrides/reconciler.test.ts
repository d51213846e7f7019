import { beforeEach, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../../test/fakes/counting-metrics.ts';
import { FakeClusterReader } from '../../../test/fakes/fake-cluster-reader.ts';
import { FakeRecordWriter } from '../../../test/fakes/fake-record-writer.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { HOUR_MS } from '#kube/units';
import type { EventSpec } from '../../ports/cluster/event-recorder.ts';
import { PolicyOverrideReconciler, watchPolicyOverrides } from './reconciler.ts';

const START = Date.UTC(2026, 10, 20);
const { signal } = new AbortController();
const iso = (afterMs: number) => new Date(START + afterMs).toISOString();

let clock: ManualClock;
let cluster: FakeClusterReader;
let records: FakeRecordWriter;
let metrics: CountingMetrics;
let events: EventSpec[];
let reconciler: PolicyOverrideReconciler;

beforeEach(() => {
  clock = new ManualClock(START);
  cluster = new FakeClusterReader();
  records = new FakeRecordWriter(cluster);
  metrics = new CountingMetrics();
  events = [];
  const recorder = { record: (event: EventSpec) => void events.push(event) };
  reconciler = new PolicyOverrideReconciler({ clock, cluster, records, events: recorder, logger: new RecordingLogger(), metrics });
});

function policyWith(overrides: object): void {
  cluster.own.set('rebalancepolicies', [
    {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'RebalancePolicy',
      metadata: { name: 'night', uid: 'u', annotations: { 'evenkeel.io/overrides': JSON.stringify(overrides) } },
      spec: {},
    },
  ]);
}

test('expired overrides are removed, the others stay until they expire', async () => {
  policyWith({
    dryRun: { value: true, by: 'ann', expiresAt: iso(HOUR_MS) },
    maxMovements: { value: 5, expiresAt: iso(2 * HOUR_MS) },
    maxParallel: { value: 1 },
  });
  expect(await reconciler.reconcile('RebalancePolicy/night', signal)).toEqual({ requeueAfterMs: HOUR_MS });
  expect(records.written).toEqual([]);
  clock.advance(HOUR_MS);
  expect(await reconciler.reconcile('RebalancePolicy/night', signal)).toEqual({ requeueAfterMs: HOUR_MS });
  expect(records.written).toEqual([
    {
      object: '/apis/evenkeel.io/v1alpha1/rebalancepolicies/night',
      patch: {
        metadata: {
          annotations: {
            'evenkeel.io/overrides': JSON.stringify({ maxMovements: { value: 5, expiresAt: iso(2 * HOUR_MS) }, maxParallel: { value: 1 } }),
          },
        },
      },
      dryRun: false,
    },
  ]);
  expect(events[0]).toMatchObject({ reason: 'OverrideExpired', subject: { kind: 'RebalancePolicy', name: 'night' } });
  expect(events[0]?.message).toMatch(/spec.dryRun with true by ann, which expired/);
  expect(metrics.total('evenkeel_policy_overrides_expired_total', { kind: 'RebalancePolicy' })).toBe(1);
});

test('the annotation is removed with its last override', async () => {
  policyWith({ dryRun: { value: true, expiresAt: iso(-1) } });
  expect(await reconciler.reconcile('RebalancePolicy/night', signal)).toEqual({ done: true });
  expect(records.written[0]?.patch).toEqual({ metadata: { annotations: { 'evenkeel.io/overrides': null } } });
});

test('a conflicting write is left for the next reconcile', async () => {
  policyWith({ dryRun: { value: true, expiresAt: iso(-1) } });
  records.refuseWith = { kind: 'conflict', message: 'modified' };
  expect(await reconciler.reconcile('RebalancePolicy/night', signal)).toEqual({ done: true });
  expect(events).toEqual([]);
});

test('policies of every kind are enqueued at start and when they change', () => {
  policyWith({});
  const seen: string[] = [];
  watchPolicyOverrides(cluster, (key) => void seen.push(key));
  cluster.announce({ kind: 'podresizepolicy', key: 'all' });
  cluster.announce({ kind: 'other', key: 'nodescalingpolicies/default' });
  cluster.announce({ kind: 'other', key: 'rebalanceruns/r-1' });
  expect(seen).toEqual(['RebalancePolicy/night', 'PodResizePolicy/all', 'NodeScalingPolicy/default']);
});
