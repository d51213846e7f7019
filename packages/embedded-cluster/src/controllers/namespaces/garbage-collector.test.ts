import { describe, expect, test } from '@jest/globals';
import { aDeployment } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import type { KubeObject } from '../../api/kube-object.ts';

function running(): ControllerWorld {
  const world = new ControllerWorld();
  world.create('deployments.apps', aDeployment());
  world.converge();
  return world;
}

const count = (world: ControllerWorld, resource: string): number => world.cluster.list(resource).length;

function aConfigMap(name: string, owners: readonly KubeObject[] = [], blocks = false): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'shop',
      ownerReferences: owners.map(({ metadata }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: metadata.name,
        uid: metadata.uid,
        blockOwnerDeletion: blocks,
      })),
    },
  };
}

describe('garbage collection', () => {
  test('deletes ReplicaSets and pods of a deleted Deployment', () => {
    const world = running();
    world.cluster.delete('deployments.apps', 'shop', 'web');
    world.converge();
    expect([count(world, 'replicasets.apps'), count(world, 'pods')]).toEqual([0, 0]);
  });

  test('in the foreground deletes the owner last', () => {
    const world = running();
    world.cluster.delete('deployments.apps', 'shop', 'web', { propagation: 'Foreground' });
    world.clock.settle();
    expect(world.cluster.get('deployments.apps', 'shop', 'web')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    world.converge();
    expect([count(world, 'deployments.apps'), count(world, 'replicasets.apps'), count(world, 'pods')]).toEqual([0, 0, 0]);
  });

  test('leaves orphans, which a new owner of the same name adopts', () => {
    const world = running();
    const before = world.podNames();
    world.cluster.delete('deployments.apps', 'shop', 'web', { propagation: 'Orphan' });
    world.converge();
    expect(count(world, 'deployments.apps')).toBe(0);
    expect(world.podNames()).toEqual(before);
    world.create('deployments.apps', aDeployment());
    world.converge();
    expect(world.podNames()).toEqual(before);
    expect(count(world, 'replicasets.apps')).toBe(1);
  });

  test('of several owners removes the deleted one, and the object with the last', () => {
    const world = new ControllerWorld();
    const owners = ['a', 'b'].map((name) => world.create('configmaps', aConfigMap(name)));
    world.create('configmaps', aConfigMap('child', owners));
    world.cluster.delete('configmaps', 'shop', 'a');
    world.clock.settle();
    expect(world.cluster.get('configmaps', 'shop', 'child')?.metadata.ownerReferences).toMatchObject([{ name: 'b' }]);
    world.cluster.delete('configmaps', 'shop', 'b');
    world.clock.settle();
    expect(world.cluster.get('configmaps', 'shop', 'child')).toBeUndefined();
  });

  test('deletes objects of an owner that never existed, or that was replaced under its name', () => {
    const world = new ControllerWorld();
    const owner = world.create('configmaps', aConfigMap('owner'));
    world.create('configmaps', aConfigMap('child', [{ ...owner, metadata: { ...owner.metadata, uid: 'another' } }]));
    expect(world.cluster.get('configmaps', 'shop', 'child')).toBeUndefined();
  });

  test('ignores objects with an owner of an unserved kind', () => {
    const world = new ControllerWorld();
    const child = aConfigMap('child') as KubeObject;
    child.metadata.ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Unknown', name: 'x', uid: 'y' }];
    world.create('configmaps', child);
    expect(world.cluster.get('configmaps', 'shop', 'child')).toBeDefined();
  });

  test('collects custom resources as soon as they are defined', () => {
    const world = running();
    world.create('customresourcedefinitions.apiextensions.k8s.io', {
      kind: 'CustomResourceDefinition',
      metadata: { name: 'recommendations.evenkeel.io' },
      spec: { group: 'evenkeel.io', scope: 'Namespaced', names: { plural: 'recommendations', kind: 'Recommendation' }, versions: [] },
    });
    const { metadata } = world.cluster.get('deployments.apps', 'shop', 'web')!;
    world.create('recommendations.evenkeel.io', {
      kind: 'Recommendation',
      metadata: {
        name: 'web',
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid }],
      },
    });
    world.cluster.delete('deployments.apps', 'shop', 'web');
    world.converge();
    expect(count(world, 'recommendations.evenkeel.io')).toBe(0);
  });
});

describe('a namespace', () => {
  test('is deleted when it is empty', () => {
    const world = running();
    world.cluster.delete('namespaces', null, 'shop');
    world.clock.settle();
    expect(world.cluster.get('namespaces', null, 'shop')).toBeDefined();
    for (let second = 0; second < 5; second += 1) {
      world.runKubelets();
      world.clock.advance(1000);
    }
    expect(world.cluster.get('namespaces', null, 'shop')).toBeUndefined();
    for (const resource of ['deployments.apps', 'pods', 'serviceaccounts', 'configmaps']) expect(count(world, resource)).toBe(0);
  });

  test('always has its default account and the root certificate', () => {
    const world = new ControllerWorld();
    world.cluster.delete('serviceaccounts', 'shop', 'default');
    world.clock.settle();
    expect(world.cluster.get('serviceaccounts', 'shop', 'default')).toBeDefined();
    expect(world.cluster.get('configmaps', 'shop', 'kube-root-ca.crt')).toBeDefined();
  });
});
