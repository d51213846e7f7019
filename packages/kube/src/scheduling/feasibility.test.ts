import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aSchedulingNode, aSchedulingPod, aSchedulingView } from '../../../../test/builders/scheduling.ts';
import { Feasibility } from './feasibility.ts';
import type { PodTerm } from '../pod-spec/affinity.ts';
import type { SpreadConstraint } from '../pod-spec/spread-constraint.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import type { PersistentVolume, StorageClass, StorageView, VolumeClaim } from './storage-model.ts';

const inZone = (name: string, zone: string, pods: readonly SchedulingPod[] = []): SchedulingNode =>
  aSchedulingNode({ name, labels: { 'kubernetes.io/hostname': name, zone }, pods });
const feasible = (pod: SchedulingPod, view: SchedulingView): string[] => {
  const feasibility = new Feasibility(pod, view);
  return feasibility.excluded === null ? view.nodes.filter((node) => feasibility.refusalOf(node) === null).map(({ name }) => name) : [];
};
const app = (name: string, value = 'web', more: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  aSchedulingPod({ name, labels: { app: value }, ...more });

describe('inter-pod affinity', () => {
  const beside = (value: string, topologyKey = 'zone', more: Partial<PodTerm> = {}): PodTerm => ({
    ...{ topologyKey, selector: { matchLabels: { app: value } }, namespaces: [], namespaceSelector: null },
    ...more,
  });

  test('one and the same pod must meet all terms', () => {
    const terms = [beside('web'), { ...beside('web'), selector: { matchLabels: { tier: 'front' } } }];
    const apart = aSchedulingView([inZone('a', 'x', [app('one'), aSchedulingPod({ name: 'two', labels: { tier: 'front' } })])]);
    expect(feasible(aSchedulingPod({ affinity: terms }), apart)).toEqual([]);
    const both = aSchedulingView([
      inZone('a', 'x', [aSchedulingPod({ name: 'both', labels: { app: 'web', tier: 'front' } })]),
      inZone('b', 'y'),
    ]);
    expect(feasible(aSchedulingPod({ affinity: terms }), both)).toEqual(['a']);
  });

  test('the first of a group may begin anywhere with the topology, the next must follow', () => {
    const empty = aSchedulingView([inZone('a', 'x'), inZone('b', 'y'), aSchedulingNode({ name: 'c', labels: {} })]);
    const first = app('first', 'web', { affinity: [beside('web')] });
    expect(feasible(first, empty)).toEqual(['a', 'b']);
    expect(
      feasible(app('next', 'web', { affinity: [beside('web')] }), aSchedulingView([inZone('a', 'x', [first]), inZone('b', 'y')])),
    ).toEqual(['a']);
    expect(feasible(app('other', 'db', { affinity: [beside('web')] }), empty)).toEqual([]);
  });

  test('existing pods keep others out of their whole domain', () => {
    const hermit = app('hermit', 'db', { antiAffinity: [beside('web')] });
    expect(feasible(app('web'), aSchedulingView([inZone('a', 'x', [hermit]), inZone('b', 'x'), inZone('c', 'y')]))).toEqual(['c']);
  });

  test.each<[string, Partial<PodTerm>, boolean]>([
    ['its own by default', {}, false],
    ['those that it lists', { namespaces: ['ops'] }, true],
    ['those that its selector matches', { namespaceSelector: { matchLabels: { env: 'prod' } } }, true],
    ['none that its selector does not', { namespaceSelector: { matchLabels: { env: 'dev' } } }, false],
    ['all, with an empty selector', { namespaceSelector: {} }, true],
    [
      'all, with a selector that a namespace without labels meets (kube-scheduler 1.36)',
      { namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] } },
      true,
    ],
  ])('a term speaks of namespaces: %s', (_, fields, refused) => {
    const there = app('there', 'web', { namespace: 'ops' });
    const view = aSchedulingView([inZone('a', 'x', [there])], { namespaces: { ops: { env: 'prod' }, shop: {} } });
    expect(feasible(aSchedulingPod({ antiAffinity: [beside('web', 'zone', fields)] }), view)).toEqual(refused ? [] : ['a']);
  });
});

