import type { ContainerCounters } from '#kube/kubelet/kubelet-pages';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';
import { prometheusText, seriesLabels, type MetricFamily, type MetricSample } from './prometheus-text.ts';

/** `cpu.cfs_period_us`, as the kubelet sets it. */
const CFS_PERIOD_MS = 100;

/**
 * `/metrics/cadvisor`: CFS periods, OOM events, pressure and usage of each running container, and of its pod's cgroup, which has the same
 * labels with an empty label `container`.
 */
export class CadvisorMetricsPage {
  readonly #labels = new WeakMap<ContainerRuntime, { readonly containerId: string; readonly text: string }>();

  /** The series of the page that evidence needs, without its text. */
  counters(kubelet: Kubelet): readonly ContainerCounters[] {
    return measured(kubelet).map(({ pod, container }) => ({
      namespace: pod.namespace,
      pod: pod.name,
      container: container.name,
      instance: cgroupOf(pod, container),
      at: Math.floor(container.evaluatedAt),
      ...countsOf(container),
    }));
  }

  /** The page in the kubelet's text format. */
  print(kubelet: Kubelet): string {
    const containers = measured(kubelet);
    const family = (name: string, help: string, valueOf: (container: ContainerRuntime) => number | null, pods: MetricSample[] = []) => ({
      name: `container_${name}`,
      help,
      type: name.endsWith('_total') ? ('counter' as const) : ('gauge' as const),
      samples: [...pods, ...this.#samples(containers, valueOf)],
    });
    const families: MetricFamily[] = [
      family('cpu_cfs_periods_total', 'Number of elapsed enforcement period intervals.', (each) => countsOf(each).cpuPeriods),
      family('cpu_cfs_throttled_periods_total', 'Number of throttled period intervals.', (each) => countsOf(each).throttledPeriods),
      family('cpu_cfs_throttled_seconds_total', 'Total time duration the container has been throttled.', (each) =>
        each.limits.cpuMillicores === null ? null : each.throttledMs / 1000,
      ),
      family('cpu_usage_seconds_total', 'Cumulative cpu time consumed in seconds.', (each) => each.cpuCoreSeconds, podCpu(kubelet)),
      family('memory_working_set_bytes', 'Current working set in bytes.', (each) => Math.round(each.workingSetBytes)),
      family('oom_events_total', 'Count of out of memory events observed for the container', (each) => countsOf(each).oomEvents),
      ...(kubelet.hasPressureStats ? pressureFamilies(family) : []),
      family('start_time_seconds', 'Start time of the container since unix epoch in seconds.', (each) => (each.startedAt ?? 0) / 1000),
    ];
    return prometheusText(families);
  }

  #samples(containers: readonly Measured[], valueOf: (container: ContainerRuntime) => number | null): MetricSample[] {
    return containers.flatMap(({ pod, container }) => {
      const value = valueOf(container);
      return value === null ? [] : [{ labels: this.#labelsOf(pod, container), value, timestampMs: container.evaluatedAt }];
    });
  }

  #labelsOf(pod: PodRuntime, container: ContainerRuntime): string {
    const known = this.#labels.get(container);
    if (known?.containerId === container.containerId) return known.text;
    const { namespace, name } = pod;
    const id = cgroupOf(pod, container);
    const text = seriesLabels({
      container: container.name,
      id,
      image: container.spec.image,
      name: id.slice(id.lastIndexOf('/') + 1),
      namespace,
      pod: name,
    });
    this.#labels.set(container, { containerId: container.containerId, text });
    return text;
  }
}

interface Measured {
  readonly pod: PodRuntime;
  readonly container: ContainerRuntime;
}

function measured(kubelet: Kubelet): readonly Measured[] {
  const found: Measured[] = [];
  for (const pod of kubelet.pods()) {
    if (!pod.isReported) continue;
    for (const container of pod.containers) if (container.isRunning && container.curve !== null) found.push({ pod, container });
  }
  return found;
}

/** Of a cgroup; without a CPU quota it has no periods. */
function countsOf(container: ContainerRuntime): Pick<ContainerCounters, 'cpuPeriods' | 'throttledPeriods' | 'oomEvents'> {
  const limited = container.limits.cpuMillicores !== null;
  return {
    cpuPeriods: limited ? Math.floor(container.limitedMs / CFS_PERIOD_MS) : null,
    throttledPeriods: limited ? Math.floor(container.throttledMs / CFS_PERIOD_MS) : null,
    // An OOM kill of the container's only process removes its cgroup, and with it the counter.
    oomEvents: container.oomEvents,
  };
}

function pressureFamilies(
  family: (name: string, help: string, valueOf: (container: ContainerRuntime) => number | null) => MetricFamily,
): readonly MetricFamily[] {
  const waited = (what: string, of: (container: ContainerRuntime) => number): MetricFamily[] => {
    const stalled = `Total time duration no tasks in the container could make progress due to ${what} congestion.`;
    const waiting = `Total time duration tasks in the container have waited due to ${what} congestion.`;
    const name = `pressure_${what.toLowerCase()}`;
    return [
      family(`${name}_stalled_seconds_total`, stalled, (each) => of(each) / 1000),
      family(`${name}_waiting_seconds_total`, waiting, (each) => of(each) / 1000),
    ];
  };
  return [
    ...waited('CPU', (container) => container.cpuPressure.totalMs),
    ...waited('IO', () => 0),
    ...waited('memory', (container) => container.memoryPressure.totalMs),
  ];
}

function podCpu(kubelet: Kubelet): MetricSample[] {
  return [...kubelet.pods()]
    .filter((pod) => pod.isReported && pod.containers.some(({ isRunning }) => isRunning))
    .map((pod) => ({
      labels: seriesLabels({ container: '', id: podCgroup(pod), image: '', name: '', namespace: pod.namespace, pod: pod.name }),
      value: pod.cpuCoreSecondsAt(kubelet.evaluatedAt),
      timestampMs: kubelet.evaluatedAt,
    }));
}

function cgroupOf(pod: PodRuntime, { containerId }: ContainerRuntime): string {
  return `${podCgroup(pod)}/${containerId.slice(containerId.indexOf('//') + 2)}`;
}

/** The path of the cgroupfs driver; Guaranteed pods have no QoS parent. */
function podCgroup({ qosClass, uid }: PodRuntime): string {
  const parent = qosClass === 'Guaranteed' ? '' : `/${qosClass.toLowerCase()}`;
  return `/kubepods${parent}/pod${uid}`;
}
