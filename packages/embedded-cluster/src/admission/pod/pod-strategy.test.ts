import { describe, expect, test } from '@jest/globals';
import { aWirePod } from '../../../testing/workloads.ts';
import { FakeClusterAccess } from '../../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import type { Pod, WireContainer, WireResources } from '../../controllers/wire/pod.ts';
import { embeddedActions, embeddedStrategies } from '../index.ts';

const GUARANTEED: WireResources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } };
const BURSTABLE: WireResources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '1Gi' } };

function aCluster(): FakeClusterAccess {
  return new FakeClusterAccess(new ManualClock(), { strategies: embeddedStrategies(), actions: embeddedActions() });
}

function containerWith(resources: WireResources | undefined, rest: Partial<WireContainer> = {}): WireContainer {
  return { name: 'main', image: 'web:1', ...(resources === undefined ? {} : { resources }), ...rest };
}

function aPodOf(containers: WireContainer[], spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): object {
  const pod = aWirePod() as unknown as { metadata: object };
  return { ...pod, metadata: { ...pod.metadata, ...metadata }, spec: { containers, ...spec } };
}

function created(cluster: FakeClusterAccess, pod: object): Pod {
  return cluster.create('pods', pod) as Pod;
}

function resize(cluster: FakeClusterAccess, change: (pod: Pod) => void): Pod {
  return cluster.modifySubresource('pods', 'shop', 'web-1', 'resize', (draft) => change(draft as Pod)) as Pod;
}

describe('a new pod', () => {
  test.each([
    ['Guaranteed when it asks for just its limits', [containerWith(GUARANTEED)], 'Guaranteed'],
    ['Guaranteed when it states limits alone', [containerWith({ limits: { cpu: '1', memory: '1Gi' } })], 'Guaranteed'],
    ['Burstable when its limits are higher', [containerWith(BURSTABLE)], 'Burstable'],
    ['Burstable when one container says nothing', [containerWith(GUARANTEED), containerWith(undefined, { name: 'other' })], 'Burstable'],
    ['BestEffort without any requests or limits', [containerWith(undefined)], 'BestEffort'],
  ])('is %s', (_, containers, qosClass) => {
    expect(created(aCluster(), aPodOf(containers)).status).toEqual({ phase: 'Pending', qosClass });
  });

  test('gets the fields that a real cluster sets', () => {
    const { spec } = created(aCluster(), aPodOf([containerWith({ limits: { cpu: '1' } })]));
    expect(spec).toMatchObject({ serviceAccountName: 'default', priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(spec.containers[0]).toMatchObject({
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
    });
    expect(spec.tolerations).toEqual([
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ]);
  });

  test('takes its priority from its class, or from the default class', () => {
    const cluster = aCluster();
    const aClass = (name: string, value: number, globalDefault = false): object => ({ metadata: { name }, value, globalDefault });
    cluster.create('priorityclasses.scheduling.k8s.io', aClass('high', 1000));
    cluster.create('priorityclasses.scheduling.k8s.io', aClass('usual', 10, true));
    expect(created(cluster, aPodOf([containerWith(undefined)], { priorityClassName: 'high' })).spec.priority).toBe(1000);
    expect(created(cluster, aPodOf([containerWith(undefined)], {}, { name: 'other' })).spec).toMatchObject({
      priority: 10,
      priorityClassName: 'usual',
    });
    expect(() => created(cluster, aPodOf([containerWith(undefined)], { priorityClassName: 'none' }, { name: 'third' }))).toThrow(
      'no PriorityClass with name none was found',
    );
  });

  test.each([
    [
      'a request above its limit',
      [containerWith({ requests: { cpu: '2' }, limits: { cpu: '1' } })],
      {},
      'must be less than or equal to cpu limit of 1',
    ],
    [
      'two containers of one name',
      [containerWith(undefined), containerWith(undefined)],
      {},
      'spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'a restart on resize where containers never restart',
      [containerWith(BURSTABLE, { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] })],
      { restartPolicy: 'Never' },
      'spec.containers[0].resizePolicy: Invalid value: "RestartContainer"',
    ],
    ['a mount of no volume', [containerWith(undefined, { volumeMounts: [{ name: 'data', mountPath: '/data' }] })], {}, 'Not found: "data"'],
  ])('is refused with %s', (_, containers, spec, words) => {
    expect(() => created(aCluster(), aPodOf(containers, spec))).toThrow(words);
  });
});

describe('an update of a pod', () => {
  const change = (words: string | null, alter: (pod: Pod) => void): void => {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(BURSTABLE)]));
    const update = (): unknown => cluster.modify('pods', 'shop', 'web-1', (draft) => alter(draft as Pod));
    if (words === null) expect(update()).toBeDefined();
    else expect(update).toThrow(words);
  };

  test('may change an image', () => change(null, ({ spec }) => (spec.containers[0]!.image = 'web:2')));
  test('may add a toleration', () => change(null, ({ spec }) => spec.tolerations!.push({ key: 'spot', operator: 'Exists' })));
  test('may not remove a toleration', () => change('existing toleration can not be modified', ({ spec }) => spec.tolerations!.pop()));
  test('may not move it to another node', () =>
    change('spec: Forbidden: pod updates may not change fields other than', ({ spec }) => (spec.nodeName = 'n1')));
  test('may not change resources, and names the resize subresource', () =>
    change('CPU and memory change through the resize subresource', ({ spec }) => (spec.containers[0]!.resources!.requests!['cpu'] = '1')));
});

