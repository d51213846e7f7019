import { describe, expect, test } from '@jest/globals';
import { readNode } from '../../../../src/adapters/kubernetes/decode/decode-node.ts';
import { readPod } from '../../../../src/adapters/kubernetes/decode/decode-pod.ts';
import { workloadReader } from '../../../../src/adapters/kubernetes/decode/decode-workload.ts';
import { Interner } from '../../../../src/adapters/kubernetes/decode/interner.ts';
import { DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS } from '../../../../src/adapters/kubernetes/resources.ts';
import type { Wire } from '../../../../src/adapters/kubernetes/wire.ts';
import { nodeAddress, nodeOfAddress, planCluster } from './cluster-plan.ts';
import { PlayedCluster, PlayedPod } from './cluster.ts';
import { type ResourceStore, Versions } from './resource-store.ts';

const MiB = 2 ** 20;
const NODES = 100;

function playedCluster(): PlayedCluster {
  return new PlayedCluster(planCluster(NODES), new Versions(), true);
}

function wires(store: ResourceStore): readonly Wire[] {
  return [...store.objects()].map((object) => JSON.parse(object.text()) as Wire);
}

describe('The played cluster', () => {
  const cluster = playedCluster();
  const interner = new Interner();

  test('has the size of the goals, in proportion to its nodes', () => {
    const { stores, workloads } = cluster;
    expect(workloads.length / NODES).toBe(4);
    expect(stores.pods.size / NODES).toBeCloseTo(30, 0);
    expect(stores.replicaSets.size / NODES).toBeCloseTo(10.8, 1);
    const containers = workloads.reduce((total, { workload }) => total + workload.containers.length, 0);
    expect(containers / workloads.length).toBe(1.25);
  });

  test('has nodes that the controller reads as ready, each at an address of its own', () => {
    const nodes = wires(cluster.stores.nodes).map((wire) => readNode(wire, interner));
    expect(nodes.every(({ ready, pool }) => ready && pool === 'general')).toBe(true);
    expect(new Set(nodes.map(({ internalIp }) => internalIp)).size).toBe(NODES);
    for (const index of [0, 249, 250, 4_999]) expect(nodeOfAddress(nodeAddress(index))).toBe(index);
  });

  test('has pods of the size of real ones, which the controller reads as running and owned', () => {
    const texts = [...cluster.stores.pods.objects()].map((object) => object.text());
    const pods = texts.map((text) => readPod(JSON.parse(text) as Wire, interner));
    const bytes = texts.reduce((total, text) => total + text.length, 0) / texts.length;
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(9_000);
    expect(pods.every(({ ready, phase, owner, node }) => ready && phase === 'Running' && owner !== null && node !== null)).toBe(true);
    expect(new Set(pods.map(({ namespace, name }) => `${namespace}/${name}`)).size).toBe(pods.length);
    const [container] = pods[0]?.containers ?? [];
    expect(container).toMatchObject({ requests: { cpuMillicores: 100, memoryBytes: 128 * MiB }, limits: { cpuMillicores: 200 } });
    expect(container?.actual).toMatchObject({ requests: { cpuMillicores: 100 } });
  });

  test('has workloads whose rollouts are complete, and ReplicaSets that belong to them', () => {
    const { Deployment, StatefulSet, DaemonSet, replicaSets } = cluster.stores;
    const workloads = [
      ...wires(Deployment).map((wire) => workloadReader(DEPLOYMENTS)(wire, interner)),
      ...wires(StatefulSet).map((wire) => workloadReader(STATEFUL_SETS)(wire, interner)),
      ...wires(DaemonSet).map((wire) => workloadReader(DAEMON_SETS)(wire, interner)),
    ];
    expect(workloads).toHaveLength(4 * NODES);
    expect(workloads.every(({ rolloutInProgress, replicas }) => !rolloutInProgress && replicas.ready === replicas.desired)).toBe(true);
    const owners = new Set(wires(replicaSets).map((wire) => workloadReader(REPLICA_SETS)(wire, interner).controller?.uid));
    expect(owners.size).toBe(Deployment.size);
  });
});

test('An OOM kill of a played pod is read as the last termination of its first container', () => {
  const cluster = playedCluster();
  const [pod] = cluster.stores.pods.objects();
  if (!(pod instanceof PlayedPod)) throw new Error('the cluster has no pods');
  cluster.kill(pod);
  const [killed, ...others] = readPod(JSON.parse(pod.text()) as Wire, new Interner()).containers;
  expect(killed).toMatchObject({ restarts: 1, state: 'running', lastTermination: { reason: 'OOMKilled', exitCode: 137 } });
  expect(others.every(({ restarts, lastTermination }) => restarts === 0 && lastTermination === null)).toBe(true);
});

describe('A resize of a played pod', () => {
  const LARGER = { limits: { cpu: '400m', memory: '256Mi' }, requests: { cpu: '200m', memory: '128Mi' } };

  function firstPod(cluster: PlayedCluster): PlayedPod {
    const [pod] = cluster.stores.pods.objects();
    if (!(pod instanceof PlayedPod)) throw new Error('the cluster has no pods');
    return pod;
  }

  test('is in the spec at once, in the status when the kubelet has applied it, and names its manager', () => {
    const cluster = playedCluster();
    const pod = firstPod(cluster);
    const read = () => readPod(JSON.parse(pod.text()) as Wire, new Interner());
    expect(cluster.resize(pod, [{ op: 'replace', path: '/spec/containers/0/resources', value: LARGER }])).toBeNull();
    expect(read().containers[0]).toMatchObject({ requests: { cpuMillicores: 200 }, actual: { requests: { cpuMillicores: 100 } } });
    cluster.actuate(pod);
    expect(read().containers[0]).toMatchObject({ requests: { cpuMillicores: 200 }, actual: { requests: { cpuMillicores: 200 } } });
    expect(read().resizedBy?.manager).toBe('evenkeel-controller');
  });

  test('is refused where a test of the patch fails', () => {
    const cluster = playedCluster();
    const pod = firstPod(cluster);
    const refusal = cluster.resize(pod, [
      { op: 'test', path: '/metadata/uid', value: 'another' },
      { op: 'replace', path: '/spec/containers/0/resources', value: LARGER },
    ]);
    expect(refusal).not.toBeNull();
    expect(pod.text()).toContain('"cpu":"100m"');
  });
});
