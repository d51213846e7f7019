import { describe, expect, test } from '@jest/globals';
import { aNodeRecord } from '../../../test/builders/records.ts';
import { amounts, anAdvice, aPodRecord, aWorkloadRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld } from '../../../test/fakes/worlds/resize-world.ts';
import { DAY_MS, GiB, HOUR_MS, MINUTE_MS } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';

const AGENT = { namespace: 'shop', kind: 'DaemonSet', name: 'agent' };
const KEY: WorkloadKey = workloadKey(AGENT);
const SMALL = '2cpu-8Gi';
const LARGE = '16cpu-64Gi';
const ADVISED = { plain: '100m', [SMALL]: '50m', [LARGE]: '400m' };

function aNodeOf(name: string, cores: number): ReturnType<typeof aNodeRecord> {
  const size = { cpuMillicores: cores * 1000, memoryBytes: cores * 4 * GiB };
  return aNodeRecord({ name, capacity: size, allocatable: size, kubeletVersion: 'v1.36.0' });
}

function aDaemonPod(node: string, createdAt = T0 - DAY_MS): ReturnType<typeof aPodRecord> {
  const requests = amounts('200m', '128Mi');
  return aPodRecord({ name: `agent-${node}`, node, createdAt, container: { requests }, labels: { workload: 'agent' } });
}

/** A world with `shop/DaemonSet/agent` alone, one pod on each node. */
function aWorld(nodes: readonly (readonly [string, number])[], mode: 'Auto' | 'Approve' = 'Auto'): ResizeWorld {
  const world = new ResizeWorld();
  world.cluster.workloadList = [];
  world.cluster.podList = [];
  world.cluster.nodeList = nodes.map(([name, cores]) => aNodeOf(name, cores));
  const container = { requests: amounts('200m', '128Mi') };
  world.addWorkload(
    aWorkloadRecord({ ...AGENT, uid: 'uid-agent' }, container),
    nodes.map(([name]) => aDaemonPod(name)),
  );
  world.advice.set(
    KEY,
    Object.entries(ADVISED).map(([name, cpu]) => anAdvice({ container: name === 'plain' ? 'main' : `main@${name}`, cpu, memory: '128Mi' })),
  );
  world.setPolicy('all', { mode });
  return world;
}

const MIXED = [
  ['s1', 2],
  ['s2', 2],
  ['s3', 2],
  ['l1', 16],
  ['l2', 16],
] as const;

function cpuByNode(world: ResizeWorld): Readonly<Record<string, number | null>> {
  return Object.fromEntries(world.cluster.podList.map((pod) => [pod.node, pod.containers[0]!.requests.cpuMillicores]));
}

describe('a DaemonSet on nodes of two classes', () => {
  test('each pod gets the size of its class, and the status lists both', async () => {
    const world = aWorld(MIXED);
    await world.run(DAY_MS);
    expect(cpuByNode(world)).toEqual({ s1: 50, s2: 50, s3: 50, l1: 400, l2: 400 });
    const { classes = [], containers = [], message } = world.status(KEY);
    expect(classes.map(({ name, pods, state }) => [name, pods, state])).toEqual([
      [SMALL, 3, 'applied'],
      [LARGE, 2, 'applied'],
    ]);
    expect(classes.map((each) => each.containers?.[0]?.recommended?.requests?.cpu)).toEqual(['50m', '400m']);
    expect(containers[0]?.recommended?.requests?.cpu).toBe('50m');
    expect(message).toContain(`on ${LARGE} (2 pods): `);
  });

  test('savings count each class by its own pods', async () => {
    const world = aWorld(MIXED);
    world.setPolicy('all', { mode: 'Recommend' });
    await world.run(10 * MINUTE_MS);
    // Three pods free 150m each and two need 200m more each, at $0.03 per core and hour.
    expect(world.status(KEY).savingsPerMonthUsd).toBeCloseTo((3 * 0.15 - 2 * 0.2) * 0.03 * 730, 1);
  });

  test('with one class, no advice by class is requested', async () => {
    const world = aWorld(MIXED.filter(([, cores]) => cores === 2));
    const requests = new Set<string>();
    world.onAdvise = (_, rules) => [...rules.keys()].forEach((name) => requests.add(name));
    await world.run(DAY_MS);
    expect(new Set(Object.values(cpuByNode(world)))).toEqual(new Set([100]));
    expect(world.status(KEY).classes).toBeUndefined();
    expect([...requests]).toEqual(['main']);
  });

  test('a class that is added later starts without history: its pods never get the size of the first one', async () => {
    const world = aWorld(MIXED.filter(([, cores]) => cores === 2));
    await world.run(DAY_MS);
    world.advice.set(
      KEY,
      world.advice.get(KEY)!.filter(({ container }) => !container.endsWith(LARGE)),
    );
    world.cluster.nodeList = [...world.cluster.nodeList, ...['l1', 'l2', 'l3', 'l4'].map((name) => aNodeOf(name, 16))];
    world.cluster.podList = [...world.cluster.podList, ...['l1', 'l2', 'l3', 'l4'].map((name) => aDaemonPod(name, world.clock.now()))];
    await world.run(DAY_MS);
    expect(cpuByNode(world)).toEqual({ s1: 50, s2: 50, s3: 50, l1: 200, l2: 200, l3: 200, l4: 200 });
  });

  test('an approval applies each class’s displayed values', async () => {
    const world = aWorld(MIXED, 'Approve');
    await world.run(HOUR_MS);
    expect(world.status(KEY)).toMatchObject({ state: 'awaiting', reason: 'approval' });
    const both = (cpu: string) => ({ requests: { cpu, memory: '128Mi' }, limits: {} });
    const containers = [
      { name: 'main', ...both('50m') },
      { name: `main@${SMALL}`, ...both('50m') },
      { name: `main@${LARGE}`, ...both('400m') },
    ];
    world.requestByUser({ approved: { by: 'ana@example.com', at: new Date(world.clock.now()).toISOString(), containers } }, KEY);
    await world.run(DAY_MS);
    expect(cpuByNode(world)).toEqual({ s1: 50, s2: 50, s3: 50, l1: 400, l2: 400 });
  });

  test('after an end of the process at any write, every pod gets its class’s value', async () => {
    for (let writes = 0; writes <= 12; writes += 1) {
      const world = aWorld(MIXED);
      world.diesAfterWrites = writes;
      await world.run(6 * HOUR_MS);
      for (const [node, cpu] of Object.entries(cpuByNode(world))) expect([200, node.startsWith('s') ? 50 : 400]).toContain(cpu);
      world.start();
      await world.run(DAY_MS);
      expect(cpuByNode(world)).toEqual({ s1: 50, s2: 50, s3: 50, l1: 400, l2: 400 });
    }
  });
});
