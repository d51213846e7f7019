import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aNodeRecord, aPodRecord, aWorkloadRecord, ownedBy } from '../../test/builders/records.ts';
import type { HpaRecord } from '../core/model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import { workloadKey, type OwnerRef, type WorkloadRecord } from '#kube/records/workload';
import type { ClusterDelta } from '../ports/cluster/cluster-feed.ts';
import type { ClusterChange } from '../ports/cluster/cluster-reader.ts';
import { ClusterState } from './cluster-state.ts';

function setPod(record: PodRecord): ClusterDelta {
  return { kind: 'pod', key: `${record.namespace}/${record.name}`, record };
}

function setWorkload(record: WorkloadRecord): ClusterDelta {
  return { kind: 'workload', key: workloadKey(record), record };
}

function gone(delta: ClusterDelta): ClusterDelta {
  return { ...delta, record: null };
}

const web = aWorkloadRecord({ kind: 'Deployment', name: 'web' });
const webRs = aWorkloadRecord({ kind: 'ReplicaSet', name: 'web-1', controller: ownedBy(web) });
const webPod = aPodRecord({ name: 'web-1-a', node: 'n1', owner: ownedBy(webRs) });

describe('ClusterState', () => {
  test('finds the workload of a pod through its ReplicaSet, in any order of events', () => {
    const orders = [
      [setPod(webPod), setWorkload(webRs), setWorkload(web)],
      [setWorkload(web), setWorkload(webRs), setPod(webPod)],
      [setWorkload(webRs), setPod(webPod), setWorkload(web)],
    ];
    for (const deltas of orders) {
      const state = new ClusterState();
      for (const delta of deltas) state.apply(delta);
      expect(state.workloadOf(webPod)).toEqual({ namespace: 'default', kind: 'Deployment', name: 'web' });
      expect([...state.podsOf('default/Deployment/web')]).toEqual([webPod]);
      expect([...state.workloads()]).toEqual([web]);
    }
  });

  test('a pod with an unknown ReplicaSet has no workload until the ReplicaSet is listed', () => {
    const state = new ClusterState();
    const changes: ClusterChange[] = [];
    state.subscribe((change) => changes.push(change));
    state.apply(setPod(webPod));
    expect(state.workloadOf(webPod)).toBeUndefined();
    state.apply(setWorkload(webRs));
    expect(changes).toEqual([
      { kind: 'pod', key: 'default/web-1-a', workload: null },
      { kind: 'pod', key: 'default/web-1-a', workload: 'default/Deployment/web' },
    ]);
  });

  describe('of owners of other groups', () => {
    const rollout = aWorkloadRecord({ kind: 'Rollout', name: 'web', apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts' });
    const rolloutRs = aWorkloadRecord({ kind: 'ReplicaSet', name: 'web-2', controller: ownedBy(rollout) });
    const rolloutPod = aPodRecord({ name: 'web-2-a', owner: ownedBy(rolloutRs) });
    const ownerOf = (apiVersion: string, kind: string): OwnerRef => ({ apiVersion, kind, name: 'web', uid: `${apiVersion}-${kind}` });

    test('finds a Rollout through its ReplicaSet', () => {
      const state = new ClusterState();
      for (const delta of [setPod(rolloutPod), setWorkload(rolloutRs), setWorkload(rollout)]) state.apply(delta);
      expect([...state.podsOf('default/Rollout/web')]).toEqual([rolloutPod]);
      expect(state.countPodsOfUnreadKinds()).toEqual(new Map());
    });

    test.each([
      ['StatefulSet', 'apps.kruise.io/v1beta1', 'default/StatefulSet.apps.kruise.io/web'],
      ['Job', 'batch.volcano.sh/v1alpha1', 'default/Job.batch.volcano.sh/web'],
    ])('separates the pods of a %s of %s from those of the built-in kind', (kind, apiVersion, key) => {
      const state = new ClusterState();
      const pod = aPodRecord({ name: 'other', owner: ownerOf(apiVersion, kind) });
      for (const delta of [setWorkload(aWorkloadRecord({ kind, name: 'web' })), setPod(pod)]) state.apply(delta);
      expect([...state.podsOf(key)]).toEqual([pod]);
      expect([...state.podsOf(`default/${kind}/web`)]).toEqual([]);
    });

    test('separates the pods of two groups with the same kind, in any order of events', () => {
      const other = aPodRecord({ name: 'other', owner: ownerOf('rollouts.example.com/v1', 'Rollout') });
      const deltas = [setPod(other), setPod(rolloutPod), setWorkload(rolloutRs), setWorkload(rollout)];
      for (const order of [deltas, [...deltas].reverse()]) {
        const state = new ClusterState();
        const changes: ClusterChange[] = [];
        for (const delta of order) state.apply(delta);
        state.subscribe((change) => changes.push(change));
        expect([...state.podsOf('default/Rollout/web')]).toEqual([rolloutPod]);
        expect([...state.podsOf('default/Rollout.rollouts.example.com/web')]).toEqual([other]);
        state.apply(gone(setWorkload(rollout)));
        state.apply(setWorkload({ ...rollout, apiVersion: 'rollouts.example.com/v1' }));
        expect([...state.podsOf('default/Rollout/web')]).toEqual([other]);
        expect(changes).toContainEqual({ kind: 'pod', key: 'default/other', workload: 'default/Rollout/web' });
      }
    });

    test('finds only the autoscalers of a workload’s API group, in any order of events', () => {
      const target = (group: string, kind = 'Rollout') => ({ namespace: 'default', group, kind, name: 'web' });
      const [argo, other, kruise] = [target('argoproj.io'), target('rollouts.example.com'), target('apps.kruise.io', 'StatefulSet')];
      const autoscalers = [argo, other, kruise].flatMap((ref): ClusterDelta[] => {
        const record = { namespace: 'default', name: ref.group, target: ref };
        const key = `default/${ref.group}`;
        return [
          { kind: 'hpa', key, record: record as HpaRecord },
          { kind: 'vpa', key, record: { ...record, updateMode: 'Auto' } },
          { kind: 'scaledobject', key, record: { ...record, hpa: null, utilizationOf: [] } },
        ];
      });
      const found = (state: ClusterState, key: string) =>
        [state.hpasOf(key), state.vpasOf(key), state.scaledObjectsOf(key)].map((list) => list.map(({ name }) => name));
      const deltas = [...autoscalers, setWorkload(rollout)];
      for (const order of [deltas, [...deltas].reverse()]) {
        const state = new ClusterState();
        for (const delta of order) state.apply(delta);
        expect(found(state, 'default/Rollout/web')).toEqual([['argoproj.io'], ['argoproj.io'], ['argoproj.io']]);
        expect(found(state, 'default/StatefulSet/web')).toEqual([[], [], []]);
        state.apply(gone(setWorkload(rollout)));
        state.apply(setWorkload({ ...rollout, apiVersion: 'rollouts.example.com/v1' }));
        expect(found(state, 'default/Rollout/web')).toEqual([['rollouts.example.com'], ['rollouts.example.com'], ['rollouts.example.com']]);
      }
    });

    test('counts pods with owners of kinds that are not watched', () => {
      const state = new ClusterState();
      const owner = ownerOf('x/v1', 'GameServer');
      for (const name of ['a', 'b']) state.apply(setPod(aPodRecord({ name, owner })));
      for (const delta of [setPod(rolloutPod), setWorkload(rolloutRs), setPod(aPodRecord({ name: 'bare' }))]) state.apply(delta);
      for (const delta of [setWorkload(webRs), setPod(webPod)]) state.apply(delta);
      expect(state.countPodsOfUnreadKinds()).toEqual(
        new Map([
          ['GameServer', 2],
          ['Rollout', 1],
        ]),
      );
      state.apply(setWorkload(rollout));
      expect(state.countPodsOfUnreadKinds()).toEqual(new Map([['GameServer', 2]]));
      for (const name of ['a', 'b']) state.apply(gone(setPod(aPodRecord({ name, owner }))));
      expect(state.countPodsOfUnreadKinds()).toEqual(new Map());
    });
  });

  test.each([
    ['a bare pod is its own workload', aPodRecord({ name: 'p' }), 'default/Pod/p'],
    [
      'a static pod, owned by its node, is its own workload',
      aPodRecord({ name: 'etcd-n1', owner: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1' } }),
      'default/Pod/etcd-n1',
    ],
    [
      'an owner of an unknown kind is the workload',
      aPodRecord({ name: 'x', owner: { apiVersion: 'x/v1', kind: 'GameServer', name: 'g', uid: 'g' } }),
      'default/GameServer/g',
    ],
  ])('%s', (_, pod, key) => {
    const state = new ClusterState();
    state.apply(setPod(pod));
    expect([...state.podsOf(key)]).toEqual([pod]);
  });

  test('a StatefulSet with an operator as controller is the workload; a ReplicaSet of a Rollout is not', () => {
    const state = new ClusterState();
    const operator = { apiVersion: 'x/v1', kind: 'Database', name: 'db', uid: 'db' };
    const set = aWorkloadRecord({ kind: 'StatefulSet', name: 'db', controller: operator });
    const rolloutRs = aWorkloadRecord({
      kind: 'ReplicaSet',
      name: 'r-1',
      controller: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'r', uid: 'r' },
    });
    const pods = [aPodRecord({ name: 'db-0', owner: ownedBy(set) }), aPodRecord({ name: 'r-1-a', owner: ownedBy(rolloutRs) })];
    for (const delta of [setWorkload(set), setWorkload(rolloutRs), ...pods.map(setPod)]) state.apply(delta);
    expect(pods.map((pod) => state.workloadOf(pod)?.kind)).toEqual(['StatefulSet', 'Rollout']);
    expect([...state.workloads()]).toEqual([set]);
  });

  test('finds autoscalers by target and budgets by selector', () => {
    const state = new ClusterState();
    const target = { namespace: 'default', group: 'apps', kind: 'Deployment', name: 'web' };
    const hpa = { namespace: 'default', name: 'web', target } as HpaRecord;
    state.apply({ kind: 'hpa', key: 'default/web', record: hpa });
    expect(state.hpasOf('default/Deployment/web')).toEqual([hpa]);
    state.apply({ kind: 'hpa', key: 'default/web', record: { ...hpa, target: { ...hpa.target, name: 'other' } } });
    expect(state.hpasOf('default/Deployment/web')).toEqual([]);

    const none = { minAvailable: null, maxUnavailable: null, namespace: 'default' };
    const budgets = [
      { ...none, name: 'match', selector: { matchLabels: { app: 'web' } } },
      { ...none, name: 'all', selector: {} },
      { ...none, name: 'nothing', selector: null },
      { ...none, name: 'other', selector: { matchLabels: { app: 'db' } } },
    ];
    for (const record of budgets) state.apply({ kind: 'budget', key: `default/${record.name}`, record });
    expect(state.budgetsOf(aPodRecord({ name: 'p', labels: { app: 'web' } })).map((budget) => budget.name)).toEqual(['match', 'all']);
  });

  test('finds a Recommendation by its target, and follows a target that changes', () => {
    const state = new ClusterState();
    const record = (name: string): ClusterDelta => ({
      kind: 'own',
      key: 'recommendations/default/deployment-web',
      record: {
        plural: 'recommendations',
        namespace: 'default',
        name: 'deployment-web',
        object: { spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } } },
      },
    });
    state.apply(record('web'));
    expect(state.findRecommendation('default/Deployment/web')).toBeDefined();
    state.apply(record('api'));
    expect(state.findRecommendation('default/Deployment/web')).toBeUndefined();
    state.apply(gone(record('api')));
    expect([...state.recommendations()]).toEqual([]);
    expect(state.findRecommendation('default/Deployment/api')).toBeUndefined();
  });

  test('only the object with the generated name is the Recommendation of a workload; a user’s copy is ignored', () => {
    const state = new ClusterState();
    const record = (name: string): ClusterDelta => ({
      kind: 'own',
      key: `recommendations/default/${name}`,
      record: {
        plural: 'recommendations',
        namespace: 'default',
        name,
        object: { metadata: { name }, spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } } },
      },
    });
    state.apply(record('mine'));
    expect(state.findRecommendation('default/Deployment/web')).toBeUndefined();
    state.apply(record('deployment-web'));
    expect(state.findRecommendation('default/Deployment/web')?.metadata.name).toBe('deployment-web');
    expect([...state.recommendations()].map(({ metadata }) => metadata.name)).toEqual(['deployment-web']);
    state.apply(gone(record('mine')));
    expect(state.findRecommendation('default/Deployment/web')?.metadata.name).toBe('deployment-web');
  });

  test('a pause lasts until its time, or without one until it is removed', () => {
    const state = new ClusterState();
    expect(state.activePause(0)).toBeNull();
    state.apply({ kind: 'pause', key: 'x/evenkeel-pause', record: { until: 100, reason: 'load test', uid: 'u-1' } });
    expect(state.activePause(99)).toMatchObject({ reason: 'load test' });
    expect(state.activePause(100)).toBeNull();
    state.apply({ kind: 'pause', key: 'x/evenkeel-pause', record: { until: null, reason: '', uid: 'u-1' } });
    expect(state.activePause(1e15)).not.toBeNull();
    state.apply({ kind: 'pause', key: 'x/evenkeel-pause', record: null });
    expect(state.activePause(0)).toBeNull();
  });

  test('freshness is that of the informers', () => {
    const state = new ClusterState();
    expect([state.isSynced(), state.confirmedAt()]).toEqual([false, 0]);
    state.follow({ isSynced: () => true, describeStaleness: () => null, confirmedAt: () => 5, informers: () => [] });
    expect([state.isSynced(), state.confirmedAt()]).toEqual([true, 5]);
  });

  test('after any sequence of changes the model equals one built from the final objects', () => {
    const uids = ['1', '2', '3'];
    const delta: fc.Arbitrary<ClusterDelta> = fc.oneof(
      fc
        .record({
          name: fc.constantFrom(...uids),
          owner: fc.constantFrom(null, ...uids),
          kind: fc.constantFrom('ReplicaSet', 'Job', 'Deployment'),
          gone: fc.boolean(),
        })
        .map(({ name, owner, kind, gone: isGone }) => {
          const controller =
            owner === null
              ? null
              : {
                  apiVersion: 'v1',
                  kind: Number(owner) > Number(name) ? 'ReplicaSet' : 'Deployment',
                  name: owner,
                  uid: `ReplicaSet-${owner}`,
                };
          const record = aWorkloadRecord({ kind, name, controller });
          return isGone ? gone(setWorkload(record)) : setWorkload(record);
        }),
      fc
        .record({
          name: fc.constantFrom('a', 'b', 'c', 'd'),
          owner: fc.constantFrom(null, ...uids),
          node: fc.constantFrom(null, 'n1', 'n2'),
          uid: fc.constantFrom('x', 'y'),
          gone: fc.boolean(),
        })
        .map(({ name, owner, node, uid, gone: isGone }) => {
          const record = aPodRecord({
            name,
            uid: `${name}-${uid}`,
            node,
            owner: owner === null ? null : { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: `ReplicaSet-${owner}` },
          });
          return isGone ? gone(setPod(record)) : setPod(record);
        }),
      fc.constantFrom('n1', 'n2').map((name): ClusterDelta => ({ kind: 'node', key: name, record: aNodeRecord({ name }) })),
    );
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 60 }), (deltas) => {
        const incremental = new ClusterState();
        const last = new Map<string, ClusterDelta>();
        for (const one of deltas) {
          incremental.apply(one);
          last.set(`${one.kind} ${one.key}`, one);
        }
        const rebuilt = new ClusterState();
        for (const one of last.values()) if (one.record !== null) rebuilt.apply(one);
        expect(summarize(incremental)).toEqual(summarize(rebuilt));
      }),
      { numRuns: 300 },
    );
  });
});

// The results of all indices, sorted.
function summarize(state: ClusterState): unknown {
  const names = (pods: Iterable<PodRecord>): string[] => [...pods].map((pod) => `${pod.uid}@${pod.node ?? ''}`).sort();
  const workloads = ['ReplicaSet', 'Job', 'Deployment', 'Pod'].flatMap((kind) =>
    ['1', '2', '3', 'a', 'b', 'c', 'd'].map((name) => `default/${kind}/${name}`),
  );
  return {
    totals: state.totals(),
    pods: names(state.pods()),
    byName: ['a', 'b', 'c', 'd'].map((name) => state.findPod('default', name)?.uid),
    byNode: ['n1', 'n2'].map((node) => names(state.podsOnNode(node))),
    byWorkload: workloads.map((key) => names(state.podsOf(key))),
    tops: [...state.pods()].map((pod) => `${pod.uid} ${JSON.stringify(state.workloadOf(pod))}`).sort(),
    workloads: [...state.workloads()].map(workloadKey).sort(),
    named: ['1', '2', '3'].map((name) => state.findWorkloadsNamed('default', name).map(workloadKey).sort()),
  };
}
