import { describe, expect, test } from '@jest/globals';
import { FakeClusterAccess } from '../../../testing/fake-cluster-access.ts';
import { ManualClock, TEST_EPOCH } from '../../../testing/manual-clock.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { ContainerStatus, Pod, WireResources } from '../../controllers/wire/pod.ts';
import { USAGE_ANNOTATION } from '../../usage/usage-annotation.ts';
import { UsagePlan } from '../../usage/usage-plan.ts';
import { statsSummary } from '../endpoints/stats-summary.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';
import { Kubelets } from './kubelets.ts';
import { createNodes } from '../node-pool.ts';

interface PodOptions {
  readonly resources?: WireResources;
  readonly usage?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
  readonly container?: Record<string, unknown>;
  readonly priority?: number;
}

/** A node with a kubelet, and pods bound to it. */
function aNode(seed = 1, machineType = 'e2-standard-4', kubeletVersion = 'v1.36.0', kubelet: KubeletConfiguration = {}) {
  const clock = new ManualClock();
  const cluster = new FakeClusterAccess(clock);
  const [node = ''] = createNodes(cluster, { count: 1, machineTypes: [machineType], seed, now: clock.now(), kubeletVersion, kubelet });
  const kubelets = new Kubelets({ cluster, clock, seed, plan: new UsagePlan({ seed, epoch: TEST_EPOCH }) });
  kubelets.start();
  clock.settle();

  const bind = (name: string, options: PodOptions = {}): void => {
    const usage = { profile: 'steady', cpu: '50m', memory: '64Mi', ...options.usage };
    cluster.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', annotations: { [USAGE_ANNOTATION]: JSON.stringify({ app: usage }) } },
      spec: {
        nodeName: node,
        restartPolicy: 'Always',
        priority: options.priority ?? 0,
        containers: [{ name: 'app', image: 'app:1', resources: options.resources ?? requests('100m', '128Mi'), ...options.container }],
        ...options.spec,
      },
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    clock.settle();
  };
  const find = (name: string): Pod | undefined => cluster.get('pods', 'shop', name) as Pod | undefined;
  const get = (name: string): Pod => {
    const found = find(name);
    if (found === undefined) throw new Error(`no pod ${name}`);
    return found;
  };
  const status = (name: string): ContainerStatus => get(name).status.containerStatuses![0]!;
  const condition = (name: string, type: string) => get(name).status.conditions?.find((each) => each.type === type);
  const resize = (name: string, resources: WireResources): void => {
    cluster.modifySubresource('pods', 'shop', name, 'resize', (draft) => {
      // Cloned: the fake also compares prototypes, and literals of a test belong to another realm.
      (draft as unknown as Pod).spec.containers[0]!.resources = structuredClone(resources);
    });
    clock.settle();
  };
  return { clock, cluster, kubelets, bind, find, get, status, condition, resize, node };
}

const requests = (cpu: string, memory: string): WireResources => ({ requests: { cpu, memory } });
const both = (cpu: string, memory: string, cpuLimit: string, memoryLimit: string): WireResources => ({
  requests: { cpu, memory },
  limits: { cpu: cpuLimit, memory: memoryLimit },
});

