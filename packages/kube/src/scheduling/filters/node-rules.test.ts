import { describe, expect, test } from '@jest/globals';
import { aSchedulingNode, aSchedulingPod } from '../../../testing/scheduling.ts';
import type { LabelRequirement } from '../../label-selector.ts';
import { isAnyVolumeTermMet, isNodeTermMet, namedNodes } from './node-affinity.ts';
import {
  filterDisks,
  filterFeatures,
  filterNodeName,
  filterPorts,
  filterResources,
  filterTaints,
  filterUnschedulable,
  isTolerated,
} from './node-rules.ts';
import type { HostPort } from '../../pod-spec/host-port.ts';
import type { InlineDisk } from '../../pod-spec/pod-volumes.ts';
import type { NodeTerm } from '../../pod-spec/affinity.ts';
import type { Toleration } from '../../pod-spec/toleration.ts';

const toleration = (fields: Partial<Toleration>): Toleration => ({ key: 'gpu', operator: 'Equal', value: 'yes', effect: null, ...fields });

describe('tolerations', () => {
  const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' } as const;
  test.each<[string, Partial<Toleration>, boolean]>([
    ['the same key and value', {}, true],
    ['another value', { value: 'no' }, false],
    ['another key', { key: 'disk' }, false],
    ['Exists, with any value', { operator: 'Exists', value: '' }, true],
    ['Exists without a key: everything', { operator: 'Exists', key: null, value: '' }, true],
    ['the same effect', { effect: 'NoSchedule' }, true],
    ['another effect', { effect: 'NoExecute' }, false],
    ['a numeric comparison, which is disabled', { operator: 'Other', value: '5' }, false],
  ])('%s', (_, fields, tolerated) => {
    expect(isTolerated([toleration(fields)], taint)).toBe(tolerated);
  });

  test('PreferNoSchedule refuses no pod, the other two effects do', () => {
    const refused = (effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule') =>
      filterTaints(aSchedulingPod(), aSchedulingNode({ taints: [{ ...taint, effect }] }));
    expect(refused('PreferNoSchedule')).toBeNull();
    expect(refused('NoSchedule')).toEqual({ reasons: ['node(s) had untolerated taint(s)'], resolvable: false });
    expect(refused('NoExecute')).not.toBeNull();
  });

  test('a cordon can be tolerated like a taint', () => {
    const cordoned = aSchedulingNode({ unschedulable: true });
    expect(filterUnschedulable(aSchedulingPod(), cordoned)?.reasons).toEqual(['node(s) were unschedulable']);
    const tolerations = [toleration({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' })];
    expect(filterUnschedulable(aSchedulingPod({ tolerations }), cordoned)).toBeNull();
  });
});

describe('node affinity', () => {
  const term = (labels: LabelRequirement[], fields: LabelRequirement[] = []): NodeTerm => ({ labels, fields });
  const node = aSchedulingNode({ name: 'n1', labels: { zone: 'a', generation: '7', big: '99999999999999999999', empty: '' } });
  test.each<[string, NodeTerm, boolean]>([
    ['In', term([{ key: 'zone', operator: 'In', values: ['a', 'b'] }]), true],
    ['NotIn matches a missing label', term([{ key: 'rack', operator: 'NotIn', values: ['r'] }]), true],
    ['Exists matches an empty value', term([{ key: 'empty', operator: 'Exists', values: [] }]), true],
    ['DoesNotExist', term([{ key: 'zone', operator: 'DoesNotExist', values: [] }]), false],
    ['an inherited object property is not a label', term([{ key: 'constructor', operator: 'Exists', values: [] }]), false],
    ['Gt', term([{ key: 'generation', operator: 'Gt', values: ['6'] }]), true],
    ['Gt is strict', term([{ key: 'generation', operator: 'Gt', values: ['7'] }]), false],
    ['Lt of a non-numeric label', term([{ key: 'zone', operator: 'Lt', values: ['9'] }]), false],
    ['a number over 64 bits matches neither Gt nor Lt', term([{ key: 'big', operator: 'Gt', values: ['1'] }]), false],
    ['a field', term([], [{ key: 'metadata.name', operator: 'In', values: ['n1'] }]), true],
    [
      'all requirements of a term must match',
      term([{ key: 'zone', operator: 'In', values: ['a'] }], [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }]),
      false,
    ],
    ['an empty term matches nothing', term([]), false],
  ])('%s', (_, nodeTerm, matches) => {
    expect(isNodeTermMet(nodeTerm, node)).toBe(matches);
  });

  test.each<[string, readonly string[][], readonly string[] | null]>([
    ['one name', [['a']], ['a']],
    ['several terms are combined', [['a'], ['b']], ['a', 'b']],
    ['a term without a name allows every node', [['a'], []], null],
  ])('named nodes: %s', (_, names, expected) => {
    const terms = names.map((values) => term([], values.length === 0 ? [] : [{ key: 'metadata.name', operator: 'In', values }]));
    expect(expected === null ? namedNodes(terms) : [...(namedNodes(terms) ?? [])]).toEqual(expected);
  });

  test('contradicting names allow no node', () => {
    const both = ['a', 'b'].map((name) => ({ key: 'metadata.name', operator: 'In' as const, values: [name] }));
    expect(namedNodes([term([], both)])?.size).toBe(0);
  });

  test('volume terms are matched by labels only', () => {
    const byField = term([{ key: 'zone', operator: 'In', values: ['a'] }], [{ key: 'metadata.name', operator: 'In', values: ['other'] }]);
    expect(isAnyVolumeTermMet([byField], node.labels)).toBe(true);
  });
});

describe('resources', () => {
  test('every insufficient resource and the pod limit are reported', () => {
    const full = aSchedulingNode({
      allocatable: { cpu: 500, pods: 1 },
      pods: [aSchedulingPod({ name: 'existing', requests: { cpu: 400 } })],
    });
    const pod = aSchedulingPod({ requests: { cpu: 200, memory: 1, 'example.com/gpu': 1 } });
    expect(filterResources(pod, full)).toEqual({
      reasons: ['Too many pods', 'Insufficient cpu', 'Insufficient example.com/gpu'],
      resolvable: false,
    });
  });

  test('preemption can help only if the request fits the empty node', () => {
    const node = aSchedulingNode({ allocatable: { cpu: 500 }, pods: [aSchedulingPod({ name: 'existing', requests: { cpu: 400 } })] });
    expect(filterResources(aSchedulingPod({ requests: { cpu: 500 } }), node)?.resolvable).toBe(true);
    expect(filterResources(aSchedulingPod({ requests: { cpu: 501 } }), node)?.resolvable).toBe(false);
  });

  test('a resource that is not requested may be overcommitted', () => {
    const over = aSchedulingNode({ allocatable: { cpu: 100 }, pods: [aSchedulingPod({ name: 'existing', requests: { cpu: 400 } })] });
    expect(filterResources(aSchedulingPod({ requests: { cpu: 0, memory: 1 } }), over)).toBeNull();
  });
});

describe('exclusive per node', () => {
  const port = (fields: Partial<HostPort> = {}): HostPort => ({ port: 80, protocol: 'TCP', ip: '0.0.0.0', ...fields });
  test.each<[string, Partial<HostPort>, Partial<HostPort>, boolean]>([
    ['the same port', {}, {}, true],
    ['another port', {}, { port: 81 }, false],
    ['another protocol', {}, { protocol: 'UDP' }, false],
    ['the wildcard address, then one address', {}, { ip: '10.0.0.1' }, true],
    ['one address, then the wildcard address', { ip: '10.0.0.1' }, {}, true],
    ['different addresses', { ip: '10.0.0.1' }, { ip: '10.0.0.2' }, false],
  ])('host ports: %s', (_, taken, wanted, clash) => {
    const node = aSchedulingNode({ pods: [aSchedulingPod({ name: 'existing', ports: [port(taken)] })] });
    expect(filterPorts(aSchedulingPod({ ports: [port(wanted)] }), node) !== null).toBe(clash);
  });

  const disk = (fields: Partial<InlineDisk> = {}): InlineDisk => ({
    kind: 'gcePersistentDisk',
    id: 'd',
    monitors: [],
    readOnly: false,
    driver: null,
    ...fields,
  });
  test.each<[string, InlineDisk, InlineDisk, boolean]>([
    ['the same disk', disk(), disk(), true],
    ['another disk', disk(), disk({ id: 'e' }), false],
    ['both read-only', disk({ readOnly: true }), disk({ readOnly: true }), false],
    ['one read-only', disk({ readOnly: true }), disk(), true],
    [
      'an EBS volume, even read-only',
      disk({ kind: 'awsElasticBlockStore', readOnly: true }),
      disk({ kind: 'awsElasticBlockStore', readOnly: true }),
      true,
    ],
    ['an RBD image with a shared monitor', disk({ kind: 'rbd', monitors: ['m', 'n'] }), disk({ kind: 'rbd', monitors: ['n'] }), true],
    ['an RBD image with different monitors', disk({ kind: 'rbd', monitors: ['m'] }), disk({ kind: 'rbd', monitors: ['n'] }), false],
    ['a shareable kind', disk({ kind: 'other' }), disk({ kind: 'other' }), false],
  ])('disks: %s', (_, taken, wanted, clash) => {
    const node = aSchedulingNode({ pods: [aSchedulingPod({ name: 'existing', disks: [taken] })] });
    expect(filterDisks(aSchedulingPod({ disks: [wanted] }), node) !== null).toBe(clash);
  });
});

test('a pod with spec.nodeName fits only that node', () => {
  expect(filterNodeName(aSchedulingPod({ nodeName: 'a' }), aSchedulingNode({ name: 'a' }))).toBeNull();
  expect(filterNodeName(aSchedulingPod({ nodeName: 'a' }), aSchedulingNode({ name: 'b' }))?.reasons).toEqual([
    "node(s) didn't match the requested node name",
  ]);
});

test('a required kubelet feature must be declared by the node', () => {
  const pod = aSchedulingPod({ features: ['New'] });
  expect(filterFeatures(pod, aSchedulingNode())?.reasons).toEqual(["node(s) didn't match Pod's required features"]);
  expect(filterFeatures(pod, aSchedulingNode({ declaredFeatures: new Set(['New']) }))).toBeNull();
});
