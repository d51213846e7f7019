import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import type { ApiResource } from '../../../adapters/kubernetes/resources.ts';
import type { ReadKind, ScalableKindsStatus } from '../../../adapters/kubernetes/watch/scalable-kinds.ts';
import type { InformerStatus } from '../../../ports/cluster/cluster-feed.ts';
import { unpermittedKinds, workloadKindsHealth } from './workload-kinds.ts';

const ROLLOUTS: ApiResource = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true };
const OXEN: ApiResource = { group: 'db.example.com', version: 'v1', plural: 'oxen', kind: 'Ox', namespaced: true };
const NOTHING: ScalableKindsStatus = { read: [], notPermitted: [], leftOut: [], problem: null };
const first = { key: 'shop/ox', problem: 'metadata.labels: expected an object, got a list' };

function aReadKind(resource: ApiResource, informer: Partial<InformerStatus> = {}, given: Partial<ReadKind> = {}): ReadKind {
  const usual = {
    name: resource.plural,
    synced: true,
    required: false,
    decisive: false,
    objects: 3,
    confirmedAt: 0,
    lastEventAt: null,
    restarts: 0,
  };
  return { resource, informer: { ...usual, problem: null, unreadable: null, ...informer }, withoutReplicas: null, ...given };
}

describe('pods of kinds without permission', () => {
  const pods = new Map([
    ['Rollout', 12],
    ['Ox', 1],
    ['GameServer', 7],
  ]);

  test('are counted by kind; those of kinds that cannot be scaled are no workloads', () => {
    const status = { ...NOTHING, notPermitted: [ROLLOUTS, OXEN, { ...OXEN, plural: 'cows', kind: 'Cow' }] };
    expect(unpermittedKinds(status, pods)).toEqual(['12 pods of rollouts.argoproj.io', '1 pod of oxen.db.example.com']);
  });

  test('are not those of a kind of the same name that is read', () => {
    const other = { ...ROLLOUTS, group: 'rollouts.example.com' };
    const status = { ...NOTHING, read: [aReadKind(ROLLOUTS)], notPermitted: [other] };
    expect(unpermittedKinds(status, pods)).toEqual([]);
    expect(unpermittedKinds(status, new Map([...pods, ['Rollout.rollouts.example.com', 2]]))).toEqual([
      '2 pods of rollouts.rollouts.example.com',
    ]);
  });
});

describe('the health of kinds of workloads', () => {
  const pods = new Map([['Rollout', 12]]);

  test.each<[string, Partial<ScalableKindsStatus>, 'ok' | 'degraded', string]>([
    ['is ok where only built-in kinds exist', {}, 'ok', 'built-in kinds are read'],
    [
      'lists further kinds that are read',
      { read: [aReadKind(OXEN)] },
      'ok',
      'read besides built-in kinds: oxen.db.example.com (3 objects)',
    ],
    [
      'lists kinds without permission, with their pods and the remedy',
      { notPermitted: [ROLLOUTS] },
      'degraded',
      'not resized: 12 pods of rollouts.argoproj.io; to resize them, add the kind to rbac.workloads of the chart',
    ],
    ['is ok where kinds without permission have no pods', { notPermitted: [OXEN] }, 'ok', 'built-in kinds are read'],
    [
      'lists kinds that share their name',
      { leftOut: [{ resource: OXEN, why: 'Ox is a kind of oxen.a.example.com' }] },
      'degraded',
      'oxen.db.example.com is not read: Ox is a kind of oxen.a.example.com',
    ],
    ['reports a problem of discovery', { problem: 'discovery: refused' }, 'degraded', 'discovery: refused'],
    ['reports a problem of an informer', { read: [aReadKind(OXEN, { problem: 'broken' })] }, 'degraded', 'oxen.db.example.com: broken'],
    [
      'reports an unreadable object',
      { read: [aReadKind(OXEN, { unreadable: { count: 1, first } })] },
      'degraded',
      `oxen.db.example.com: shop/ox cannot be read: ${first.problem}; correct this field`,
    ],
    [
      'reports an object without a number at specReplicasPath',
      { read: [aReadKind(OXEN, {}, { withoutReplicas: { count: 1, first: 'shop/ox', path: '.spec.size' } })] },
      'degraded',
      'oxen.db.example.com: shop/ox has no number at .spec.size, the specReplicasPath of its CRD; it is not changed',
    ],
    [
      'reports one of several objects without it',
      { read: [aReadKind(OXEN, {}, { withoutReplicas: { count: 2, first: 'shop/ox', path: '.spec.size' } })] },
      'degraded',
      'oxen.db.example.com: 2 objects, such as shop/ox, have no number at .spec.size, the specReplicasPath of its CRD; it is not changed',
    ],
  ])('%s', (_, given, status, message) => {
    const informers = { scalableKinds: () => ({ ...NOTHING, ...given }) };
    expect(workloadKindsHealth(informers, { countPodsOfUnreadKinds: () => pods }, new FakeClock()).status()).toMatchObject({
      status,
      message,
    });
  });
});