describe('pod lifecycle', () => {
  test('a pod with a pod-level request above the node’s capacity is rejected', () => {
    const { clock, bind, get } = aNode();
    bind('whole', { spec: { resources: { requests: { cpu: '64' } } } });
    clock.advance(MINUTE_MS);
    expect(get('whole').status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
  });

  test.each([
    ['IfNotPresent', ['Pulled', 'Created', 'Started']],
    ['Always', ['Pulling', 'Pulled', 'Created', 'Started']],
  ])('with pull policy %s, a present image gives these events, listed in this order', (imagePullPolicy, expected) => {
    const { clock, cluster, bind } = aNode();
    bind('first');
    clock.advance(MINUTE_MS);
    bind('second', { container: { imagePullPolicy } });
    clock.advance(MINUTE_MS);
    const events = cluster.list('events').map((event) => event as unknown as { reason: string; involvedObject: { name: string } });
    expect(events.filter(({ involvedObject }) => involvedObject.name === 'second').map(({ reason }) => reason)).toEqual(expected);
  });

  test('goes from ContainerCreating to Running and Ready, and reports the resources in force', () => {
    const { clock, bind, get, status, condition } = aNode();
    bind('web');
    expect(get('web').status.phase).toBe('Pending');
    expect(status('web').state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(condition('web', 'Ready')).toMatchObject({ status: 'False', reason: 'ContainersNotReady' });
    clock.advance(MINUTE_MS);
    expect(get('web').status).toMatchObject({ phase: 'Running', observedGeneration: 1, qosClass: 'Burstable', hostIP: '127.0.0.1' });
    expect(condition('web', 'Ready')).toMatchObject({ status: 'True', observedGeneration: 1 });
    expect(condition('web', 'PodScheduled')).toMatchObject({ status: 'True' });
    expect(status('web')).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      allocatedResources: { cpu: '100m', memory: '128Mi' },
      resources: { requests: { cpu: '100m', memory: '128Mi' } },
    });
  });

  test('waits for the readiness probe', () => {
    const { clock, bind, condition, get } = aNode();
    bind('web', { container: { readinessProbe: { initialDelaySeconds: 40, periodSeconds: 10 } } });
    clock.advance(30 * SECOND_MS);
    expect(get('web').status.phase).toBe('Running');
    expect(condition('web', 'Ready')?.status).toBe('False');
    clock.advance(40 * SECOND_MS);
    expect(condition('web', 'Ready')?.status).toBe('True');
  });

  test('runs init containers in order, sidecars beside, then the main containers', () => {
    const { clock, bind, get, condition } = aNode();
    bind('web', {
      spec: {
        initContainers: [
          { name: 'migrate', image: 'm:1' },
          { name: 'proxy', image: 'p:1', restartPolicy: 'Always', resources: requests('10m', '16Mi') },
        ],
      },
    });
    expect(condition('web', 'Initialized')).toMatchObject({ status: 'False', reason: 'ContainersNotInitialized' });
    clock.advance(2 * MINUTE_MS);
    const statuses = get('web').status['initContainerStatuses'] as ContainerStatus[];
    expect(statuses[0]?.state).toMatchObject({ terminated: { exitCode: 0, reason: 'Completed' } });
    expect(statuses[1]?.state).toHaveProperty('running');
    expect(get('web').status.phase).toBe('Running');
    expect(condition('web', 'Ready')?.status).toBe('True');
  });

  test.each([
    [['sleep', '20'], 'Succeeded', 0],
    [['sh', '-c', 'sleep 5; exit 3'], 'Failed', 3],
  ])('a pod that is never restarted ends with its command: %p', (command, phase, exitCode) => {
    const { clock, bind, get, status } = aNode();
    bind('once', { spec: { restartPolicy: 'Never' }, container: { command } });
    clock.advance(MINUTE_MS);
    expect(get('once').status.phase).toBe(phase);
    expect(status('once').state).toMatchObject({ terminated: { exitCode } });
  });

  test('is stopped within its grace period and then deleted', () => {
    const { clock, cluster, bind, find, kubelets, node } = aNode();
    bind('web');
    clock.advance(MINUTE_MS);
    cluster.delete('pods', 'shop', 'web');
    clock.settle();
    expect(find('web')?.metadata.deletionTimestamp).toBeDefined();
    clock.advance(30 * SECOND_MS);
    expect(find('web')).toBeUndefined();
    expect([...kubelets.find(node)!.pods()]).toEqual([]);
  });

  test('is rejected when the node has no capacity', () => {
    const { bind, get } = aNode();
    bind('huge', { resources: requests('8', '1Gi') });
    expect(get('huge').status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
  });

  test('the same seed gives the same timing, another seed another', () => {
    const course = (seed: number): string => {
      const { clock, bind, get } = aNode(seed);
      bind('a');
      bind('b');
      clock.advance(5 * MINUTE_MS);
      const { status: a } = get('a');
      const { status: b } = get('b');
      return JSON.stringify([a, b]);
    };
    expect(course(1)).toBe(course(1));
    expect(course(1)).not.toBe(course(5));
  });
});

describe('out of memory', () => {
  const greedy = { usage: { memory: '200Mi' }, resources: both('100m', '64Mi', '200m', '100Mi') };

  test('a container with several processes above its limit continues', () => {
    const { clock, bind, status, kubelets } = aNode();
    bind('web', { ...greedy, usage: { ...greedy.usage, multiProcess: true } });
    clock.advance(3 * MINUTE_MS);
    expect([status('web').restartCount, kubelets.counters.oomKills]).toEqual([0, 0]);
  });

  test('a container above its limit is killed and restarted, with a longer back-off each time', () => {
    const { clock, bind, status, kubelets } = aNode();
    bind('web', greedy);
    clock.advance(3 * MINUTE_MS);
    expect(status('web')['lastState']).toMatchObject({ terminated: { reason: 'OOMKilled', exitCode: 137 } });
    expect(status('web').restartCount).toBeGreaterThan(0);
    const early = kubelets.counters.oomKills;
    expect(early).toBeGreaterThan(0);
    clock.advance(60 * MINUTE_MS);
    expect(status('web').state).toMatchObject({
      waiting: { reason: 'CrashLoopBackOff', message: expect.stringMatching(/^back-off 5m0s/) },
    });
    expect(kubelets.counters.oomKills - early).toBeLessThan(16);
  });

  test('the archive has the kill and the limit', () => {
    const { clock, bind, kubelets } = aNode();
    bind('web', greedy);
    clock.advance(3 * MINUTE_MS);
    const [series] = [...kubelets.archive.series()];
    expect(series?.oomKills[0]?.memoryLimitBytes).toBe(100 * 2 ** 20);
  });

  test('a node under memory pressure evicts the pod with the most usage above its request, and reports why', () => {
    const { clock, bind, get, kubelets, cluster, node } = aNode(1, 'e2-standard-2');
    bind('modest', { resources: requests('100m', '2Gi'), usage: { memory: '1Gi' } });
    bind('greedy', { resources: requests('100m', '128Mi'), usage: { memory: '9Gi' } });
    clock.advance(5 * MINUTE_MS);
    expect(get('greedy').status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: expect.stringMatching(/low on resource: memory/),
    });
    expect(get('modest').status.phase).toBe('Running');
    expect(kubelets.counters.evictions).toBe(1);
    expect(cluster.get('nodes', null, node)).toMatchObject({ spec: { taints: [{ key: 'node.kubernetes.io/memory-pressure' }] } });
    clock.advance(10 * MINUTE_MS);
    expect((cluster.get('nodes', null, node) as unknown as { spec: { taints?: unknown } }).spec.taints).toBeUndefined();
  });
});

