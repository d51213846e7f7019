import { describe, expect, test } from '@jest/globals';
import { aDeployment } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import type { Deployment, ReplicaSet } from '../wire/workload.ts';
import { isActive, isReady } from '../pods/pod-state.ts';

function deployed(spec: Record<string, unknown> = {}, replicas = 3): ControllerWorld {
  const world = new ControllerWorld();
  world.create('deployments.apps', aDeployment({ replicas, spec }));
  world.converge();
  return world;
}

const deployment = (world: ControllerWorld): Deployment => world.cluster.get('deployments.apps', 'shop', 'web') as Deployment;
const replicaSets = (world: ControllerWorld): ReplicaSet[] => world.cluster.list('replicasets.apps') as unknown as ReplicaSet[];
const condition = (world: ControllerWorld, type: string): string | undefined =>
  deployment(world).status?.conditions?.find((each) => each.type === type)?.reason;

function setImage(world: ControllerWorld, image: string): void {
  world.change('deployments.apps', 'web', (draft) => {
    const [container] = (draft as Deployment).spec.template.spec.containers;
    container!.image = image;
  });
}

function imagesOf(world: ControllerWorld): string[] {
  return world.pods().map((pod) => pod.spec.containers[0]!.image!);
}

function scale(world: ControllerWorld, replicas: number): void {
  world.change('deployments.apps', 'web', (draft) => {
    (draft as Deployment).spec.replicas = replicas;
  });
}

