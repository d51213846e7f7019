// A random cluster on a real API server where only the scheduler runs: nodes and pods keep their written state.

import type { RawRequest, RawResponse } from '../../../hack/real-cluster/api.ts';
import { eventually, HANG_MS } from '../../eventually.ts';
import { NAMESPACES, type WireCluster, type WireObject } from '../../builders/scheduling/wire-cluster.ts';

/** The part of RealCluster that is needed here. */
export interface Api {
  request(request: RawRequest): Promise<RawResponse>;
  expect<T>(request: RawRequest): Promise<T>;
}

export interface ScheduledPod extends WireObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

const BARRIER = 'barrier';
const PRIORITIES = [-10, 0, 5, 10, 100, 1_000_000];
const JSON_MERGE = { 'content-type': 'application/merge-patch+json' };
const COLLECTIONS = {
  nodes: '/api/v1/nodes',
  volumes: '/api/v1/persistentvolumes',
  storageClasses: '/apis/storage.k8s.io/v1/storageclasses',
  csiNodes: '/apis/storage.k8s.io/v1/csinodes',
} as const;

/** Loads random clusters, one after another, into a real API server. */
export class StaticCluster {
  readonly #api: Api;
  #barriers = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates the objects of all rounds: namespaces, their service accounts, and a non-preempting class for every priority. */
  async prepare(): Promise<void> {
    for (const name of NAMESPACES) {
      await this.#api.expect({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
      // The controller manager, which does not run, would create it.
      await this.#api.request({
        method: 'POST',
        path: `/api/v1/namespaces/${name}/serviceaccounts`,
        body: { metadata: { name: 'default' } },
      });
    }
    for (const value of PRIORITIES) {
      const body = { metadata: { name: classOf(value) }, value, preemptionPolicy: 'Never' };
      await this.#api.expect({ method: 'POST', path: '/apis/scheduling.k8s.io/v1/priorityclasses', body });
    }
  }

  /**
   * Creates all objects except the pending pods. An object that the API server refuses is left out: the comparison uses the stored cluster.
   */
  async build(cluster: WireCluster): Promise<void> {
    for (const { metadata } of cluster.namespaces) {
      const labels = { env: null, team: null, ...metadata.labels };
      await this.#api.expect({
        method: 'PATCH',
        path: `/api/v1/namespaces/${metadata.name}`,
        headers: JSON_MERGE,
        body: { metadata: { labels } },
      });
    }
    await Promise.all(cluster.storageClasses.map((storageClass) => this.#create(COLLECTIONS.storageClasses, storageClass)));
    await Promise.all(cluster.volumes.map((volume) => this.#createWithStatus(COLLECTIONS.volumes, volume)));
    await Promise.all(cluster.claims.map((claim) => this.#createWithStatus(inNamespace(claim, 'persistentvolumeclaims'), claim)));
    await Promise.all(cluster.csiNodes.map((csiNode) => this.#create(COLLECTIONS.csiNodes, csiNode)));
    await Promise.all(cluster.nodes.map((node) => this.#createNode(node)));
    await Promise.all(cluster.pods.map((pod) => this.#createRunning(pod)));
  }

  /**
   * Waits until the scheduler has seen all objects. It receives nodes and pods in the order of their changes: once it has bound a pod to
   * the last node, beside the last pod, it has seen all earlier ones.
   */
  async waitUntilSeen(): Promise<void> {
    const name = `${BARRIER}-${this.#barriers++}`;
    const labels = { [BARRIER]: name };
    const taint = { key: BARRIER, value: name, effect: 'NoSchedule' };
    const status = { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } };
    await this.#createNode({ metadata: { name, uid: '', labels: { 'kubernetes.io/hostname': name } }, spec: { taints: [taint] }, status });
    const containers = [{ name: 'main', image: 'example.com/app:1' }];
    const pod = (suffix: string, spec: object, own: Readonly<Record<string, string>> = {}): WireObject => ({
      metadata: { name: `${name}-${suffix}`, namespace: 'ops', uid: '', labels: own },
      spec: { containers, ...spec },
    });
    await this.#createRunning({ ...pod('mark', { nodeName: name }, labels), status: { phase: 'Running' } });
    const beside = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [beside] } };
    const tolerations = [{ key: BARRIER, operator: 'Exists' }];
    // The sentinel does not match its own affinity: then it could be placed on any node.
    const sentinel = pod('sentinel', { affinity, tolerations, nodeSelector: { 'kubernetes.io/hostname': name } });
    const path = inNamespace(sentinel, 'pods');
    await this.#api.expect({ method: 'POST', path, body: withoutUid(sentinel) });
    await eventually(
      `the scheduler binds a pod to ${name}: it fits nowhere else`,
      HANG_MS,
      async () => (await this.#find(path, sentinel.metadata.name))?.spec.nodeName === name,
    );
  }

  /** Creates a pending pod and returns its state after the scheduling attempt; null when the API server refuses the pod. */
  async schedule(pod: WireObject): Promise<ScheduledPod | null> {
    const path = inNamespace(pod, 'pods');
    const { status } = await this.#api.request({ method: 'POST', path, body: asUserWrites(pod) });
    if (status !== 201) return null;
    return eventually(
      `${pod.metadata.name} is bound or has its PodScheduled condition: the scheduler attempts every pod`,
      HANG_MS,
      async () => {
        const found = await this.#find(path, pod.metadata.name);
        return found !== undefined && (found.spec.nodeName !== undefined || scheduledCondition(found) !== undefined) ? found : false;
      },
    );
  }

  async remove(pod: WireObject): Promise<void> {
    await this.#api.expect({ method: 'DELETE', path: `${inNamespace(pod, 'pods')}/${pod.metadata.name}?gracePeriodSeconds=0` });
  }

  /** The objects that the API server stores. */
  async read(): Promise<WireCluster> {
    const list = async (path: string): Promise<readonly WireObject[]> =>
      (await this.#api.expect<{ readonly items: readonly WireObject[] }>({ path })).items;
    const [nodes, pods, namespaces, volumes, claims, storageClasses, csiNodes, csiDrivers, storageCapacities, volumeAttachments] =
      await Promise.all(
        [
          ...[COLLECTIONS.nodes, '/api/v1/pods', '/api/v1/namespaces', COLLECTIONS.volumes, '/api/v1/persistentvolumeclaims'],
          ...[
            COLLECTIONS.storageClasses,
            COLLECTIONS.csiNodes,
            '/apis/storage.k8s.io/v1/csidrivers',
            '/apis/storage.k8s.io/v1/csistoragecapacities',
          ],
          '/apis/storage.k8s.io/v1/volumeattachments',
        ].map(list),
      );
    return {
      ...{ nodes: nodes!, pods: pods!, namespaces: namespaces!, volumes: volumes!, claims: claims!, storageClasses: storageClasses! },
      ...{ csiNodes: csiNodes!, csiDrivers: csiDrivers!, storageCapacities: storageCapacities!, volumeAttachments: volumeAttachments! },
      ...{ pending: [], budgets: [] },
    };
  }

  /** Deletes all objects but those of `prepare`. */
  async clear(): Promise<void> {
    const { volumes, claims } = await this.read();
    const unprotect = { metadata: { finalizers: null } };
    for (const claim of claims) await this.#patch(`${inNamespace(claim, 'persistentvolumeclaims')}/${claim.metadata.name}`, unprotect);
    for (const volume of volumes) await this.#patch(`${COLLECTIONS.volumes}/${volume.metadata.name}`, unprotect);
    for (const namespace of NAMESPACES) {
      for (const resource of ['pods', 'persistentvolumeclaims'])
        await this.#api.expect({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/${resource}?gracePeriodSeconds=0` });
    }
    for (const path of Object.values(COLLECTIONS)) await this.#api.expect({ method: 'DELETE', path });
    await eventually('no object of the round is left: all were deleted, without finalizers', HANG_MS, async () => {
      const remaining = await this.read();
      return remaining.nodes.length + remaining.pods.length + remaining.claims.length + remaining.volumes.length === 0;
    });
  }

  async #createNode(node: WireObject): Promise<void> {
    await this.#createWithStatus(COLLECTIONS.nodes, node);
    const { taints = [] } = node['spec'] as { readonly taints?: readonly object[] };
    // A new node has the not-ready taint until the node lifecycle controller, which does not run, removes it.
    await this.#patch(`${COLLECTIONS.nodes}/${node.metadata.name}`, { spec: { taints } });
  }

  async #createRunning(pod: WireObject): Promise<void> {
    const path = inNamespace(pod, 'pods');
    if (!(await this.#create(path, asUserWrites(pod)))) return;
    const { containerStatuses, ...status } = pod['status'] as { readonly containerStatuses?: readonly object[] };
    const started =
      containerStatuses === undefined ? {} : { containerStatuses: containerStatuses.map((status) => ({ ...status, lastState: {} })) };
    await this.#patch(`${path}/${pod.metadata.name}/status`, { status: { ...status, ...started } });
    // With a grace period and without a kubelet it stays terminating.
    if (pod.metadata['deletionTimestamp'] !== undefined)
      await this.#api.request({ method: 'DELETE', path: `${path}/${pod.metadata.name}?gracePeriodSeconds=3600` });
  }

  async #createWithStatus(path: string, object: WireObject): Promise<void> {
    if (await this.#create(path, withoutUid(object)))
      await this.#patch(`${path}/${object.metadata.name}/status`, { status: object['status'] });
  }

  async #create(path: string, object: object): Promise<boolean> {
    return (await this.#api.request({ method: 'POST', path, body: object })).status === 201;
  }

  async #patch(path: string, body: object): Promise<void> {
    await this.#api.request({ method: 'PATCH', path, headers: JSON_MERGE, body });
  }

  async #find(path: string, name: string): Promise<ScheduledPod | undefined> {
    const { status, body } = await this.#api.request({ path: `${path}/${name}` });
    return status === 200 ? (body as ScheduledPod) : undefined;
  }
}

export function scheduledCondition({
  status,
}: ScheduledPod): { readonly status: string; readonly reason?: string; readonly message?: string } | undefined {
  return status.conditions?.find(({ type }) => type === 'PodScheduled');
}

function inNamespace({ metadata }: WireObject, resource: string): string {
  return `/api/v1/namespaces/${metadata.namespace ?? ''}/${resource}`;
}

function withoutUid(object: WireObject): object {
  const { uid: _uid, deletionTimestamp: _gone, finalizers: _kept, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Priority comes from a class here, and overhead from a runtime class; a user may not set either on a pod. */
function asUserWrites(pod: WireObject): object {
  const {
    priority = 0,
    preemptionPolicy: _policy,
    overhead: _overhead,
    ...spec
  } = pod['spec'] as { readonly priority?: number; readonly preemptionPolicy?: string; readonly overhead?: object };
  return { ...withoutUid(pod), spec: { ...spec, priorityClassName: classOf(priority) } };
}

function classOf(priority: number): string {
  return `priority-${priority < 0 ? 'minus-' : ''}${Math.abs(priority)}`;
}