describe('a resize', () => {
  test.each<[string, (containers: WireContainer[]) => WireContainer[]]>([
    ['adds', (containers) => [...containers, containerWith(BURSTABLE, { name: 'other' })]],
    ['removes', () => []],
    ['renames', ([main]) => [{ ...main!, name: 'other' }]],
  ])('that %s a container is refused', (_, change) => {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(BURSTABLE)]));
    expect(() => resize(cluster, ({ spec }) => (spec.containers = change(spec.containers)))).toThrow(
      /may not be (added or removed|renamed or reordered) on resize/,
    );
  });

  function resized(
    resources: WireResources,
    to: WireResources,
    spec: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
  ): Pod {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(resources)], spec, metadata));
    return resize(cluster, (pod) => {
      pod.spec.containers[0]!.resources = to;
    });
  }

  test.each([
    ['raises requests', BURSTABLE, { ...BURSTABLE, requests: { cpu: '500m', memory: '256Mi' } }],
    ['lowers a memory limit', BURSTABLE, { ...BURSTABLE, limits: { cpu: '1', memory: '512Mi' } }],
    ['moves requests and limits together', GUARANTEED, { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }],
    ['adds a limit where there was none', { requests: { cpu: '1' } }, { requests: { cpu: '1' }, limits: { cpu: '2' } }],
  ])('%s, and the generation increases', (_, from, to) => {
    const pod = resized(from, to);
    expect(pod.spec.containers[0]!.resources).toEqual(to);
    expect(pod.metadata.generation).toBe(2);
  });

  test.each([
    ['a QoS class may not change', GUARANTEED, { ...GUARANTEED, limits: { cpu: '1', memory: '1Gi' } }, 'Pod QOS Class may not change'],
    [
      'a request may not pass its limit',
      BURSTABLE,
      { ...BURSTABLE, requests: { cpu: '2', memory: '128Mi' } },
      'must be less than or equal to cpu limit of 1',
    ],
    [
      'a limit stays once it is set',
      BURSTABLE,
      { requests: BURSTABLE.requests!, limits: { cpu: '1' } },
      'spec.containers[0].resources.limits: Forbidden',
    ],
    [
      'a request stays once it is set',
      BURSTABLE,
      { limits: BURSTABLE.limits!, requests: { memory: '128Mi' } },
      'resources.requests: Forbidden',
    ],
    [
      'no other resource changes',
      BURSTABLE,
      { ...BURSTABLE, requests: { ...BURSTABLE.requests, 'ephemeral-storage': '1Gi' } },
      'only cpu and memory resources are mutable',
    ],
  ])('is refused: %s', (_, from, to, words) => {
    expect(() => resized(from, to)).toThrow(words);
  });

  test.each([
    ['static pods', {}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }, 'static pods cannot be resized'],
    ['windows pods', { os: { name: 'windows' } }, {}, 'windows pods cannot be resized'],
  ])('is refused for %s', (_, spec, metadata, words) => {
    expect(() => resized(BURSTABLE, GUARANTEED, spec, metadata)).toThrow(words);
  });

  test('restores all other fields', () => {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(BURSTABLE)]));
    const pod = resize(cluster, ({ spec }) => {
      spec.containers[0]!.image = 'other:1';
      spec.nodeName = 'n1';
    });
    expect(pod.spec.containers[0]!.image).toBe('web:1');
    expect(pod.spec.nodeName).toBeUndefined();
  });

  test('reaches sidecars and init containers', () => {
    const cluster = aCluster();
    const initContainers = [
      containerWith(BURSTABLE, { name: 'proxy', restartPolicy: 'Always' }),
      containerWith(BURSTABLE, { name: 'setup' }),
    ];
    created(cluster, aPodOf([containerWith(BURSTABLE)], { initContainers }));
    const to = { ...BURSTABLE, requests: { cpu: '200m', memory: '128Mi' } };
    expect(resize(cluster, ({ spec }) => (spec.initContainers![0]!.resources = to)).spec.initContainers![0]!.resources).toEqual(to);
    expect(resize(cluster, ({ spec }) => (spec.initContainers![1]!.resources = to)).spec.initContainers![1]!.resources).toEqual(to);
  });

  test('is checked against LimitRange and quota', () => {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(BURSTABLE)]));
    cluster.create('limitranges', {
      kind: 'LimitRange',
      metadata: { name: 'bounds', namespace: 'shop' },
      spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] },
    });
    cluster.create('resourcequotas', {
      kind: 'ResourceQuota',
      metadata: { name: 'team', namespace: 'shop' },
      spec: { hard: { 'requests.memory': '512Mi' } },
    });
    const limits = (cpu: string): WireResources => ({ ...BURSTABLE, limits: { cpu, memory: '1Gi' } });
    expect(() => resize(cluster, ({ spec }) => (spec.containers[0]!.resources = limits('4')))).toThrow(
      'pods "web-1" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
    );
    const requests = (memory: string): WireResources => ({ ...BURSTABLE, requests: { cpu: '100m', memory } });
    expect(() => resize(cluster, ({ spec }) => (spec.containers[0]!.resources = requests('768Mi')))).toThrow(
      'exceeded quota: team, requested: requests.memory=640Mi, used: requests.memory=128Mi, limited: requests.memory=512Mi',
    );
    expect(resize(cluster, ({ spec }) => (spec.containers[0]!.resources = requests('512Mi'))).metadata.generation).toBe(2);
  });
});

describe('a binding', () => {
  test('sets the node once, and the PodScheduled condition', () => {
    const cluster = aCluster();
    created(cluster, aPodOf([containerWith(undefined)]));
    const bind = (node: string): unknown =>
      cluster.createSubresource('pods', 'shop', 'web-1', 'binding', { metadata: { name: 'web-1' }, target: { name: node } });
    bind('n1');
    const pod = cluster.get('pods', 'shop', 'web-1') as Pod;
    expect(pod.spec.nodeName).toBe('n1');
    expect(pod.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
    expect(() => bind('n2')).toThrow('pod web-1 is already assigned to node "n1"');
  });
});