describe('a Deployment', () => {
  test('with a mistyped size creates its pods in bursts, between which other work continues', () => {
    const world = new ControllerWorld();
    world.create('deployments.apps', aDeployment({ replicas: 1_000_000_000 }));
    expect(world.pods()).toHaveLength(500);
    world.clock.advance(1000);
    expect(world.pods()).toHaveLength(1000);
  });

  test('gets the requested number of pods, by one ReplicaSet', () => {
    const world = deployed();
    expect(world.pods()).toHaveLength(3);
    expect(replicaSets(world)).toHaveLength(1);
    expect(deployment(world).status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
    });
    expect(condition(world, 'Available')).toBe('MinimumReplicasAvailable');
    expect(condition(world, 'Progressing')).toBe('NewReplicaSetAvailable');
    expect(deployment(world).metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
  });

  test('gives pods the same names for the same seed', () => {
    expect(deployed().podNames()).toEqual(deployed().podNames());
    expect(deployed().podNames()[0]).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]+-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('makes no writes once it is steady', () => {
    const world = deployed();
    const { ran } = world.clock;
    world.clock.advance(3_600_000);
    expect(world.clock.ran - ran).toBeLessThanOrEqual(2);
    expect(world.cluster.writes.filter(({ resource }) => resource !== 'events').length).toBeLessThan(30);
  });

  test('replaces a pod that is deleted', () => {
    const world = deployed();
    world.cluster.delete('pods', 'shop', world.podNames()[0]!);
    world.converge();
    expect(world.pods().filter(isActive)).toHaveLength(3);
  });

  test('rolls a new template out and keeps the old revision for a rollback', () => {
    const world = deployed();
    setImage(world, 'web:2');
    world.converge();
    expect(imagesOf(world)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(
      replicaSets(world)
        .map(({ spec }) => spec.replicas)
        .sort(),
    ).toEqual([0, 3]);
    expect(deployment(world).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
  });

  test('rolls out again when only restartedAt changes', () => {
    const world = deployed();
    world.change('deployments.apps', 'web', (draft) => {
      (draft as Deployment).spec.template.metadata!.annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-11-02T01:00:00Z' };
    });
    world.converge();
    expect(replicaSets(world)).toHaveLength(2);
  });

  test('gives the target of a rollback the newest revision number', () => {
    const world = deployed();
    setImage(world, 'web:2');
    world.converge();
    setImage(world, 'web:1');
    world.converge();
    expect(replicaSets(world)).toHaveLength(2);
    expect(imagesOf(world)).toEqual(['web:1', 'web:1', 'web:1']);
    const current = replicaSets(world).find(({ spec }) => spec.replicas === 3);
    expect(current?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
  });

  test('never violates maxUnavailable or maxSurge during a rollout', () => {
    const world = deployed({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }, 5);
    setImage(world, 'web:2');
    for (let round = 0; round < 20; round += 1) {
      const active = world.pods().filter(isActive);
      expect(active.filter(isReady).length).toBeGreaterThanOrEqual(4);
      expect(active.length).toBeLessThanOrEqual(6);
      world.runKubelets();
    }
    expect(imagesOf(world)).toEqual(Array(5).fill('web:2'));
  });

  test('with Recreate ends every old pod before the first new one', () => {
    const world = deployed({ strategy: { type: 'Recreate' } });
    setImage(world, 'web:2');
    expect(imagesOf(world)).toEqual(['web:1', 'web:1', 'web:1']);
    expect(world.pods().some(isActive)).toBe(false);
    world.converge();
    expect(imagesOf(world)).toEqual(['web:2', 'web:2', 'web:2']);
  });

  test('scales its ReplicaSet and emits an Event', () => {
    const world = deployed();
    scale(world, 5);
    world.converge();
    expect(world.pods()).toHaveLength(5);
    const [set] = replicaSets(world);
    expect(world.eventsAbout('web')).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${set!.metadata.name} from 0 to 3`,
      `ScalingReplicaSet: Scaled up replica set ${set!.metadata.name} from 3 to 5`,
    ]);
    scale(world, 0);
    world.converge();
    expect(world.pods()).toHaveLength(0);
    scale(world, 2);
    world.converge();
    expect(world.pods()).toHaveLength(2);
  });

  test('keeps the proportions when it is scaled in the middle of a roll-out', () => {
    const world = deployed({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }, 10);
    setImage(world, 'web:broken');
    world.runKubelets({ ready: false });
    expect(
      replicaSets(world)
        .map(({ spec }) => spec.replicas)
        .sort(),
    ).toEqual([5, 8]);
    scale(world, 15);
    expect(
      replicaSets(world)
        .map(({ spec }) => spec.replicas)
        .sort(),
    ).toEqual([11, 7]);
  });

  test('does not roll out while it is paused, but scales', () => {
    const world = deployed({ paused: false });
    world.change('deployments.apps', 'web', (draft) => {
      (draft as Deployment).spec.paused = true;
    });
    setImage(world, 'web:2');
    scale(world, 4);
    world.converge();
    expect(imagesOf(world)).toEqual(Array(4).fill('web:1'));
    expect(condition(world, 'Progressing')).toBe('DeploymentPaused');
    world.change('deployments.apps', 'web', (draft) => {
      (draft as Deployment).spec.paused = false;
    });
    world.converge();
    expect(imagesOf(world)).toEqual(Array(4).fill('web:2'));
    expect(condition(world, 'Progressing')).toBe('NewReplicaSetAvailable');
  });

  test('reports a stuck rollout after its progress deadline', () => {
    const world = deployed();
    setImage(world, 'web:2');
    world.runKubelets({ ready: false });
    world.clock.advance(599_000);
    expect(condition(world, 'Progressing')).toBe('ReplicaSetUpdated');
    world.clock.advance(2_000);
    expect(condition(world, 'Progressing')).toBe('ProgressDeadlineExceeded');
  });

  test('keeps no more idle revisions than revisionHistoryLimit', () => {
    const world = deployed({ revisionHistoryLimit: 1 });
    for (const image of ['web:2', 'web:3', 'web:4']) {
      setImage(world, image);
      world.converge();
    }
    expect(
      replicaSets(world)
        .map(({ spec }) => spec.template.spec.containers[0]!.image)
        .sort(),
    ).toEqual(['web:3', 'web:4']);
  });

  test('waits minReadySeconds before it counts a pod as available', () => {
    const world = deployed({ minReadySeconds: 30 });
    expect(deployment(world).status).toMatchObject({ readyReplicas: 3, availableReplicas: 0 });
    world.clock.advance(30_000);
    expect(deployment(world).status).toMatchObject({ readyReplicas: 3, availableReplicas: 3 });
  });
});
