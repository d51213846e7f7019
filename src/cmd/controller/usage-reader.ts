import type { OptionalResources } from '../../core/model/resources.ts';
import type { UsageSample } from '../../core/model/usage.ts';
import { workloadKey } from '../../core/model/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import type { UsageReader } from '../../queries/sources.ts';
import type { UsageModel } from '../../state/usage-model.ts';

/** Past this age a sample does not stand for now. */
const FRESH_PERIODS = 2;

/** The usage model as the read models ask it. */
export function usageReader(usage: UsageModel, sourceName: string, clock: Clock, intervalMs: number): UsageReader {
  const fresh = (sample: UsageSample | undefined): OptionalResources | null => {
    if (sample === undefined || clock.now() - sample.at > FRESH_PERIODS * intervalMs) return null;
    return { cpuMillicores: sample.cpuMillicores, memoryBytes: sample.memoryBytes };
  };
  return {
    source: () => (usage.confirmedAt() === 0 ? null : sourceName),
    confirmedAt: () => (usage.confirmedAt() === 0 ? null : usage.confirmedAt()),
    containerUsage: (namespace, pod, container) => fresh(usage.containersOf(namespace, pod).get(container)),
    nodeUsage: (node) => fresh(usage.usedByNode(node) ?? undefined),
    nodeHistory: (node, from, to) => usage.nodeSeries(node, from, to),
    workloadHistory: (workload, container, from, to) =>
      usage.series(workloadKey(workload), container, from, to).map(({ at, replicas, cpuMillicores, memoryBytes }) => ({
        at,
        replicas,
        cpuMillicores: cpuMillicores === null ? null : cpuMillicores / replicas,
        memoryBytes: memoryBytes === null ? null : memoryBytes / replicas,
      })),
    volumes: () => usage.volumes(),
  };
}