describe('a node that runs out of memory', () => {
  // Eight containers that start together and grow by 1.5 GB a step: faster than the kubelet evicts.
  const startTogether = (bind: (name: string, options: PodOptions) => void): void => {
    bind('safe', { resources: both('100m', '256Mi', '100m', '256Mi'), usage: { memory: '200Mi', cacheShare: 0 } });
    for (let index = 0; index < 8; index++) {
      bind(`web-${index}`, { resources: both('100m', '256Mi', '200m', '8Gi'), usage: { memory: '2Gi', cacheShare: 0 } });
    }
  };

  test('kills a container far below its limit, and reports it on the Node', () => {
    const { clock, cluster, bind, status, kubelets, node } = aNode(1, 'n2-standard-2');
    startTogether(bind);
    clock.advance(3 * MINUTE_MS);
    const killed = Array.from({ length: 8 }, (_, index) => `web-${index}`).filter((name) => (status(name).restartCount ?? 0) > 0);
    expect(killed.length).toBeGreaterThan(0);
    for (const name of killed) expect(status(name)['lastState']).toMatchObject({ terminated: { reason: 'OOMKilled', exitCode: 137 } });
    expect(status('safe').restartCount).toBe(0);
    const events = cluster.list('events') as unknown as {
      reason: string;
      message: string;
      involvedObject: { kind: string; name: string };
    }[];
    expect(events.filter(({ reason }) => reason === 'SystemOOM')).toContainEqual(
      expect.objectContaining({
        involvedObject: expect.objectContaining({ kind: 'Node', name: node }),
        message: expect.stringMatching(/^System OOM encountered, victim process: app, pid: \d+$/),
      }),
    );
    expect(kubelets.find(node)!.workingSetBytes).toBeLessThan(8 * 2 ** 30);
  });

  test('the same seed kills the same containers', () => {
    const killedBy = (seed: number) => {
      const { clock, bind, status } = aNode(seed, 'n2-standard-2');
      startTogether(bind);
      clock.advance(10 * MINUTE_MS);
      return Array.from({ length: 8 }, (_, index) => status(`web-${index}`).restartCount);
    };
    expect(killedBy(3)).toEqual(killedBy(3));
  });
});

