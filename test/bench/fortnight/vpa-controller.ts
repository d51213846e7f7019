// The rule of the Vertical Pod Autoscaler in Evenkeel's place, on the same API: its recommender gets the usage of metrics-server each
// minute and OOM kills, its updater evicts through the eviction API, and its admission sets the sizes of new pods. It has two advantages
// over its defaults: the memory of a container is the highest of its replicas, and it leaves CPU alone where an autoscaler targets CPU
// utilization, as its documentation recommends.

import { VPA_FLOORS, VpaRecommender, isUpdatedByVpa, type VpaRecommendation } from '../../../src/core/peers/vpa.ts';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Pod, WireContainer, WireResources } from '#embedded-cluster/controllers/wire/pod';
import { fromTimestamp } from '#embedded-cluster/api/timestamp';
import type { ClusterAccess } from '#embedded-cluster/api/cluster-access';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import type { FortnightWorkload } from './workloads.ts';

const METRICS_MS: DurationMs = MINUTE_MS;
/** VPA's updater runs each minute; every fifth run is enough for the same outcome. */
const UPDATER_MS: DurationMs = 5 * MINUTE_MS;
/** Highest share of a workload's pods that is evicted at a time; a single replica is not evicted. */
const EVICTION_TOLERANCE = 0.5;
const MIN_REPLICAS = 2;
/** An OOM kill this soon after the container's start is handled at once. */
const QUICK_OOM_MS: DurationMs = 10 * MINUTE_MS;

type Resource = 'cpu' | 'memory';
const RESOURCES: readonly Resource[] = ['cpu', 'memory'];

interface ContainerState {
  readonly cpu: VpaRecommender;
  readonly memory: VpaRecommender;
}

interface WorkloadState {
  readonly workload: FortnightWorkload;
  readonly containers: ReadonlyMap<string, ContainerState>;
}

/** `evict`: update mode Recreate. `in-place`: InPlaceOrRecreate of VPA 1.6, without its evictions. */
export type VpaMode = 'evict' | 'in-place';

/** Starts the autoscaler, which runs until the cluster closes. */
export function startVpa(cluster: EmbeddedCluster, workloads: readonly FortnightWorkload[], mode: VpaMode): void {
  new VpaController(cluster, workloads, mode).start();
}

class VpaController {
  readonly #cluster: EmbeddedCluster;
  readonly #access: ClusterAccess;
  readonly #mode: VpaMode;
  readonly #workloads: ReadonlyMap<string, WorkloadState>;
  /** Recorded kills, by pod, container and time. */
  readonly #kills = new Set<string>();
  readonly #quickOoms = new Set<string>();

  constructor(cluster: EmbeddedCluster, workloads: readonly FortnightWorkload[], mode: VpaMode) {
    this.#cluster = cluster;
    this.#mode = mode;
    this.#access = cluster.server.accessAs('vpa');
    this.#workloads = new Map(workloads.map((workload) => [keyOf(workload.namespace, workload.name), stateOf(workload)]));
  }

