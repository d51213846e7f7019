import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aSchedulingNode, aSchedulingPod, aSchedulingView } from '../../testing/scheduling.ts';
import { Feasibility } from './feasibility.ts';
import type { PodTerm } from '../pod-spec/affinity.ts';
import type { SpreadConstraint } from '../pod-spec/spread-constraint.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import type { PersistentVolume, StorageClass, StorageView, VolumeClaim } from './volumes/storage-model.ts';

const inZone = (name: string, zone: string, pods: readonly SchedulingPod[] = []): SchedulingNode =>
  aSchedulingNode({ name, labels: { 'kubernetes.io/hostname': name, zone }, pods });
const feasible = (pod: SchedulingPod, view: SchedulingView): string[] => {
  const feasibility = new Feasibility(pod, view);
  return feasibility.excluded === null ? view.nodes.filter((node) => feasibility.refusalOf(node) === null).map(({ name }) => name) : [];
};
const app = (name: string, value = 'web', fields: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  aSchedulingPod({ name, labels: { app: value }, ...fields });

describe('inter-pod affinity', () => {
  const beside = (value: string, topologyKey = 'zone', fields: Partial<PodTerm> = {}): PodTerm => ({
    ...{ topologyKey, selector: { matchLabels: { app: value } }, namespaces: [], namespaceSelector: null },
    ...fields,
  });

  test('a single pod must match all terms', () => {
    const terms = [beside('web'), { ...beside('web'), selector: { matchLabels: { tier: 'front' } } }];
    const apart = aSchedulingView([inZone('a', 'x', [app('one'), aSchedulingPod({ name: 'two', labels: { tier: 'front' } })])]);
    expect(feasible(aSchedulingPod({ affinity: terms }), apart)).toEqual([]);
    const both = aSchedulingView([
      inZone('a', 'x', [aSchedulingPod({ name: 'both', labels: { app: 'web', tier: 'front' } })]),
      inZone('b', 'y'),
    ]);
    expect(feasible(aSchedulingPod({ affinity: terms }), both)).toEqual(['a']);
  });

  test('the first pod of a group fits any domain, the next must follow', () => {
    const empty = aSchedulingView([inZone('a', 'x'), inZone('b', 'y'), aSchedulingNode({ name: 'c', labels: {} })]);
    const first = app('first', 'web', { affinity: [beside('web')] });
    expect(feasible(first, empty)).toEqual(['a', 'b']);
    expect(
      feasible(app('next', 'web', { affinity: [beside('web')] }), aSchedulingView([inZone('a', 'x', [first]), inZone('b', 'y')])),
    ).toEqual(['a']);
    expect(feasible(app('other', 'db', { affinity: [beside('web')] }), empty)).toEqual([]);
  });

  test('anti-affinity of an existing pod excludes its whole domain', () => {
    const exclusive = app('exclusive', 'db', { antiAffinity: [beside('web')] });
    expect(feasible(app('web'), aSchedulingView([inZone('a', 'x', [exclusive]), inZone('b', 'x'), inZone('c', 'y')]))).toEqual(['c']);
  });

  test.each<[string, Partial<PodTerm>, boolean]>([
    ['its own by default', {}, false],
    ['listed ones', { namespaces: ['ops'] }, true],
    ['those its selector matches', { namespaceSelector: { matchLabels: { env: 'prod' } } }, true],
    ['none its selector does not match', { namespaceSelector: { matchLabels: { env: 'dev' } } }, false],
    ['all, with an empty selector', { namespaceSelector: {} }, true],
    [
      'all, with a selector that matches a namespace without labels (kube-scheduler 1.36)',
      { namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] } },
      true,
    ],
  ])('a term applies to namespaces: %s', (_, fields, refused) => {
    const existing = app('existing', 'web', { namespace: 'ops' });
    const view = aSchedulingView([inZone('a', 'x', [existing])], { namespaces: { ops: { env: 'prod' }, shop: {} } });
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
    ['enforces the skew', {}, ['b']],
    ['allows a larger skew', { maxSkew: 2 }, ['a', 'b']],
    ['below minDomains the global minimum is 0', { minDomains: 3, maxSkew: 2 }, ['b']],
    ['an empty selector counts only the pod itself', { selector: {} }, ['a', 'b']],
    ['a soft constraint refuses no node', { hard: false }, ['a', 'b']],
    ['a key that no node has', { topologyKey: 'rack' }, []],
  ])('%s', (_, fields, expected) => {
    expect(feasible(app('new', 'web', { spread: [spread(fields)] }), aSchedulingView(uneven))).toEqual(expected);
  });

  test('terminating pods do not count', () => {
    const nodes = [inZone('a', 'x', [app('one', 'web', { terminating: true })]), inZone('b', 'y')];
    expect(feasible(app('new', 'web', { spread: [spread()] }), aSchedulingView(nodes))).toEqual(['a', 'b']);
  });

  test('nodes the pod cannot use count according to policy', () => {
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
    ['is terminating', { findClaim: () => claim({ terminating: true }) }, 'persistentvolumeclaim "data" is being deleted'],
    ['is not bound', { findClaim: () => unbound }, 'pod has unbound immediate PersistentVolumeClaims'],
    ['has a missing volume', { findClaim: () => claim() }, 'persistentvolume "v" not found'],
  ])('no node is feasible while the claim %s', (_, storage, reason) => {
    expect(new Feasibility(pod, aSchedulingView(nodes, { storage })).excluded).toBe(reason);
  });

  test.each<[string, Partial<StorageView>, string[]]>([
    ['a volume without node affinity fits every node', { findClaim: () => claim(), findVolume: () => volume() }, ['a', 'b']],
    [
      'a bound volume fits the nodes of its node affinity',
      { findClaim: () => claim(), findVolume: () => volume({ nodeTerms: onX }) },
      ['a'],
    ],
    [
      'a zone label restricts a volume to its zone, but allows nodes without zones',
      { findClaim: () => claim(), findVolume: () => volume({ labels: { 'topology.kubernetes.io/zone': 'z__q' } }) },
      ['a'],
    ],
    [
      'a volume is provisioned where its class allows',
      { findClaim: () => unbound, findClass: () => ({ ...waiting, allowedTopologies: [new Map([['zone', ['y']]])] }) },
      ['b'],
    ],
    [
      'without a provisioner the volume must exist',
      {
        findClaim: () => unbound,
        findClass: () => ({ ...waiting, provisioner: 'kubernetes.io/no-provisioner' }),
        volumesOfClass: () => [volume({ nodeTerms: onX })],
      },
      ['a'],
    ],
    [
      'an existing volume must be large enough',
      {
        findClaim: () => claim({ ...unbound, sizeBytes: 11 }),
        findClass: () => ({ ...waiting, provisioner: 'kubernetes.io/no-provisioner' }),
        volumesOfClass: () => [volume()],
      },
      [],
    ],
    [
      'a claim with a selected node pins the pod to it',
      { findClaim: () => claim({ ...unbound, selectedNode: 'b' }), findClass: () => waiting },
      ['b'],
    ],
    [
      'a driver that reports capacity must have enough',
      {
        findClaim: () => unbound,
        findClass: () => waiting,
        isCapacityReported: () => true,
        capacities: () => [{ className: 'fast', nodes: { matchLabels: { zone: 'x' } }, largestBytes: 10 }],
      },
      ['a'],
    ],
    [
      'the attach limit of a node is enforced',
      { findClaim: () => claim(), findVolume: () => volume(), volumeLimits: (node) => new Map([['csi', node === 'a' ? 0 : 1]]) },
      ['b'],
    ],
  ])('%s', (_, storage, expected) => {
    expect(feasible(pod, aSchedulingView(nodes, { storage }))).toEqual(expected);
  });

  test('a ReadWriteOncePod claim is unavailable while another pod uses it', () => {
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

test('an unmodelled field makes every node infeasible', () => {
  const pod = aSchedulingPod({ unmodelled: ['spec.resourceClaims'] });
  expect(new Feasibility(pod, aSchedulingView([aSchedulingNode()])).excluded).toBe('spec.resourceClaims of the pod cannot be simulated');
});

describe('for any cluster', () => {
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
  const clusters = fc.tuple(nodes, pods).map(([nodeSpecs, podSpec]) => {
    const clusterNodes = nodeSpecs.map(({ zone, pods: podSpecs }, index) =>
      inZone(
        `n${index}`,
        zone,
        podSpecs.map((spec, podIndex) => aSchedulingPod({ ...spec, name: `p${index}-${podIndex}`, requests: { cpu: spec.cpu } })),
      ),
    );
    return { view: aSchedulingView(clusterNodes), pod: aSchedulingPod({ ...podSpec, name: 'new', requests: { cpu: podSpec.cpu } }) };
  });

  test('an added taint never makes a node feasible', () => {
    fc.assert(
      fc.property(clusters, ({ view, pod }) => {
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

  test('a larger request never makes a node feasible', () => {
    fc.assert(
      fc.property(clusters, fc.integer({ min: 1, max: 2000 }), ({ view, pod }, extraCpu) => {
        const larger = aSchedulingPod({ ...pod, requests: { cpu: (pod.requests.get('cpu') ?? 0) + extraCpu } });
        for (const node of feasible(larger, view)) expect(feasible(pod, view)).toContain(node);
      }),
    );
  });

  test('removing and re-adding a pod changes nothing', () => {
    fc.assert(
      fc.property(clusters, ({ view, pod }) => {
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
