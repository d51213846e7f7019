import { describe, expect, test } from '@jest/globals';
import { aPodTemplate } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import { isActive } from '../pods/pod-state.ts';
import type { Node } from '../wire/node.ts';
import type { PodSpec } from '../wire/pod.ts';
import type { DaemonSet } from '../wire/workload.ts';
import { nodeOf } from './eligible-nodes.ts';

function aNode(name: string, spec: Node['spec'] = {}, labels: Record<string, string> = {}): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
}

function aSet(podSpec: Partial<PodSpec> = {}, spec: Record<string, unknown> = {}): object {
  const template = aPodTemplate({ name: 'agent', image: 'agent:1' });
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: { ...template, spec: { ...template.spec, ...podSpec } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
  };
}

function running(nodes: object[], set: object): ControllerWorld {
  const world = new ControllerWorld();
  for (const node of nodes) world.create('nodes', node);
  world.create('daemonsets.apps', set);
  start(world);
  return world;
}

/** A kubelet per node: each daemon pod starts on its node. */
function start(world: ControllerWorld): void {
  for (let round = 0; round < 20; round += 1) {
    for (const pod of world.pods()) {
      if (isActive(pod) && pod.status.phase === 'Pending') world.startPod(pod.metadata.name, { node: nodeOf(pod)! });
    }
    world.runKubelets();
  }
}

const nodesWithDaemon = (world: ControllerWorld): string[] =>
  world
    .pods()
    .filter(isActive)
    .map((pod) => nodeOf(pod)!)
    .sort();

describe('a DaemonSet', () => {
  test('runs one pod on every node, new ones too', () => {
    const world = running([aNode('n1'), aNode('n2')], aSet());
    expect(nodesWithDaemon(world)).toEqual(['n1', 'n2']);
    world.create('nodes', aNode('n3'));
    start(world);
    expect(nodesWithDaemon(world)).toEqual(['n1', 'n2', 'n3']);
    expect((world.cluster.get('daemonsets.apps', 'shop', 'agent') as DaemonSet).status).toMatchObject({
      desiredNumberScheduled: 3,
      numberReady: 3,
      updatedNumberScheduled: 3,
    });
  });

  test.each<[string, object, Partial<PodSpec>, string[]]>([
    ['goes to cordoned nodes', aNode('n2', { unschedulable: true }), {}, ['n1', 'n2']],
    ['stays off nodes with a taint that it does not tolerate', aNode('n2', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }), {}, ['n1']],
    [
      'goes where it tolerates the taint',
      aNode('n2', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
      { tolerations: [{ operator: 'Exists' }] },
      ['n1', 'n2'],
    ],
    ['keeps to its node selector', aNode('n2', {}, { disk: 'ssd' }), { nodeSelector: { disk: 'ssd' } }, ['n2']],
  ])('%s', (_, second, podSpec, expected) => {
    expect(nodesWithDaemon(running([aNode('n1'), second], aSet(podSpec)))).toEqual(expected);
  });

  test('is not deleted by a NoSchedule taint that comes later, but by a NoExecute one', () => {
    const world = running([aNode('n1')], aSet());
    const taint = (effect: string): void => {
      world.cluster.modify('nodes', null, 'n1', (draft) => {
        (draft as Node).spec = { taints: [{ key: 'x', effect }] };
      });
      start(world);
    };
    taint('NoSchedule');
    expect(nodesWithDaemon(world)).toEqual(['n1']);
    taint('NoExecute');
    expect(nodesWithDaemon(world)).toEqual([]);
  });

  test('rolls out with at most maxUnavailable missing', () => {
    const world = running([aNode('n1'), aNode('n2'), aNode('n3')], aSet());
    world.change('daemonsets.apps', 'agent', (draft) => {
      (draft as DaemonSet).spec.template.spec.containers[0]!.image = 'agent:2';
    });
    expect(world.pods().filter(isActive)).toHaveLength(2);
    start(world);
    expect(world.pods().map((pod) => pod.spec.containers[0]!.image)).toEqual(['agent:2', 'agent:2', 'agent:2']);
  });
});
