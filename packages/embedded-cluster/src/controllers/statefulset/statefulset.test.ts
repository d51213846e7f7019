import { describe, expect, test } from '@jest/globals';
import { aPodTemplate } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import { isActive } from '../pods/pod-state.ts';
import type { StatefulSet } from '../wire/workload.ts';

function aSet(spec: Record<string, unknown> = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'shop' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: aPodTemplate({ name: 'db', image: 'db:1' }),
      ...spec,
    },
  };
}

function started(spec: Record<string, unknown> = {}): ControllerWorld {
  const world = new ControllerWorld();
  world.create('statefulsets.apps', aSet(spec));
  return world;
}

function setImage(world: ControllerWorld, image: string): void {
  world.change('statefulsets.apps', 'db', (draft) => {
    (draft as StatefulSet).spec.template.spec.containers[0]!.image = image;
  });
}

const images = (world: ControllerWorld): Record<string, string> =>
  Object.fromEntries(world.pods().map((pod) => [pod.metadata.name, pod.spec.containers[0]!.image!]));

describe('a StatefulSet', () => {
  test('starts its pods in order, each when the previous one is ready', () => {
    const world = started();
    expect(world.podNames()).toEqual(['db-0']);
    world.runKubelets({ ready: false });
    expect(world.podNames()).toEqual(['db-0']);
    world.setPodStatus('db-0', { phase: 'Running', ready: true });
    world.clock.settle();
    expect(world.podNames()).toEqual(['db-0', 'db-1']);
    world.converge();
    expect(world.podNames()).toEqual(['db-0', 'db-1', 'db-2']);
    expect((world.cluster.get('statefulsets.apps', 'shop', 'db') as StatefulSet).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
    });
  });

  test('starts them all at once with Parallel', () => {
    expect(started({ podManagementPolicy: 'Parallel' }).podNames()).toEqual(['db-0', 'db-1', 'db-2']);
  });

  test('counts from its first ordinal', () => {
    expect(started({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } }).podNames()).toEqual(['db-5', 'db-6', 'db-7']);
  });

  test('scales down from the highest ordinal, one at a time', () => {
    const world = started();
    world.converge();
    world.change('statefulsets.apps', 'db', (draft) => {
      (draft as StatefulSet).spec.replicas = 1;
    });
    expect(
      world
        .pods()
        .filter(isActive)
        .map(({ metadata }) => metadata.name),
    ).toEqual(['db-0', 'db-1']);
    world.converge();
    expect(world.podNames()).toEqual(['db-0']);
  });

  test('rolls out from the highest ordinal down to its partition', () => {
    const world = started({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    world.converge();
    setImage(world, 'db:2');
    expect(
      world
        .pods()
        .filter(isActive)
        .map(({ metadata }) => metadata.name),
    ).toEqual(['db-0', 'db-1']);
    world.converge();
    expect(images(world)).toEqual({ 'db-0': 'db:1', 'db-1': 'db:2', 'db-2': 'db:2' });
    world.cluster.delete('pods', 'shop', 'db-0');
    world.converge();
    expect(images(world)['db-0']).toBe('db:1');
  });

  test('with OnDelete keeps old pods', () => {
    const world = started({ updateStrategy: { type: 'OnDelete' } });
    world.converge();
    setImage(world, 'db:2');
    world.converge();
    expect(new Set(Object.values(images(world)))).toEqual(new Set(['db:1']));
    world.cluster.delete('pods', 'shop', 'db-1');
    world.converge();
    expect(images(world)['db-1']).toBe('db:2');
  });

  test('keeps the claims of a deleted pod for its successor', () => {
    const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }];
    const world = started({ replicas: 1, volumeClaimTemplates: claims });
    world.converge();
    const claimUid = (): string | undefined => world.cluster.get('persistentvolumeclaims', 'shop', 'data-db-0')?.metadata.uid;
    const before = claimUid();
    expect(world.cluster.get('persistentvolumeclaims', 'shop', 'data-db-0')).toMatchObject({
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });
    world.cluster.delete('pods', 'shop', 'db-0');
    world.converge();
    expect(claimUid()).toBe(before);
    expect(world.pods()[0]!.spec.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }]);
  });

  test('keeps a revision for each template, for kubectl rollout', () => {
    const world = started({ replicas: 1 });
    world.converge();
    setImage(world, 'db:2');
    world.converge();
    expect(
      world.cluster
        .list('controllerrevisions.apps')
        .map((revision) => revision['revision'])
        .sort(),
    ).toEqual([1, 2]);
  });
});
