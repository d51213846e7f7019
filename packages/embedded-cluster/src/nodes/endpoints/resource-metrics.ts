import type { Instant } from '#kube/units';
import type { ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';
import { prometheusText, seriesLabels, type MetricFamily, type MetricSample } from './prometheus-text.ts';

/**
 * `/metrics/resource`: cumulative CPU and working set of the node and of every running container and pod, each with its time. Counters are
 * interpolated between the steps of the simulation.
 */
export class ResourceMetricsPage {
  readonly #podLabels = new WeakMap<PodRuntime, string>();
  readonly #containerLabels = new WeakMap<ContainerRuntime, string>();

  /** The series of the page that usage needs, without its text. */
  visit(kubelet: Kubelet, now: Instant, visitor: ResourceMetricsVisitor): void {
    for (const pod of kubelet.pods()) {
      if (!pod.isReported) continue;
      for (const container of pod.containers) {
        const { startedAt } = container;
        if (startedAt === null || container.curve === null) continue;
        const labels = this.#labelsOfContainer(pod, container);
        visitor.containerCpuSeconds(labels, container.cpuCoreSecondsAt(now), now);
        visitor.containerMemoryBytes(labels, Math.round(container.workingSetBytes), now);
        visitor.containerStart(labels, startedAt);
      }
    }
    visitor.nodeCpuSeconds(kubelet.cpuCoreSecondsAt(now), now);
    visitor.nodeMemoryBytes(Math.round(kubelet.workingSetBytes), now);
  }

  /** The page in the kubelet's text format. */
  print(kubelet: Kubelet, now: Instant): string {
    const containerCpu: MetricSample[] = [];
    const containerMemory: MetricSample[] = [];
    const containerStart: MetricSample[] = [];
    const podCpu: MetricSample[] = [];
    const podMemory: MetricSample[] = [];
    for (const pod of kubelet.pods()) {
      const measured = measuredContainers(pod);
      for (const container of measured) {
        const labels = this.#labelsOfContainer(pod, container);
        const startedAt = container.startedAt ?? now;
        containerCpu.push({ labels, value: container.cpuCoreSecondsAt(now), timestampMs: now });
        containerMemory.push({ labels, value: Math.round(container.workingSetBytes), timestampMs: now });
        containerStart.push({ labels, value: startedAt / 1000, timestampMs: startedAt });
      }
      if (measured.length === 0) continue;
      const labels = this.#labelsOfPod(pod);
      podCpu.push({ labels, value: pod.cpuCoreSecondsAt(now), timestampMs: now });
      podMemory.push({ labels, value: Math.round(pod.workingSetBytes()), timestampMs: now });
    }
    const nodeCpu = [{ labels: '', value: kubelet.cpuCoreSecondsAt(now), timestampMs: now }];
    const nodeMemory = [{ labels: '', value: Math.round(kubelet.workingSetBytes), timestampMs: now }];
    return prometheusText([
      family('container_cpu_usage_seconds_total', 'counter', cumulative('container'), containerCpu),
      family('container_memory_working_set_bytes', 'gauge', workingSet('container'), containerMemory),
      family('container_start_time_seconds', 'gauge', START_HELP, containerStart),
      family('node_cpu_usage_seconds_total', 'counter', cumulative('node'), nodeCpu),
      family('node_memory_working_set_bytes', 'gauge', workingSet('node'), nodeMemory),
      family('pod_cpu_usage_seconds_total', 'counter', cumulative('pod'), podCpu),
      family('pod_memory_working_set_bytes', 'gauge', workingSet('pod'), podMemory),
      family('resource_scrape_error', 'gauge', `[STABLE] ${SCRAPE_HELP}`, NO_ERROR),
      family('scrape_error', 'gauge', `[ALPHA] (Deprecated since 1.29.0) ${SCRAPE_HELP}`, NO_ERROR),
    ]);
  }

  #labelsOfPod(pod: PodRuntime): string {
    let labels = this.#podLabels.get(pod);
    if (labels === undefined) this.#podLabels.set(pod, (labels = seriesLabels({ namespace: pod.namespace, pod: pod.name })));
    return labels;
  }

  #labelsOfContainer(pod: PodRuntime, container: ContainerRuntime): string {
    let labels = this.#containerLabels.get(container);
    if (labels === undefined) {
      labels = seriesLabels({ container: container.name, namespace: pod.namespace, pod: pod.name });
      this.#containerLabels.set(container, labels);
    }
    return labels;
  }
}

const START_HELP = '[STABLE] Start time of the container since unix epoch in seconds';
const SCRAPE_HELP = '1 if there was an error while getting container metrics, 0 otherwise';
const NO_ERROR: readonly MetricSample[] = [{ labels: '', value: 0, timestampMs: null }];

/** Running containers with usage. */
function measuredContainers(pod: PodRuntime): readonly ContainerRuntime[] {
  return pod.isReported ? pod.containers.filter(({ startedAt, curve }) => startedAt !== null && curve !== null) : [];
}

function cumulative(what: string): string {
  return `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`;
}

function workingSet(what: string): string {
  return `[STABLE] Current working set of the ${what} in bytes`;
}

function family(name: string, type: MetricFamily['type'], help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, type, help, samples };
}
