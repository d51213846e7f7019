import { describe, expect, test } from '@jest/globals';
import { FakeClusterAccess } from '../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { MINUTE_MS } from '#kube/units';
import type { Pod } from '../controllers/wire/pod.ts';
import type { SubresourceAction } from '../api/strategy.ts';
import { schedulingRequests } from './pod-requests.ts';
import { Scheduler } from './scheduler.ts';

const binding: SubresourceAction = (target, body, { cluster }) => {
  const { target: node } = body as { target: { name: string } };
  cluster.modify('pods', target.metadata.namespace ?? '', target.metadata.name, (draft) => {
    (draft as unknown as Pod).spec.nodeName = node.name;
  });
  return { kind: 'Status', status: 'Success' };
};

interface NodeOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Record<string, string>;
  readonly taints?: object[];
  readonly unschedulable?: boolean;
  readonly pods?: string;
}

function aCluster(nodes: Record<string, NodeOptions> = {}) {
  const clock = new ManualClock();
  const cluster = new FakeClusterAccess(clock, { actions: new Map([['pods/binding', binding]]) });
  const addNode = (name: string, options: NodeOptions = {}): void => {
    const { cpu = '4', memory = '16Gi', labels, taints, unschedulable, pods = '110' } = options;
    cluster.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
      status: { allocatable: { cpu, memory, pods } },
    });
  };
  for (const [name, options] of Object.entries(nodes)) addNode(name, options);
  new Scheduler(cluster, clock).start();
  const addPod = (name: string, spec: Record<string, unknown> = {}, more: Record<string, unknown> = {}): void => {
    const { cpu = '100m', memory = '64Mi', ...rest } = spec;
    cluster.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', ...more },
      spec: { containers: [{ name: 'app', resources: { requests: { cpu, memory } } }], ...rest },
      status: { phase: 'Pending' },
    });
  };
  const pod = (name: string): Pod => cluster.get('pods', 'shop', name) as unknown as Pod;
  const nodeOf = (name: string) => pod(name).spec.nodeName;
  const wholeWhy = (name: string) => pod(name).status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  /** Without the result of preemption, which has its own tests. */
  const why = (name: string) => wholeWhy(name)?.replace(/ (no new claims to deallocate.*|not found)$/, '');
  const run = (ms = 5000) => clock.advance(ms);
  return { clock, cluster, addNode, addPod, pod, nodeOf, why, wholeWhy, run };
}

const antiAffinity = (app: string, topologyKey = 'kubernetes.io/hostname') => ({
  affinity: {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }] },
  },
});

