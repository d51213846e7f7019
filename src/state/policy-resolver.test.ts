import { beforeEach, describe, expect, test } from '@jest/globals';
import type { PodResizePolicy, PodResizePolicySpec } from '../apis/v1alpha1/index.ts';
import { OBJECT_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import { MINUTE_MS } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import { aWorkloadRecord, T0 } from '../../test/builders/rightsizing.ts';
import { FakeClusterReader } from '../../test/fakes/fake-cluster-reader.ts';
import { NO_AUTOSCALER_LEASE } from '../core/resize/policy/autoscaler-lease.ts';
import { PolicyResolver } from './policy-resolver.ts';

let cluster: FakeClusterReader;
let resolver: PolicyResolver;
let now: number;

beforeEach(() => {
  cluster = new FakeClusterReader();
  cluster.namespaceList = [{ name: 'shop', labels: {}, deletionAt: null }];
  now = T0;
  resolver = new PolicyResolver({
    cluster,
    capabilities: { admission: false, prometheus: false },
    ownNamespace: 'evenkeel-system',
    now: () => now,
    autoscalerLease: () => NO_AUTOSCALER_LEASE,
  });
});

const aPolicy = (name: string, spec: PodResizePolicySpec, annotations: Readonly<Record<string, string>> = {}): PodResizePolicy => ({
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'PodResizePolicy',
  metadata: { name, creationTimestamp: isoTime(T0), annotations },
  spec,
});
const web = aWorkloadRecord();
const nameOf = (workload = web): string | null => resolver.governanceOf(workload).rules.name;

describe('the governance of a workload', () => {
  test('is resolved once while nothing changes that it depends on', () => {
    cluster.policyList = [aPolicy('all', { mode: 'Recommend' })];
    const first = resolver.governanceOf(web);
    expect(resolver.governanceOf(web)).toBe(first);
    expect(resolver.governanceOf({ ...web })).not.toBe(first);
  });

  test('follows policies that are added, changed and removed', () => {
    expect(nameOf()).toBeNull();
    const all = aPolicy('all', { mode: 'Recommend' });
    cluster.policyList = [all];
    expect(nameOf()).toBe('all');
    cluster.policyList = [all, aPolicy('shop', { mode: 'Recommend', namespaces: ['shop'] })];
    expect(nameOf()).toBe('shop');
    cluster.policyList = [aPolicy('all', { mode: 'Auto' })];
    expect(resolver.governanceOf(web).rules).toMatchObject({ name: 'all', mode: 'Auto' });
    cluster.policyList = [];
    expect(nameOf()).toBeNull();
  });

  test('follows the labels of the namespace and the annotations of the workload', () => {
    cluster.policyList = [aPolicy('team', { mode: 'Recommend', namespaceSelector: { matchLabels: { team: 'a' } } })];
    expect(nameOf()).toBeNull();
    cluster.namespaceList = [{ name: 'shop', labels: { team: 'a' }, deletionAt: null }];
    expect(nameOf()).toBe('team');
    const excluded = aWorkloadRecord({ annotations: { [WORKLOAD_ANNOTATIONS.exclude]: 'true' } });
    expect(resolver.governanceOf(excluded).overrides.excluded).toBe(true);
  });

  test('loses an override of the policy when it expires', () => {
    const dryRun = { value: true, by: 'ops@example.com', at: isoTime(T0), expiresAt: isoTime(T0 + 5 * MINUTE_MS), reason: 'trial' };
    cluster.policyList = [aPolicy('all', { mode: 'Recommend' }, { [OBJECT_ANNOTATIONS.overrides]: JSON.stringify({ dryRun }) })];
    expect(resolver.governanceOf(web).rules.dryRun).toBe(true);
    now = T0 + 6 * MINUTE_MS;
    expect(resolver.governanceOf(web).rules.dryRun).toBe(false);
  });
});