describe('a container that needs more than its limit to start', () => {
  const crashing = { usage: { memory: '64Mi', startupMemory: '300Mi' }, resources: both('100m', '64Mi', '200m', '128Mi') };

  test('is killed at once, each time with a longer back-off: its usage is never visible', () => {
    const { clock, bind, status, condition, kubelets, node } = aNode();
    bind('web', crashing);
    clock.advance(30 * SECOND_MS);
    expect(status('web')['lastState']).toMatchObject({ terminated: { reason: 'OOMKilled', exitCode: 137 } });
    const { terminated } = status('web')['lastState'] as { terminated: { startedAt: string; finishedAt: string } };
    expect(Date.parse(terminated.finishedAt) - Date.parse(terminated.startedAt)).toBeLessThanOrEqual(2 * SECOND_MS);
    clock.advance(30 * MINUTE_MS);
    expect(status('web').state).toMatchObject({
      waiting: { reason: 'CrashLoopBackOff', message: expect.stringMatching(/^back-off 5m0s/) },
    });
    expect(condition('web', 'Ready')?.status).toBe('False');
    expect(status('web').restartCount).toBeGreaterThan(5);
    expect(kubelets.find(node)!.running).toEqual([]);
  });

  test('starts once its limit is raised', () => {
    const { clock, bind, resize, status, condition } = aNode();
    bind('web', crashing);
    clock.advance(5 * MINUTE_MS);
    resize('web', both('100m', '64Mi', '200m', '400Mi'));
    clock.advance(10 * MINUTE_MS);
    expect(status('web').state).toHaveProperty('running');
    expect(condition('web', 'Ready')?.status).toBe('True');
  });
});

describe('pressure', () => {
  interface Psi {
    readonly psi?: { readonly some: Readonly<Record<'total' | 'avg10' | 'avg60' | 'avg300', number>> };
  }
  interface Stats {
    readonly cpu: Psi;
    readonly memory: Psi;
    readonly io?: Psi;
  }
  const measured = (version?: string) => {
    const { clock, bind, kubelets, node } = aNode(1, 'e2-standard-4', version);
    bind('held', { usage: { cpu: '400m', cacheShare: 0 }, resources: both('100m', '128Mi', '150m', '256Mi') });
    bind('cached', { usage: { memory: '200Mi', cacheShare: 0.2 }, resources: both('100m', '64Mi', '1', '170Mi') });
    bind('free');
    clock.advance(30 * MINUTE_MS);
    const summary = statsSummary(kubelets.find(node)!, clock.now()) as {
      node: Stats;
      pods: (Stats & { podRef: { name: string }; containers: Stats[] })[];
    };
    const of = (name: string) => summary.pods.find(({ podRef }) => podRef.name === name)!;
    return { summary, of };
  };

  test('is the time that a container waited for CPU or memory, of container, pod and node', () => {
    const { summary, of } = measured();
    const { cpu, memory } = of('held').containers[0]!;
    expect(cpu.psi!.some.avg300).toBeGreaterThan(50);
    expect(cpu.psi!.some.total / 1e9).toBeGreaterThan(0.5 * 29 * 60);
    expect(memory.psi!.some).toEqual({ total: 0, avg10: 0, avg60: 0, avg300: 0 });
    expect(of('cached').containers[0]!.memory.psi!.some.avg300).toBeGreaterThan(0);
    expect(of('held').cpu.psi!.some.avg300).toBe(cpu.psi!.some.avg300);
    expect(summary.node.cpu.psi!.some.avg60).toBeGreaterThan(50);
    expect(of('free').containers[0]!.io!.psi!.some.total).toBe(0);
  });

  test('is not measured by a kubelet before 1.34', () => {
    const { summary, of } = measured('v1.33.4');
    for (const stats of [summary.node, of('held'), of('held').containers[0]!]) {
      expect([stats.cpu.psi, stats.memory.psi, stats.io]).toEqual([undefined, undefined, undefined]);
    }
  });
});