describe('topology spread', () => {
  const spread = (fields: Partial<SpreadConstraint> = {}): SpreadConstraint => ({
    ...{
      maxSkew: 1,
      topologyKey: 'zone',
      hard: true,
      selector: { matchLabels: { app: 'web' } },
      minDomains: 1,
      honorAffinity: true,
      honorTaints: false,
    },
    ...fields,
  });
  const uneven = [inZone('a', 'x', [app('one'), app('two')]), inZone('b', 'y', [app('three')])];

  test.each<[string, Partial<SpreadConstraint>, string[]]>([
    ['holds the skew', {}, ['b']],
    ['allows a greater one', { maxSkew: 2 }, ['a', 'b']],
    ['with too few domains an empty one is still to come', { minDomains: 3, maxSkew: 2 }, ['b']],
    ['an empty selector counts the pod itself alone', { selector: {} }, ['a', 'b']],
    ['a soft one refuses no node', { hard: false }, ['a', 'b']],
    ['a key that no node has', { topologyKey: 'rack' }, []],
  ])('%s', (_, fields, expected) => {
    expect(feasible(app('new', 'web', { spread: [spread(fields)] }), aSchedulingView(uneven))).toEqual(expected);
  });

  test('pods on their way out do not count', () => {
    const nodes = [inZone('a', 'x', [app('one', 'web', { terminating: true })]), inZone('b', 'y')];
    expect(feasible(app('new', 'web', { spread: [spread()] }), aSchedulingView(nodes))).toEqual(['a', 'b']);
  });

  test('nodes that the pod could not use count by policy', () => {
    const taint = { key: 'gpu', value: '', effect: 'NoSchedule' } as const;
    const empty = aSchedulingNode({ name: 'c', labels: { zone: 'z' }, taints: [taint] });
    const nodes = [inZone('a', 'x', [app('one')]), inZone('b', 'y', [app('two')]), empty];
    expect(feasible(app('new', 'web', { spread: [spread()] }), aSchedulingView(nodes))).toEqual([]);
    expect(feasible(app('new', 'web', { spread: [spread({ honorTaints: true })] }), aSchedulingView(nodes))).toEqual(['a', 'b']);
  });
});

describe('volumes', () => {
  const claim = (fields: Partial<VolumeClaim> = {}): VolumeClaim => ({
    ...{
      uid: 'u',
      namespace: 'shop',
      name: 'data',
      className: 'fast',
      volumeName: 'v',
      bindCompleted: true,
      lost: false,
      terminating: false,
    },
    ...{
      accessModes: ['ReadWriteOnce'],
      sizeBytes: 10,
      volumeMode: 'Filesystem',
      attributesClass: '',
      selector: null,
      selectedNode: null,
      ownerPodUid: null,
    },
    ...fields,
  });
  const volume = (fields: Partial<PersistentVolume> = {}): PersistentVolume => ({
    ...{ name: 'v', labels: {}, className: 'fast', available: true, terminating: false, capacityBytes: 10, accessModes: ['ReadWriteOnce'] },
    ...{ volumeMode: 'Filesystem', attributesClass: '', claim: null, nodeTerms: null, attachment: { driver: 'csi', id: 'h' } },
    ...fields,
  });
  const waiting: StorageClass = { name: 'fast', provisioner: 'csi', waitsForConsumer: true, allowedTopologies: [], driver: 'csi' };
  const nodes = [inZone('a', 'x'), aSchedulingNode({ name: 'b', labels: { zone: 'y', 'topology.kubernetes.io/zone': 'y' } })];
  const pod = aSchedulingPod({ claims: [{ name: 'data', ephemeral: false }] });
  const onX = [{ labels: [{ key: 'zone', operator: 'In' as const, values: ['x'] }], fields: [] }];
  const unbound = claim({ volumeName: '', bindCompleted: false });

  test.each<[string, Partial<StorageView>, string]>([
    ['is missing', {}, 'persistentvolumeclaim "data" not found'],
    ['is lost', { findClaim: () => claim({ lost: true }) }, 'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"'],
    ['is leaving', { findClaim: () => claim({ terminating: true }) }, 'persistentvolumeclaim "data" is being deleted'],
    ['is still to be bound', { findClaim: () => unbound }, 'pod has unbound immediate PersistentVolumeClaims'],
    ['has a volume that is gone', { findClaim: () => claim() }, 'persistentvolume "v" not found'],
  ])('no node will do while the claim %s', (_, storage, reason) => {
    expect(new Feasibility(pod, aSchedulingView(nodes, { storage })).excluded).toBe(reason);
  });

  test.each<[string, Partial<StorageView>, string[]]>([
    ['a volume without rules can be had everywhere', { findClaim: () => claim(), findVolume: () => volume() }, ['a', 'b']],
    ['a bound volume is where its node affinity says', { findClaim: () => claim(), findVolume: () => volume({ nodeTerms: onX }) }, ['a']],
    [
      'a zone label keeps a volume to its zone, but not from a node without zones',
      { findClaim: () => claim(), findVolume: () => volume({ labels: { 'topology.kubernetes.io/zone': 'z__q' } }) },
      ['a'],
    ],
    [
      'a volume is made where its class allows',
      { findClaim: () => unbound, findClass: () => ({ ...waiting, allowedTopologies: [new Map([['zone', ['y']]])] }) },
      ['b'],
    ],
    [
      'one without a provisioner must exist already',
      {
        findClaim: () => unbound,
        findClass: () => ({ ...waiting, provisioner: 'kubernetes.io/no-provisioner' }),
        volumesOfClass: () => [volume({ nodeTerms: onX })],
      },
      ['a'],
    ],
    [
      'it must be large enough',
      {
        findClaim: () => claim({ ...unbound, sizeBytes: 11 }),
        findClass: () => ({ ...waiting, provisioner: 'kubernetes.io/no-provisioner' }),
        volumesOfClass: () => [volume()],
      },
      [],
    ],
    [
      'a claim that is being provisioned for a node keeps the pod there',
      { findClaim: () => claim({ ...unbound, selectedNode: 'b' }), findClass: () => waiting },
      ['b'],
    ],
    [
      'a driver that reports capacity must have room',
      {
        findClaim: () => unbound,
        findClass: () => waiting,
        reportsCapacity: () => true,
        capacities: () => [{ className: 'fast', nodes: { matchLabels: { zone: 'x' } }, largestBytes: 10 }],
      },
      ['a'],
    ],
    [
      'a node attaches only so many volumes',
      { findClaim: () => claim(), findVolume: () => volume(), volumeLimits: (node) => new Map([['csi', node === 'a' ? 0 : 1]]) },
      ['b'],
    ],
  ])('%s', (_, storage, expected) => {
    expect(feasible(pod, aSchedulingView(nodes, { storage }))).toEqual(expected);
  });

  test('a claim for one pod alone waits until the other has gone', () => {
    const storage = { findClaim: () => claim({ accessModes: ['ReadWriteOncePod'] }), findVolume: () => volume() };
    const used = aSchedulingView([inZone('a', 'x', [aSchedulingPod({ name: 'first', claims: pod.claims })]), inZone('b', 'y')], {
      storage,
    });
    expect(feasible(pod, used)).toEqual([]);
    const feasibility = new Feasibility(pod, used);
    feasibility.update(aSchedulingPod({ name: 'first', claims: pod.claims }), used.nodes[0]!, -1);
    expect(feasibility.refusalOf(used.nodes[1]!)).toBeNull();
  });
});

