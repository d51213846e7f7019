import type { Instant } from '../../../core/model/units.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import { prometheusText, type MetricFamily, type MetricSample } from './prometheus-text.ts';

/**
 * `/metrics/resource` as a kubelet prints it: cumulative CPU and working set of the node and of every running container
 * and pod, each with its time. Counters go on between the simulator's steps.
 */
export function resourceMetrics(kubelet: Kubelet, now: Instant): string {
  const containerCpu: MetricSample[] = [];
  const containerMemory: MetricSample[] = [];
  const containerStart: MetricSample[] = [];
  const podCpu: MetricSample[] = [];
  const podMemory: MetricSample[] = [];
  for (const pod of kubelet.pods()) {
    if (pod.ended) continue;
    const podLabels = { namespace: pod.namespace, pod: pod.name };
    let runs = false;
    for (const container of pod.containers) {
      if (container.startedAt === null || container.curve === null) continue;
      runs = true;
      const labels = { container: container.name, ...podLabels };
      containerCpu.push({ labels, value: container.cpuCoreSecondsAt(now), timestampMs: now });
      containerMemory.push({ labels, value: Math.round(container.workingSetBytes), timestampMs: now });
      containerStart.push({ labels, value: container.startedAt / 1000, timestampMs: container.startedAt });
    }
    if (!runs) continue;
    podCpu.push({ labels: podLabels, value: pod.cpuCoreSecondsAt(now), timestampMs: now });
    podMemory.push({ labels: podLabels, value: Math.round(pod.workingSetBytes()), timestampMs: now });
  }
  const nodeCpu = [{ labels: {}, value: kubelet.cpuCoreSecondsAt(now), timestampMs: now }];
  const nodeMemory = [{ labels: {}, value: Math.round(kubelet.workingSetBytes), timestampMs: now }];
  const none = [{ labels: {}, value: 0, timestampMs: null }];
  const cumulative = (what: string): string => `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`;
  const workingSet = (what: string): string => `[STABLE] Current working set of the ${what} in bytes`;
  const start = '[STABLE] Start time of the container since unix epoch in seconds';
  const scrape = '1 if there was an error while getting container metrics, 0 otherwise';
  return prometheusText([
    family('container_cpu_usage_seconds_total', 'counter', cumulative('container'), containerCpu),
    family('container_memory_working_set_bytes', 'gauge', workingSet('container'), containerMemory),
    family('container_start_time_seconds', 'gauge', start, containerStart),
    family('node_cpu_usage_seconds_total', 'counter', cumulative('node'), nodeCpu),
    family('node_memory_working_set_bytes', 'gauge', workingSet('node'), nodeMemory),
    family('pod_cpu_usage_seconds_total', 'counter', cumulative('pod'), podCpu),
    family('pod_memory_working_set_bytes', 'gauge', workingSet('pod'), podMemory),
    family('resource_scrape_error', 'gauge', `[STABLE] ${scrape}`, none),
    family('scrape_error', 'gauge', `[ALPHA] (Deprecated since 1.29.0) ${scrape}`, none),
  ]);
}

function family(name: string, type: MetricFamily['type'], help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, type, help, samples };
}
