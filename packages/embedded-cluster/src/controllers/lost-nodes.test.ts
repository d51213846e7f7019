import { describe, expect, test } from '@jest/globals';
import { aDeployment } from '../../testing/workloads.ts';
import { ControllerWorld } from '../../testing/controller-world.ts';
import { isActive } from './pods/pod-state.ts';
import type { Node } from './wire/node.ts';

function withNode(): ControllerWorld {
  const world = new ControllerWorld();
  world.create('nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  world.create('leases.coordination.k8s.io', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'n1', namespace: 'kube-node-lease' },
    spec: { renewTime: '2026-11-02T00:00:00.000000Z', leaseDurationSeconds: 40 },
  });
  world.create('deployments.apps', aDeployment({ replicas: 1 }));
  world.converge();
  return world;
}

const node = (world: ControllerWorld): Node => world.cluster.get('nodes', null, 'n1') as Node;
const taints = (world: ControllerWorld): string[] => (node(world).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

describe('a node', () => {
  test('without a Lease renewal is tainted, and its pods are deleted when their tolerationSeconds end', () => {
    const world = withNode();
    const [pod] = world.podNames();
    world.clock.advance(39_000);
    expect(taints(world)).toEqual([]);
    world.clock.advance(1_000);
    expect(taints(world)).toEqual(['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute']);
    expect(node(world).status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' });
    world.clock.advance(299_000);
    expect(
      world
        .pods()
        .filter(isActive)
        .map(({ metadata }) => metadata.name),
    ).toEqual([pod]);
    world.clock.advance(2_000);
    expect(
      world
        .pods()
        .filter(isActive)
        .map(({ metadata }) => metadata.name),
    ).not.toContain(pod);
  });

  test('that renews its Lease again loses the taint', () => {
    const world = withNode();
    world.clock.advance(60_000);
    world.cluster.modify('leases.coordination.k8s.io', 'kube-node-lease', 'n1', (draft) => {
      draft['spec'] = { renewTime: '2026-11-02T00:01:00.000000Z', leaseDurationSeconds: 40 };
    });
    world.cluster.modifyStatus('nodes', null, 'n1', (draft) => {
      draft['status'] = { conditions: [{ type: 'Ready', status: 'True' }] };
    });
    world.clock.settle();
    expect(taints(world)).toEqual([]);
  });

  test('that is cordoned has the taint, and loses it when uncordoned', () => {
    const world = withNode();
    const cordon = (unschedulable: boolean): void => {
      world.cluster.modify('nodes', null, 'n1', (draft) => {
        draft['spec'] = { ...(draft as Node).spec, unschedulable };
      });
      world.clock.settle();
    };
    cordon(true);
    expect(taints(world)).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
    cordon(false);
    expect(taints(world)).toEqual([]);
  });

  test('that is deleted is deleted with its pods', () => {
    const world = withNode();
    const [pod] = world.podNames();
    world.cluster.delete('nodes', null, 'n1');
    world.clock.settle();
    expect(world.podNames()).not.toContain(pod);
  });
});