describe('Scheduler', () => {
  test('spreads the pods of one owner and fills the emptier node', () => {
    const { addPod, nodeOf, run } = aCluster({ a: {}, b: {}, c: {} });
    const owner = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }] };
    for (const name of ['one', 'two', 'three']) addPod(name, {}, owner);
    run();
    expect(new Set(['one', 'two', 'three'].map(nodeOf))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('reports why no node fits, each reason with its count', () => {
    const { addPod, why, run } = aCluster({
      a: { cpu: '50m' },
      b: { cpu: '50m', memory: '1Mi' },
      c: { taints: [{ key: 'gpu', value: 'only', effect: 'NoSchedule' }] },
      d: { unschedulable: true },
    });
    addPod('web');
    run();
    expect(why('web')).toBe(
      '0/4 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu.',
    );
  });

  test('reports when there is no node, and continues when one is added', () => {
    const { addNode, addPod, nodeOf, why, run } = aCluster();
    addPod('web');
    run();
    expect(why('web')).toBe('no nodes available to schedule pods');
    addNode('late');
    run();
    expect(nodeOf('web')).toBe('late');
  });

  test.each([
    [
      'a toleration',
      { taints: [{ key: 'gpu', value: 'only', effect: 'NoSchedule' }] },
      { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    ],
    [
      'cordon is tolerated',
      { unschedulable: true },
      { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
    ],
    ['node selector', { labels: { disk: 'ssd' } }, { nodeSelector: { disk: 'ssd' } }],
    [
      'node affinity by field, as DaemonSet pods have it',
      {},
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['right'] }] }],
            },
          },
        },
      },
    ],
  ])('finds the one node that fits by %s', (_, node, spec) => {
    const { addPod, nodeOf, run } = aCluster({ full: { cpu: '50m' }, right: node, zero: { pods: '0' } });
    addPod('web', spec);
    run();
    expect(nodeOf('web')).toBe('right');
  });

  test.each([
    [{ nodeSelector: { disk: 'ssd' } }, "1 node(s) didn't match Pod's node affinity/selector"],
    [{ cpu: '5' }, '1 Insufficient cpu'],
    [{ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }, 'persistentvolumeclaim "data" not found'],
  ])('refuses %j', (spec, reason) => {
    const { addPod, why, run } = aCluster({ a: {} });
    addPod('web', spec);
    run();
    expect(why('web')).toBe(`0/1 nodes are available: ${reason}.`);
  });

  test('separates anti-affine pods, also by the rules of running pods', () => {
    const { addPod, nodeOf, why, run } = aCluster({ a: {}, b: {} });
    const labels = { labels: { app: 'db' } };
    addPod('db-0', antiAffinity('db'), labels);
    addPod('db-1', antiAffinity('db'), labels);
    run();
    expect(nodeOf('db-0')).not.toBe(nodeOf('db-1'));
    addPod('db-2', antiAffinity('db'), labels);
    addPod('plain', {}, labels);
    run();
    expect(why('db-2')).toBe("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
    expect(why('plain')).toBe("0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.");
  });

  test('places affine pods in their domain; the first of a group may be placed anywhere', () => {
    const { addPod, nodeOf, run } = aCluster({ a: { labels: { zone: 'x' } }, b: { labels: { zone: 'y' } }, c: { labels: { zone: 'y' } } });
    const affinity = (app: string) => ({
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: { matchLabels: { app } } }] },
      },
    });
    addPod('cache-0', { ...affinity('cache'), nodeSelector: { zone: 'y' } }, { labels: { app: 'cache' } });
    run();
    expect(nodeOf('cache-0')).toMatch(/[bc]/);
    addPod('web', affinity('cache'));
    run();
    expect(nodeOf('web')).toMatch(/[bc]/);
  });

  test('respects the skew of a topology spread constraint', () => {
    const { addPod, nodeOf, why, cluster, run } = aCluster({ a: { labels: { zone: 'x' } }, b: { labels: { zone: 'y' }, cpu: '150m' } });
    const spread = {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    };
    for (const name of ['one', 'two', 'three', 'four']) addPod(name, spread, { labels: { app: 'web' } });
    run();
    expect(['one', 'two', 'three', 'four'].map(nodeOf).filter((node) => node === 'a').length).toBe(2);
    const waiting = ['one', 'two', 'three', 'four'].filter((name) => nodeOf(name) === undefined);
    expect(waiting.map(why)).toEqual([
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints.",
    ]);
    // A deleted zone does not count for the skew.
    cluster.delete('nodes', null, 'b', {});
    run();
    expect(waiting.map(nodeOf)).toEqual(['a']);
  });

  test('separates pods with equal host ports', () => {
    const { addPod, why, run } = aCluster({ a: {} });
    const ports = { containers: [{ name: 'app', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    addPod('one', ports);
    addPod('two', ports);
    run();
    expect(why('two')).toBe("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.");
  });

  test('schedules the higher priority first, then the older pod', () => {
    const { addPod, nodeOf, run } = aCluster({ a: { cpu: '250m' } });
    addPod('low');
    addPod('old', { priority: 5 });
    addPod('high', { priority: 10 });
    run();
    expect([nodeOf('high'), nodeOf('old'), nodeOf('low')]).toEqual(['a', 'a', undefined]);
  });

  test('retries when a pod is deleted, and is idle while nothing changes', () => {
    const { addPod, nodeOf, cluster, clock, run } = aCluster({ a: { cpu: '150m' } });
    addPod('first');
    run();
    addPod('second');
    run();
    const quiet = clock.ran;
    run(60 * MINUTE_MS);
    expect(clock.ran).toBe(quiet);
    cluster.delete('pods', 'shop', 'first', { gracePeriodSeconds: 0 });
    run();
    expect(nodeOf('second')).toBe('a');
  });

  test('ignores pods of other schedulers and gated pods', () => {
    const { addPod, nodeOf, run } = aCluster({ a: {} });
    addPod('other', { schedulerName: 'mine' });
    addPod('gated', { schedulingGates: [{ name: 'wait' }] });
    run();
    expect([nodeOf('other'), nodeOf('gated')]).toEqual([undefined, undefined]);
  });

  describe('preemption', () => {
    const eventsOf = (world: ReturnType<typeof aCluster>, name: string) =>
      world.cluster
        .list('events')
        .filter((event) => (event as unknown as { involvedObject: { name: string } }).involvedObject.name === name)
        .map((event) => event['reason']);

    test('a pod of lower priority is preempted, its capacity is reserved meanwhile, and no other pod is preempted', () => {
      const world = aCluster({ a: { cpu: '1' } });
      world.addPod('low', { cpu: '900m' });
      world.run();
      world.addPod('high', { cpu: '900m', priority: 10 });
      world.run();
      const low = world.pod('low');
      expect(low.metadata.deletionTimestamp).toBeDefined();
      expect(low.status.conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', reason: 'PreemptionByScheduler' }));
      expect(world.pod('high').status['nominatedNodeName']).toBe('a');
      // 900m are reserved for the pending pod, in addition to the 900m still in use.
      world.addPod('small', { cpu: '50m' });
      world.run();
      expect(world.nodeOf('small')).toBeUndefined();
      expect(world.wholeWhy('high')).toMatch(/ preemption: not eligible due to a terminating pod on the nominated node\.$/);
      expect(eventsOf(world, 'low')).toEqual(['Scheduled', 'Preempted']);
      // The kubelet's part of the deletion.
      world.cluster.delete('pods', 'shop', 'low', { gracePeriodSeconds: 0 });
      world.run();
      expect([world.nodeOf('high'), world.nodeOf('small')]).toEqual(['a', 'a']);
    });

    test('a pod with preemptionPolicy Never waits, and reports it', () => {
      const world = aCluster({ a: { cpu: '1' } });
      world.addPod('low', { cpu: '900m' });
      world.run();
      world.addPod('patient', { cpu: '900m', priority: 10, preemptionPolicy: 'Never' });
      world.run();
      expect(world.nodeOf('low')).toBe('a');
      expect(world.wholeWhy('patient')).toBe(
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
      );
    });
  });

  test('a resized pod counts with the greatest of spec, allocation and resources in force', () => {
    const resized = (desired: string, allocated: string, actual: string, conditions: object[] = []) =>
      ({
        metadata: {},
        spec: { nodeName: 'a', containers: [{ name: 'app', resources: { requests: { cpu: desired } } }] },
        status: {
          conditions,
          containerStatuses: [{ name: 'app', allocatedResources: { cpu: allocated }, resources: { requests: { cpu: actual } } }],
        },
      }) as unknown as Pod;
    const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
    expect(schedulingRequests(resized('300m', '100m', '100m')).get('cpu')).toBe(300);
    expect(schedulingRequests(resized('50m', '50m', '100m')).get('cpu')).toBe(100);
    expect(schedulingRequests(resized('50m', '200m', '100m')).get('cpu')).toBe(200);
    expect(schedulingRequests(resized('9', '100m', '100m', infeasible)).get('cpu')).toBe(100);
  });

  test('pod-level requests replace the sum of the containers; a limit alone counts as the request', () => {
    const pod = (resources: object): Pod => {
      const container = { name: 'c', image: 'x', resources: { requests: { cpu: '100m' } } };
      return { metadata: {}, spec: { containers: [container, { ...container, name: 'd' }], resources }, status: {} } as unknown as Pod;
    };
    const taken = (resources: object) => Object.fromEntries(schedulingRequests(pod(resources)));
    const MiB = 1024 * 1024;
    expect(taken({ requests: { cpu: '500m' }, limits: { cpu: '1', memory: '64Mi' } })).toEqual({ cpu: 500, memory: 64 * MiB });
    expect(taken({ limits: { cpu: '1' } })).toEqual({ cpu: 200 });
  });
});