describe('in-place resize', () => {
  test('is shown as in progress, then is in force without a restart', () => {
    const { clock, bind, resize, status, condition, kubelets } = aNode();
    bind('web');
    clock.advance(MINUTE_MS);
    resize('web', requests('250m', '256Mi'));
    expect(condition('web', 'PodResizeInProgress')).toMatchObject({ status: 'True', observedGeneration: 2 });
    expect(status('web')).toMatchObject({ allocatedResources: { cpu: '250m', memory: '256Mi' }, resources: { requests: { cpu: '100m' } } });
    clock.advance(3 * SECOND_MS);
    expect(condition('web', 'PodResizeInProgress')).toBeUndefined();
    expect(status('web')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '250m', memory: '256Mi' } } });
    expect(kubelets.counters.resizes).toBe(1);
  });

  const SWAP = 'In-place resize of containers with swap is not supported.';
  const limited = (cpu: string, memory: string): WireResources => ({ requests: { cpu, memory }, limits: { cpu, memory } });
  const burstable = (cpu: string, memory: string, limit: string): WireResources => ({
    requests: { cpu, memory },
    limits: { memory: limit },
  });
  test.each<[string, KubeletConfiguration, WireResources, WireResources, string | null, number?]>([
    [
      'CPU of a Guaranteed pod, static CPU manager',
      { cpuManagerPolicy: 'static' },
      limited('1', '1Gi'),
      limited('2', '1Gi'),
      'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    ],
    ['memory of a Guaranteed pod, static CPU manager', { cpuManagerPolicy: 'static' }, limited('1', '1Gi'), limited('1', '2Gi'), null],
    ['CPU of a Burstable pod, static CPU manager', { cpuManagerPolicy: 'static' }, requests('1', '1Gi'), requests('2', '1Gi'), null],
    [
      'memory of a Guaranteed pod, static memory manager',
      { memoryManagerPolicy: 'Static' },
      limited('1', '1Gi'),
      limited('1', '2Gi'),
      'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
    ],
    ['a memory request, limited swap', { swapBehavior: 'LimitedSwap' }, requests('1', '1Gi'), requests('1', '2Gi'), SWAP],
    ['CPU, limited swap', { swapBehavior: 'LimitedSwap' }, requests('1', '1Gi'), requests('2', '1Gi'), null],
    [
      'a memory limit alone, limited swap',
      { swapBehavior: 'LimitedSwap' },
      burstable('1', '1Gi', '2Gi'),
      burstable('1', '1Gi', '3Gi'),
      null,
    ],
    [
      'memory whose request equals the limit, limited swap',
      { swapBehavior: 'LimitedSwap' },
      burstable('1', '1Gi', '1Gi'),
      burstable('1', '2Gi', '2Gi'),
      null,
    ],
    [
      'memory of a critical pod, limited swap',
      { swapBehavior: 'LimitedSwap' },
      requests('1', '1Gi'),
      requests('1', '2Gi'),
      null,
      2_000_001_000,
    ],
    ['a memory request where pods do not swap', { swapBehavior: 'NoSwap' }, requests('1', '1Gi'), requests('1', '2Gi'), null],
  ])('is infeasible with the configuration of the kubelet: %s', (_case, kubelet, from, to, message, priority = 0) => {
    const { clock, bind, resize, condition, status } = aNode(1, 'e2-standard-8', 'v1.36.0', kubelet);
    bind('web', { resources: from, priority });
    clock.advance(MINUTE_MS);
    resize('web', to);
    clock.advance(MINUTE_MS);
    const pending = condition('web', 'PodResizePending');
    expect(pending === undefined ? null : [pending.reason, pending.message]).toEqual(message === null ? null : ['Infeasible', message]);
    expect(status('web').resources?.requests).toEqual((message === null ? to : from).requests);
  });

  test('above the node’s capacity it is Infeasible until the spec changes', () => {
    const { clock, bind, resize, status, condition } = aNode();
    bind('web');
    clock.advance(MINUTE_MS);
    resize('web', requests('6', '256Mi'));
    clock.advance(10 * MINUTE_MS);
    expect(condition('web', 'PodResizePending')).toMatchObject({
      reason: 'Infeasible',
      message: "Node didn't have enough capacity: cpu, requested: 6000, capacity: 3920",
      observedGeneration: 2,
    });
    resize('web', requests('100m', '128Mi'));
    expect(condition('web', 'PodResizePending')).toBeUndefined();
    expect(condition('web', 'PodResizeInProgress')).toBeUndefined();
    expect(status('web').allocatedResources).toEqual({ cpu: '100m', memory: '128Mi' });
  });

  test('with other pods it is Deferred until capacity is freed, the higher priority first', () => {
    const { clock, cluster, bind, resize, status, condition } = aNode();
    bind('big', { resources: requests('3', '1Gi') });
    bind('low', { priority: 0 });
    bind('high', { priority: 100 });
    clock.advance(MINUTE_MS);
    resize('low', requests('2', '128Mi'));
    resize('high', requests('2', '128Mi'));
    clock.advance(MINUTE_MS);
    expect(condition('low', 'PodResizePending')).toMatchObject({
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 2000, used: 3100, capacity: 3920",
    });
    cluster.delete('pods', 'shop', 'big');
    clock.advance(MINUTE_MS);
    expect(status('high').resources).toMatchObject({ requests: { cpu: '2' } });
    expect(condition('low', 'PodResizePending')).toMatchObject({ reason: 'Deferred' });
    resize('high', requests('1', '128Mi'));
    clock.advance(MINUTE_MS);
    expect(status('low').resources).toMatchObject({ requests: { cpu: '2' } });
  });

  test('restarts the container when its resize policy requires it, without a back-off', () => {
    const { clock, bind, resize, status } = aNode();
    bind('web', { container: { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] } });
    clock.advance(MINUTE_MS);
    resize('web', requests('200m', '128Mi'));
    clock.advance(10 * SECOND_MS);
    expect(status('web')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '200m' } } });
    resize('web', requests('200m', '256Mi'));
    clock.advance(20 * SECOND_MS);
    expect(status('web')).toMatchObject({ restartCount: 1, ready: true, resources: { requests: { memory: '256Mi' } } });
    expect(status('web').state).toHaveProperty('running');
  });

  test('a memory limit below usage waits with an error, and is actuated once usage has fallen', () => {
    const { clock, bind, resize, status, condition } = aNode();
    bind('web', { resources: both('100m', '64Mi', '200m', '256Mi'), usage: { profile: 'idle-nights', memory: '120Mi' } });
    clock.advance(12 * 60 * MINUTE_MS);
    resize('web', both('100m', '64Mi', '200m', '105Mi'));
    clock.advance(2 * MINUTE_MS);
    expect(condition('web', 'PodResizeInProgress')).toMatchObject({
      reason: 'Error',
      message: expect.stringMatching(/below current usage/),
    });
    expect(status('web')).toMatchObject({ restartCount: 0, resources: { limits: { memory: '256Mi' } } });
    clock.advance(12 * 60 * MINUTE_MS);
    expect(condition('web', 'PodResizeInProgress')).toBeUndefined();
    expect(status('web')).toMatchObject({ restartCount: 0, resources: { limits: { memory: '105Mi' } } });
  });

  test('before the first start, the container starts with the newest values', () => {
    const { clock, bind, resize, status, condition } = aNode();
    bind('web');
    resize('web', requests('300m', '128Mi'));
    clock.advance(MINUTE_MS);
    expect(condition('web', 'PodResizeInProgress')).toBeUndefined();
    expect(status('web').resources).toEqual({ requests: { cpu: '300m', memory: '128Mi' } });
  });
});

