import { GiB, type Instant } from '#kube/units';
import { toTimestamp } from '../../api/timestamp.ts';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';
import type { Pressure } from '../kubelet/pressure.ts';
import { volumeFill } from './volume-usage.ts';

const NODE_DISK_BYTES = 100 * GiB;

type PressureStats = Pick<Pressure, 'totalMs' | 'avg10' | 'avg60' | 'avg300'>;
const NO_PRESSURE: PressureStats = { totalMs: 0, avg10: 0, avg60: 0, avg300: 0 };

/** `/stats/summary` in the kubelet's format: node, pods with containers, network counters, and a volume for each claim. */
export function statsSummary(kubelet: Kubelet, now: Instant): object {
  const time = toTimestamp(now);
  const pods = [...kubelet.pods()].filter((pod) => pod.isReported && pod.containers.some((container) => container.isRunning));
  return {
    node: {
      nodeName: kubelet.name,
      startTime: toTimestamp(kubelet.startedAt),
      cpu: withPsi(kubelet, kubelet.cpuPressure, cpuStats(kubelet.grantedMillicores, kubelet.cpuCoreSecondsAt(now), time)),
      memory: withPsi(kubelet, kubelet.memoryPressure, memoryStats(kubelet.workingSetBytes, kubelet.capacity.memoryBytes, time)),
      ...ioStats(kubelet, time),
      network: networkStats(kubelet.cpuCoreSecondsAt(now) * 1e6, time),
      fs: fileSystem(NODE_DISK_BYTES, NODE_DISK_BYTES * 0.2, time),
      runtime: { imageFs: fileSystem(NODE_DISK_BYTES, NODE_DISK_BYTES * 0.1, time) },
    },
    pods: pods.map((pod) => podStats(kubelet, pod, now, time)),
  };
}

function podStats(kubelet: Kubelet, pod: PodRuntime, now: Instant, time: string): object {
  const running = pod.containers.filter((container) => container.isRunning && container.curve !== null);
  const granted = running.reduce((sum, container) => sum + container.grantedMillicores, 0);
  const coreSeconds = pod.cpuCoreSecondsAt(now);
  return {
    podRef: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
    startTime: toTimestamp(pod.startTime ?? now),
    containers: running.map((container) => containerStats(kubelet, container, now, time)),
    cpu: withPsi(kubelet, greatest(running.map(({ cpuPressure }) => cpuPressure)), cpuStats(granted, coreSeconds, time)),
    memory: withPsi(kubelet, greatest(running.map(({ memoryPressure }) => memoryPressure)), memoryStats(pod.workingSetBytes(), null, time)),
    ...ioStats(kubelet, time),
    network: networkStats(coreSeconds * pod.networkBytesPerCoreSecond, time),
    volume: volumeStats(kubelet, pod, now, time),
  };
}

function containerStats(kubelet: Kubelet, container: ContainerRuntime, now: Instant, time: string): object {
  return {
    name: container.name,
    startTime: toTimestamp(container.startedAt ?? now),
    cpu: withPsi(kubelet, container.cpuPressure, cpuStats(container.grantedMillicores, container.cpuCoreSecondsAt(now), time)),
    memory: withPsi(
      kubelet,
      container.memoryPressure,
      memoryStats(container.workingSetBytes, container.limits.memoryBytes, time, container.unreclaimableBytes),
    ),
    ...ioStats(kubelet, time),
  };
}

/** Statistics of one resource, by the names of the page. */
interface TimedStats extends Record<string, unknown> {
  readonly time: string;
}

function cpuStats(millicores: number, coreSeconds: number, time: string): TimedStats {
  return { time, usageNanoCores: Math.round(millicores * 1e6), usageCoreNanoSeconds: Math.round(coreSeconds * 1e9) };
}

function memoryStats(workingSetBytes: number, limitBytes: number | null, time: string, ownBytes = Infinity): TimedStats {
  const workingSet = Math.round(workingSetBytes);
  const stats = {
    time,
    // Reclaimable page cache counts as usage but not as working set.
    usageBytes: Math.round(workingSet * 1.12),
    workingSetBytes: workingSet,
    rssBytes: Math.round(Math.min(workingSet * 0.9, ownBytes)),
    pageFaults: 0,
    majorPageFaults: 0,
  };
  return limitBytes === null ? stats : { ...stats, availableBytes: Math.max(0, Math.round(limitBytes - workingSet)) };
}

/** The statistics with pressure, or unchanged for a kubelet that does not measure it. `total` in nanoseconds, averages in percent. */
function withPsi(kubelet: Kubelet, { totalMs, avg10, avg60, avg300 }: Readonly<PressureStats>, stats: TimedStats): object {
  if (!kubelet.hasPressureStats) return stats;
  const data = { total: Math.round(totalMs * 1e6), avg10: percent(avg10), avg60: percent(avg60), avg300: percent(avg300) };
  stats['psi'] = { full: data, some: data };
  return stats;
}

function percent(ratio: number): number {
  return Math.round(ratio * 10_000) / 100;
}

/** A pod waits as long as the container that waits the longest. */
function greatest(pressures: readonly PressureStats[]): PressureStats {
  return pressures.reduce((most, each) => (each.totalMs > most.totalMs ? each : most), NO_PRESSURE);
}

/** Disks are never full here. */
function ioStats(kubelet: Kubelet, time: string): object {
  return kubelet.hasPressureStats ? { io: withPsi(kubelet, NO_PRESSURE, { time }) } : {};
}

function networkStats(bytes: number, time: string): object {
  const counters = { name: 'eth0', rxBytes: Math.round(bytes), rxErrors: 0, txBytes: Math.round(bytes * 1.4), txErrors: 0 };
  return { time, ...counters, interfaces: [counters] };
}

function volumeStats(kubelet: Kubelet, pod: PodRuntime, now: Instant, time: string): object[] {
  const { cluster, seed } = kubelet.dependencies;
  return (pod.object.spec.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName;
    const fill = name === undefined ? null : volumeFill(cluster, seed, pod.namespace, name, now);
    if (fill === null) return [];
    return [
      {
        ...fileSystem(fill.capacityBytes, fill.usedBytes, time),
        inodes: fill.inodes,
        inodesFree: fill.inodes - fill.inodesUsed,
        inodesUsed: fill.inodesUsed,
        name: volume.name,
        pvcRef: { name, namespace: pod.namespace },
      },
    ];
  });
}

function fileSystem(capacityBytes: number, usedBytes: number, time: string): Record<string, unknown> {
  const used = Math.round(usedBytes);
  return { time, availableBytes: capacityBytes - used, capacityBytes, usedBytes: used };
}
