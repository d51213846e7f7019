import { describe, expect, test } from '@jest/globals';
import { aSchedulingPod } from '../../../packages/kube/testing/scheduling.ts';
import type { StorageView } from '#kube/scheduling/volumes/storage-model';
import { type Placement, provePlacement, type RefusedPod } from './prove-placement.ts';

const NO_STORAGE: StorageView = {
  findClaim: () => null,
  findVolume: () => null,
  findClass: () => null,
  volumesOfClass: () => [],
  isCapacityReported: () => false,
  capacities: () => [],
  volumeLimits: () => new Map(),
  attachedVolumes: () => [],
};

const ZONE = 'topology.kubernetes.io/zone';
const SELECTOR = { matchLabels: { app: 'web' } };
const TERM = { selector: SELECTOR, namespaces: [], namespaceSelector: null };
const WEB = aSchedulingPod({ name: 'web', labels: { app: 'web' }, requests: { cpu: 1000 } });

/** Nodes of two shapes, in the zones a and b, by the kinds of their pods. */
function prove(
  kinds: Placement['kinds'],
  nodes: readonly (readonly [shape: number, ...kinds: number[]])[],
  daemons: readonly number[] = [],
): RefusedPod[] {
  const shape = (zone: string) => ({
    labels: { [ZONE]: zone },
    taints: zone === 'b' ? [{ key: 'dedicated', value: 'batch', effect: 'PreferNoSchedule' as const }] : [],
    allocatable: new Map([
      ['cpu', 4000],
      ['memory', 2 ** 34],
      ['pods', 110],
    ]),
    daemons,
  });
  return provePlacement({
    kinds,
    shapes: [shape('a'), shape('b')],
    nodes: nodes.map(([of, ...placed], at) => ({ name: `node-${at}`, shape: of, kinds: placed })),
    storage: NO_STORAGE,
  });
}

function reasons(refused: readonly RefusedPod[]): string[] {
  return refused.map(({ node, reasons: [reason] }) => `${node}: ${reason}`);
}

describe('a placement', () => {
  test('that the scheduler would take has no refused pod', () => {
    expect(
      prove(
        [WEB],
        [
          [0, 0, 0, 0, 0],
          [1, 0],
        ],
      ),
    ).toEqual([]);
  });

  test('of more than the node has is refused, also by what DaemonSets take', () => {
    expect(reasons(prove([WEB], [[0, 0, 0, 0, 0, 0]]))).toEqual(['node-0: Insufficient cpu']);
    const agent = aSchedulingPod({ name: 'agent', requests: { cpu: 100 } });
    expect(
      reasons(
        prove(
          [WEB, agent],
          [
            [0, 0, 0, 0, 0],
            [0, 0],
          ],
          [1],
        ),
      ),
    ).toEqual(['node-0: Insufficient cpu']);
  });

  test('in a zone that a node selector excludes is refused', () => {
    const inA = { ...WEB, nodeSelector: { [ZONE]: 'a' } };
    expect(
      reasons(
        prove(
          [inA],
          [
            [0, 0],
            [1, 0],
          ],
        ),
      ),
    ).toEqual(["node-1: node(s) didn't match Pod's node affinity/selector"]);
  });

  test.each([
    ['kubernetes.io/hostname', [[0, 0, 0]], 'node-0'],
    [
      ZONE,
      [
        [0, 0],
        [0, 0],
        [1, 0],
      ],
      'node-0',
    ],
  ] as const)('that breaks anti-affinity by %s is refused', (topologyKey, nodes, node) => {
    const apart = { ...WEB, antiAffinity: [{ ...TERM, topologyKey }] };
    expect(reasons(prove([apart], nodes))).toEqual([`${node}: node(s) didn't match pod anti-affinity rules`]);
    expect(
      prove(
        [apart],
        [
          [0, 0],
          [1, 0],
        ],
      ),
    ).toEqual([]);
  });

  test('next to a pod that avoids it is refused', () => {
    const other = aSchedulingPod({ name: 'other', antiAffinity: [{ ...TERM, topologyKey: ZONE }] });
    expect(
      reasons(
        prove(
          [WEB, other],
          [
            [0, 0],
            [0, 1],
          ],
        ),
      ),
    ).toEqual(["node-0: node(s) didn't satisfy existing pods anti-affinity rules", "node-1: node(s) didn't match pod anti-affinity rules"]);
  });

  test('that is skewed over zones is refused in the fuller one', () => {
    const spread = {
      maxSkew: 1,
      topologyKey: ZONE,
      hard: true,
      selector: SELECTOR,
      minDomains: 1,
      honorAffinity: true,
      honorTaints: false,
    };
    const pod = { ...WEB, spread: [spread] };
    expect(
      prove(
        [pod],
        [
          [0, 0, 0],
          [1, 0],
        ],
      ),
    ).toEqual([]);
    expect(
      reasons(
        prove(
          [pod],
          [
            [0, 0, 0, 0],
            [1, 0],
          ],
        ),
      ),
    ).toEqual(["node-0: node(s) didn't match pod topology spread constraints"]);
  });

  test('of pods that must be together on different nodes is refused', () => {
    const together = { ...WEB, affinity: [{ ...TERM, topologyKey: 'kubernetes.io/hostname' }] };
    expect(prove([together], [[0, 0, 0]])).toEqual([]);
    expect(
      reasons(
        prove(
          [together],
          [
            [0, 0],
            [1, 0],
          ],
        ),
      ),
    ).toEqual(["node-0: node(s) didn't match pod affinity rules", "node-1: node(s) didn't match pod affinity rules"]);
  });

  test('with a claim that is not there is refused', () => {
    expect(reasons(prove([{ ...WEB, claims: [{ name: 'data', ephemeral: false }] }], [[0, 0]]))).toEqual([
      'node-0: persistentvolumeclaim "data" not found',
    ]);
  });

  test('of pods without rules between pods compares no two kinds', () => {
    let reads = 0;
    const readsFor = (count: number): number => {
      reads = 0;
      const kinds = Array.from({ length: count }, (_, at) => {
        const pod = aSchedulingPod({ name: `pod-${at}`, labels: { app: `app-${at}` }, requests: { cpu: 1000 } });
        const { antiAffinity } = pod;
        return Object.defineProperty(pod, 'antiAffinity', { enumerable: true, get: () => ((reads += 1), antiAffinity) });
      });
      expect(
        prove(
          kinds,
          kinds.map((_, at) => [0, at]),
        ),
      ).toEqual([]);
      return reads;
    };
    const few = readsFor(10);
    expect(readsFor(100)).toBe(10 * few);
  });
});
