import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { MetricsProvider, NodeMetrics, PodMetrics } from '../../api/providers.ts';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { Kubelets } from '../kubelet/kubelets.ts';
import { asPod } from '../kubelet/pods/pod-spec.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';
import { USAGE_STEP_MS } from '../load/usage-engine.ts';

/** metrics-server needs two scrapes before it reports a container. */
const FIRST_MEASURE_MS: DurationMs = 15 * SECOND_MS;

/** metrics.k8s.io from the kubelets: usage of each container in the current step. */
export class NodeUsageMetrics implements MetricsProvider {
  readonly #kubelets: Pick<Kubelets, 'all' | 'find'>;
  readonly #cluster: Pick<ClusterAccess, 'get'>;
  readonly #clock: Clock;

  constructor(kubelets: Pick<Kubelets, 'all' | 'find'>, cluster: Pick<ClusterAccess, 'get'>, clock: Clock) {
    this.#kubelets = kubelets;
    this.#cluster = cluster;
    this.#clock = clock;
  }

  nodeMetrics(name?: string): readonly NodeMetrics[] {
    const at = this.#clock.now();
    return this.#chosen(name).map((kubelet) => ({
      name: kubelet.name,
      labels: kubelet.node.metadata.labels ?? {},
      at,
      windowSeconds: USAGE_STEP_MS / SECOND_MS,
      usage: { cpuNanocores: Math.round(kubelet.grantedMillicores * 1e6), memoryBytes: Math.round(kubelet.workingSetBytes) },
    }));
  }

  podMetrics(namespace?: string, name?: string): readonly PodMetrics[] {
    if (namespace !== undefined && name !== undefined) return this.#measured(this.#findPod(namespace, name));
    const found: PodMetrics[] = [];
    for (const kubelet of this.#kubelets.all()) {
      for (const pod of kubelet.pods()) {
        if ((namespace === undefined || pod.namespace === namespace) && (name === undefined || pod.name === name))
          found.push(...this.#measured(pod));
      }
    }
    return found;
  }

  /** Looked up by its node: an autoscaler reads its pods one by one, and a cluster has thousands. */
  #findPod(namespace: string, name: string): PodRuntime | undefined {
    const object = this.#cluster.get('pods', namespace, name);
    if (object === undefined) return undefined;
    return this.#kubelets.find(asPod(object).spec.nodeName ?? '')?.findPod(object.metadata.uid);
  }

  #measured(pod: PodRuntime | undefined): readonly PodMetrics[] {
    if (pod?.isReported !== true) return [];
    const at = this.#clock.now();
    const containers = measuredContainers(pod, at);
    if (containers.length === 0) return [];
    const { namespace, name, object } = pod;
    return [{ namespace, name, labels: object.metadata.labels ?? {}, at, windowSeconds: USAGE_STEP_MS / SECOND_MS, containers }];
  }

  #chosen(name: string | undefined): readonly Kubelet[] {
    if (name === undefined) return [...this.#kubelets.all()];
    const kubelet = this.#kubelets.find(name);
    return kubelet === undefined ? [] : [kubelet];
  }
}

function measuredContainers(pod: PodRuntime, at: Instant): PodMetrics['containers'] {
  const measured: PodMetrics['containers'][number][] = [];
  for (const { name, startedAt, curve, grantedMillicores, workingSetBytes } of pod.containers) {
    if (startedAt === null || curve === null || at - startedAt < FIRST_MEASURE_MS) continue;
    measured.push({ name, usage: { cpuNanocores: Math.round(grantedMillicores * 1e6), memoryBytes: Math.round(workingSetBytes) } });
  }
  return measured;
}