  start(): void {
    this.#access.onChange('pods', ({ type, object }) => {
      const pod = object as Pod;
      if (type === 'ADDED') this.#admit(pod);
      if (type === 'MODIFIED') this.#recordKills(pod);
    });
    this.#every(METRICS_MS, () => this.#observe());
    this.#every(UPDATER_MS, () => this.#update());
  }

  #every(periodMs: DurationMs, task: () => void): void {
    const { clock } = this.#cluster;
    const plan = (): void => {
      clock.schedule(clock.now() + periodMs, () => {
        task();
        plan();
      });
    };
    plan();
  }

  #stateOf(pod: Pod): WorkloadState | undefined {
    return this.#workloads.get(keyOf(pod.metadata.namespace ?? '', pod.metadata.labels?.['app'] ?? ''));
  }

  #observe(): void {
    for (const { namespace, labels, at, containers } of this.#cluster.nodes.metrics.podMetrics()) {
      const state = this.#workloads.get(keyOf(namespace, labels['app'] ?? ''));
      for (const { name, usage } of containers) {
        const containerState = state?.containers.get(name);
        containerState?.cpu.observe(at, usage.cpuNanocores / 1e6);
        containerState?.memory.observe(at, usage.memoryBytes);
      }
    }
  }

  #recordKills(pod: Pod): void {
    for (const status of pod.status.containerStatuses ?? []) {
      const ended = endOf(status['lastState']) ?? endOf(status.state);
      if (ended?.reason !== 'OOMKilled') continue;
      const key = `${pod.metadata.uid}/${status.name}/${ended.finishedAt}`;
      if (this.#kills.has(key)) continue;
      this.#kills.add(key);
      const container = pod.spec.containers.find(({ name }) => name === status.name);
      const containerState = this.#stateOf(pod)?.containers.get(status.name);
      if (container === undefined || containerState === undefined) continue;
      containerState.memory.observeOom(this.#cluster.clock.now(), amount(container.resources, 'requests', 'memory') ?? 0);
      if (instantOf(ended.finishedAt) - instantOf(ended.startedAt) < QUICK_OOM_MS) this.#quickOoms.add(pod.metadata.uid);
    }
  }

  /** VPA's webhook would change the pod before it is stored; here the pod changes before its node sees it. */
  #admit(pod: Pod): void {
    const state = this.#stateOf(pod);
    if (state !== undefined && pod.status.phase === 'Pending') this.#resize(state, pod);
  }

  #resize(state: WorkloadState, pod: Pod): void {
    const { namespace = '', name } = pod.metadata;
    this.#access.modifySubresource('pods', namespace, name, 'resize', (draft) => {
      for (const container of (draft as Pod).spec.containers) {
        for (const resource of RESOURCES) {
          const { target } = this.#recommendation(state, container.name, resource) ?? { target: null };
          if (target !== null) resizeTo(container, resource, target);
        }
      }
    });
  }

  #recommendation({ workload, containers }: WorkloadState, container: string, resource: Resource): VpaRecommendation | null {
    if (resource === 'cpu' && workload.hasHpa) return null;
    return containers.get(container)?.[resource].recommend() ?? null;
  }

  #update(): void {
    for (const state of this.#workloads.values()) {
      if (state.workload.kind !== 'CronJob') this.#updateWorkload(state);
    }
  }

  #updateWorkload(state: WorkloadState): void {
    const { namespace, name } = state.workload;
    const selector = { matchLabels: { app: name } };
    const pods = (this.#access.list('pods', { namespace, selector }) as Pod[]).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    if (this.#mode === 'in-place') {
      for (const pod of pods) if (pod.status.phase === 'Running' && this.#isActing(state, pod)) this.#resize(state, pod);
      return;
    }
    if (pods.length < MIN_REPLICAS) return;
    const running = pods.filter(({ status }) => status.phase === 'Running').length;
    const mustStay = pods.length - Math.floor(pods.length * EVICTION_TOLERANCE);
    const due = pods.filter((pod) => pod.status.phase === 'Running' && this.#isActing(state, pod));
    for (const pod of due.slice(0, Math.max(0, running - mustStay))) this.#evict(pod);
  }

  #isActing(state: WorkloadState, pod: Pod): boolean {
    const ageMs = this.#cluster.clock.now() - instantOf(pod.metadata.creationTimestamp);
    const quickOom = this.#quickOoms.has(pod.metadata.uid);
    return pod.spec.containers.some((container) =>
      RESOURCES.some((resource) => {
        const recommendation = this.#recommendation(state, container.name, resource);
        const request = amount(container.resources, 'requests', resource);
        if (recommendation === null || request === null) return false;
        return isUpdatedByVpa(request, recommendation, ageMs) || (quickOom && Math.abs(recommendation.target - request) > 1);
      }),
    );
  }

  #evict(pod: Pod): void {
    const { namespace = '', name } = pod.metadata;
    this.#quickOoms.delete(pod.metadata.uid);
    this.#access.createSubresource('pods', namespace, name, 'eviction', { metadata: { name } });
  }
}

function stateOf(workload: FortnightWorkload): WorkloadState {
  const share = (resource: Resource): number => VPA_FLOORS[resource] / workload.containers.length;
  const containers = workload.containers.map(
    (name) => [name, { cpu: new VpaRecommender('cpu', share('cpu')), memory: new VpaRecommender('memory', share('memory')) }] as const,
  );
  return { workload, containers: new Map(containers) };
}

/** Limits keep their ratio to the request. */
function resizeTo(container: WireContainer, resource: Resource, target: number): void {
  const [request, limit] = [amount(container.resources, 'requests', resource), amount(container.resources, 'limits', resource)];
  if (request === null || request <= 0) return;
  const text = (value: number): string => (resource === 'cpu' ? `${Math.ceil(value)}m` : `${Math.ceil(value)}`);
  container.resources = {
    requests: { ...container.resources?.requests, [resource]: text(target) },
    limits: { ...container.resources?.limits, ...(limit === null ? {} : { [resource]: text(Math.ceil(target) * (limit / request)) }) },
  };
}

function amount(resources: WireResources | undefined, list: 'requests' | 'limits', resource: Resource): number | null {
  const stated = resources?.[list]?.[resource];
  if (stated === undefined) return null;
  const parsed = resource === 'cpu' ? parseCpuMillicores(stated) : parseMemoryBytes(stated);
  return parsed.ok ? parsed.value : null;
}

interface Ended {
  readonly reason: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

function endOf(state: unknown): Ended | undefined {
  return (state as { readonly terminated?: Ended } | undefined)?.terminated;
}

function instantOf(timestamp: string | undefined): Instant {
  return timestamp === undefined ? 0 : fromTimestamp(timestamp);
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
