import { describe, expect, test } from '@jest/globals';
import { type ExistingNode, fixNodes, type PlacedPod, type PodPlace } from './fix-nodes.ts';

function aNode(node: Partial<ExistingNode> = {}): ExistingNode {
  const size = { cpuMillicores: 4000, memoryMib: 16_000, gpus: 0, maxPods: 110 };
  return {
    name: 'n1',
    offering: { machineType: 'large', zone: null, capacityType: null },
    pool: 'large',
    usdPerHour: 1,
    ...size,
    labels: {},
    taints: [],
    stays: null,
    ...node,
  };
}

function aPod(place: Partial<PodPlace>, requests = [1000, 1000, 0, 1], group: PlacedPod['group'] = null): PlacedPod {
  return { place: { node: 'n1', movement: 'moves', why: null, isApart: false, ...place }, requests, group };
}

const STAYS = { movement: 'stays', why: 'it has no controller' } as const;
const TWO = [aNode(), aNode({ name: 'n2', usdPerHour: 2 })];

describe('nodes that exist', () => {
  test('are given up where every pod may move, or goes with its node', () => {
    expect(fixNodes(TWO, [aPod({}), aPod({ node: 'n2', movement: 'goes' })])).toEqual({
      nowUsdPerHour: 3,
      usdPerHour: 0,
      staying: [],
      shapes: [],
    });
  });

  test('stay with a pod that cannot move, free of charge for others, with what staying pods and DaemonSets leave', () => {
    const { nowUsdPerHour, usdPerHour, staying, shapes } = fixNodes(TWO, [
      aPod({ node: 'n2', ...STAYS }),
      aPod({ node: 'n2', movement: 'goes' }, [100, 200, 0, 1]),
      aPod({ node: 'n2' }),
    ]);
    expect({ nowUsdPerHour, usdPerHour }).toEqual({ nowUsdPerHour: 3, usdPerHour: 2 });
    expect(staying.map(({ node, podsByReason }) => [node.name, [...podsByReason]])).toEqual([['n2', [['it has no controller', 1]]]]);
    expect(shapes).toMatchObject([
      { name: 'node n2', nodes: ['n2'], cpuMillicores: 2900, memoryMib: 14_800, maxPods: 108, usdPerHour: 0, maxNodes: 1 },
    ]);
  });

  test('stay where they themselves have to', () => {
    const { staying, usdPerHour } = fixNodes([aNode({ stays: 'it is of the control plane' })], []);
    expect([staying.length, usdPerHour]).toEqual([1, 1]);
  });

  test('are one shape where as much is left, and labels and taints but the host name are equal', () => {
    const host = (name: string, label = 'a'): ExistingNode => aNode({ name, labels: { 'kubernetes.io/hostname': name, disk: label } });
    const nodes = [
      host('n1'),
      host('n2'),
      host('n3', 'b'),
      { ...host('n4'), taints: [{ key: 'k', value: '', effect: 'NoSchedule' as const }] },
    ];
    const { shapes } = fixNodes(
      nodes,
      nodes.map(({ name }) => aPod({ node: name, ...STAYS })),
    );
    expect(shapes.map(({ nodes: names, maxNodes }) => [names, maxNodes])).toEqual([
      [['n1', 'n2'], 2],
      [['n3'], 1],
      [['n4'], 1],
    ]);
  });

  test('take no further pod of a group that has one there, and none beside a pod that must be apart', () => {
    const group = { name: 'apart', perNode: 1, isNecessary: true };
    const { shapes } = fixNodes(TWO, [aPod(STAYS, [1, 1, 0, 1], group), aPod({ node: 'n2', ...STAYS, isApart: true })]);
    expect(shapes.map(({ nodes, groups }) => [nodes, groups])).toEqual([[['n1'], ['apart']]]);
  });

  test('take no further pod of a group of which one there is being deleted', () => {
    const group = { name: 'apart', perNode: 1, isNecessary: true };
    const { shapes } = fixNodes(TWO, [aPod(STAYS), aPod({ movement: 'goes' }, [1, 1, 0, 1], group)]);
    expect(shapes.map(({ nodes, groups }) => [nodes, groups])).toEqual([[['n1'], ['apart']]]);
  });

  test('offer nothing where their pods request more than they have', () => {
    expect(fixNodes([aNode()], [aPod(STAYS, [9000, 1, 0, 1])]).shapes).toMatchObject([{ cpuMillicores: 0, memoryMib: 15_999 }]);
  });

  test('are known: a pod on another one is a fault', () => {
    expect(() => fixNodes(TWO, [aPod({ node: 'n9' })])).toThrow('node n9 is not in the list');
  });
});