describe('CPU', () => {
  test('is capped at the limit, and the throttling is counted', () => {
    const { clock, bind, kubelets, node } = aNode();
    bind('web', { usage: { cpu: '400m' }, resources: both('100m', '128Mi', '150m', '256Mi') });
    clock.advance(30 * MINUTE_MS);
    const entry = kubelets.find(node)!.running[0]!;
    expect(entry.container.grantedMillicores).toBe(150);
    const { limitedMs, throttledMs, demandedCoreSeconds, unmetCoreSeconds } = kubelets.counters;
    expect(throttledMs / limitedMs).toBeGreaterThan(0.95);
    expect(unmetCoreSeconds / demandedCoreSeconds).toBeGreaterThan(0.5);
  });

  test('is shared by requests when the node has too little', () => {
    const { clock, bind, kubelets, node } = aNode();
    bind('small', { usage: { cpu: '4' }, resources: requests('500m', '128Mi') });
    bind('large', { usage: { cpu: '4' }, resources: requests('1500m', '128Mi') });
    clock.advance(10 * MINUTE_MS);
    const granted = kubelets.find(node)!.running.map(({ container }) => container.grantedMillicores);
    expect(granted[1]! / granted[0]!).toBeCloseTo(3);
    expect(granted[0]! + granted[1]!).toBeCloseTo(3955);
  });
});
