import type { UsageSample } from '#kube/records/usage';
import { workloadKey } from '#kube/records/workload';
import type { Clock } from '../../../ports/clock.ts';
import type { CurrentUsage, UsageReader } from '../../../queries/sources.ts';
import type { UsageModel } from '../../../state/usage/usage-model.ts';

/** Older samples do not count as current. */
const FRESH_PERIODS = 2;

export interface UsageReaderDependencies {
  readonly usage: UsageModel;
  readonly sourceName: () => string;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Why usage is unknown, in which case every answer is null or empty; null where it is known. */
  readonly problem: () => string | null;
}

/** The usage model behind the port of the read models. */
export function usageReader({ usage, sourceName, clock, intervalMs, problem }: UsageReaderDependencies): UsageReader {
  const isKnown = (): boolean => problem() === null;
  const fresh = (sample: UsageSample | undefined): CurrentUsage | null => {
    if (sample === undefined || !isKnown()) return null;
    const until = sample.at + FRESH_PERIODS * intervalMs + 1;
    return clock.now() < until ? { cpuMillicores: sample.cpuMillicores, memoryBytes: sample.memoryBytes, until } : null;
  };
  return {
    changes: usage,
    source: () => (usage.confirmedAt() === 0 ? null : sourceName()),
    confirmedAt: () => (usage.confirmedAt() === 0 || !isKnown() ? null : usage.confirmedAt()),
    problem,
    containerUsage: (namespace, pod, container) => fresh(usage.containersOf(namespace, pod).get(container)),
    nodeUsage: (node) => fresh(usage.usedByNode(node) ?? undefined),
    nodeHistory: (node, from, to) => (isKnown() ? usage.graphs.nodeSeries(node, from, to) : null),
    workloadHistory: (workload, container, from, to) =>
      (isKnown() ? usage.graphs.series(workloadKey(workload), container, from, to) : []).map(
        ({ at, replicas, cpuMillicores, memoryBytes }) => ({
          at,
          replicas,
          cpuMillicores: cpuMillicores === null ? null : cpuMillicores / replicas,
          memoryBytes: memoryBytes === null ? null : memoryBytes / replicas,
        }),
      ),
    volumes: () => (isKnown() ? usage.volumes() : []),
  };
}