test('what no rule here knows keeps a pod off every node', () => {
  const pod = aSchedulingPod({ unmodelled: ['spec.resourceClaims'] });
  expect(new Feasibility(pod, aSchedulingView([aSchedulingNode()])).excluded).toBe('spec.resourceClaims of the pod cannot be simulated');
});

describe('whatever the cluster', () => {
  const zones = fc.constantFrom('x', 'y', 'z');
  const apps = fc.constantFrom('web', 'db');
  const terms = fc.array(
    fc.record({
      topologyKey: fc.constantFrom('zone', 'kubernetes.io/hostname'),
      selector: apps.map((value) => ({ matchLabels: { app: value } })),
      namespaces: fc.constant([]),
      namespaceSelector: fc.constant(null),
    }),
    { maxLength: 2 },
  );
  const pods = fc.record({ labels: apps.map((value) => ({ app: value })), antiAffinity: terms, cpu: fc.integer({ min: 0, max: 3000 }) });
  const nodes = fc.array(fc.record({ zone: zones, pods: fc.array(pods, { maxLength: 4 }) }), { minLength: 1, maxLength: 5 });
  const worlds = fc.tuple(nodes, pods).map(([drawn, wanted]) => {
    const made = drawn.map(({ zone, pods: there }, index) =>
      inZone(
        `n${index}`,
        zone,
        there.map((each, at) => aSchedulingPod({ ...each, name: `p${index}-${at}`, requests: { cpu: each.cpu } })),
      ),
    );
    return { view: aSchedulingView(made), pod: aSchedulingPod({ ...wanted, name: 'new', requests: { cpu: wanted.cpu } }) };
  });

  test('one more taint never makes a node feasible', () => {
    fc.assert(
      fc.property(worlds, ({ view, pod }) => {
        const tainted = view.nodes.map((node) =>
          aSchedulingNode({
            ...node,
            allocatable: Object.fromEntries(node.allocatable),
            pods: [...node.pods.values()],
            taints: [{ key: 'new', value: '', effect: 'NoSchedule' }],
          }),
        );
        expect(feasible(pod, { ...view, nodes: tainted })).toEqual([]);
        expect(
          feasible({ ...pod, tolerations: [{ key: 'new', operator: 'Exists', value: '', effect: null }] }, { ...view, nodes: tainted }),
        ).toEqual(feasible(pod, view));
      }),
    );
  });

  test('asking for more never opens a node', () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 2000 }), ({ view, pod }, more) => {
        const greedy = aSchedulingPod({ ...pod, requests: { cpu: (pod.requests.get('cpu') ?? 0) + more } });
        for (const node of feasible(greedy, view)) expect(feasible(pod, view)).toContain(node);
      }),
    );
  });

  test('a pod that comes and leaves again changes nothing', () => {
    fc.assert(
      fc.property(worlds, ({ view, pod }) => {
        const feasibility = new Feasibility(pod, view);
        const before = view.nodes.map((node) => feasibility.refusalOf(node));
        for (const node of view.nodes) {
          for (const other of node.pods.values()) feasibility.update(other, node, -1);
          for (const other of node.pods.values()) feasibility.update(other, node, 1);
        }
        expect(view.nodes.map((node) => feasibility.refusalOf(node))).toEqual(before);
      }),
    );
  });
});
