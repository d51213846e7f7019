import type { SeriesSet, Operations } from '../../apis/http/types.generated.ts';
import type { OptionalResources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import type { UsagePoint } from '../../ports/usage/usage-rollups.ts';
import { resolveWorkload, type WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { found, type Found } from '../outcome.ts';
import type { RecommendationQueries } from './recommendations.ts';
import type { Scope } from '../../core/access/scope.ts';
import { seriesSet, appendPresent, type Line } from '../series.ts';
import type { ReadSources } from '../sources.ts';
import { endOfLastStep, readTimeRange, type TimeRange } from '../time-range.ts';
import { VIEWER_OF_TARGET } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

/** `/workloads/{ns}/{name}/usage`: mean usage of a replica by container, and the number of replicas. */
export class WorkloadUsageQueries {
  readonly #sources: ReadSources;
  readonly #recommendations: RecommendationQueries;

  constructor(sources: ReadSources, recommendations: RecommendationQueries) {
    this.#sources = sources;
    this.#recommendations = recommendations;
  }

  async get(
    scope: Scope,
    target: { readonly namespace: string; readonly name: string; readonly kind?: string | undefined },
    query: { readonly duration: string; readonly step?: string },
  ): Promise<Found<SeriesSet> | Refusal> {
    const resolved = resolveWorkload(this.#sources.cluster, scope, target);
    if (resolved.kind !== 'workload') return resolved;
    const range = readTimeRange(query, this.#sources.clock.now());
    if ('details' in range) return { kind: 'invalid', details: range.details };
    const { workload } = resolved;
    try {
      const keyPrefix = `${workloadKey(workload)}/`;
      const points = await this.#sources.rollups.readUsage({ keyPrefix, from: range.start, to: endOfLastStep(range) });
      return found(seriesSet(range, this.#lines(workload, range, points, keyPrefix)));
    } catch (error) {
      this.#sources.logger.warn('Reading history failed', { err: error });
      const warning = { code: 'history_unavailable', message: 'The history store cannot be reached, so past usage is not shown.' };
      return found(seriesSet(range, this.#lines(workload, range, [], '')), [warning]);
    }
  }

  #lines(workload: WorkloadRecord, range: TimeRange, points: readonly UsagePoint[], keyPrefix: string): readonly Line[] {
    const record = this.#recommendations.record(workload);
    const containers = record.containers.map((container) => container.name);
    const byContainer = new Map<string, UsagePoint[]>(containers.map((name) => [name, []]));
    for (const point of points) byContainer.get(point.key.slice(keyPrefix.length))?.push(point);
    const lines = record.containers.flatMap((container): Line[] => {
      const past = this.#past(workload, range, container.name, byContainer.get(container.name) ?? []);
      return [
        ...pair(
          'used',
          container.name,
          past.map(({ at, cpuMillicores, memoryBytes }) => ({ at, cpuMillicores, memoryBytes })),
        ),
        ...pair('requested', container.name, [{ at: range.end, ...container.current.requests }]),
        ...pair('limit', container.name, [{ at: range.end, ...container.current.limits }]),
        ...pair('recommended', container.name, [{ at: range.end, ...container.recommended.requests }]),
      ];
    });
    const pasts = containers.map((container) => this.#past(workload, range, container, byContainer.get(container) ?? []));
    const longest = pasts.reduce<readonly Past[]>((best, each) => (each.length > best.length ? each : best), []);
    const replicas = appendPresent(
      range,
      longest.map(({ at, replicas: value }) => ({ at, value })),
      { at: range.end, value: workload.replicas.current },
    );
    return [...lines, { name: 'replicas', unit: 'count', labels: {}, samples: replicas }];
  }

  /** Points of the store, completed by those in memory, so that an outage of the store leaves no gap in the last day. */
  #past(workload: WorkloadRecord, range: TimeRange, container: string, stored: readonly UsagePoint[]): readonly Past[] {
    const inMemory = this.#sources.usage.workloadHistory(workload, container, range.start, endOfLastStep(range));
    const storedTimes = new Set(stored.map((point) => point.at));
    return [...stored.map(perReplica), ...inMemory.filter((slot) => !storedTimes.has(slot.at))];
  }
}

/** Mean per replica: the store has the sum of all replicas. */
function perReplica({ at, cpuMillicores, memoryBytes, replicas }: UsagePoint): Past {
  const share = (sum: number | null): number | null => (sum === null ? null : sum / Math.max(1, replicas));
  return { at, cpuMillicores: share(cpuMillicores), memoryBytes: share(memoryBytes), replicas };
}

type Past = OptionalResources & { readonly at: Instant; readonly replicas: number };

function pair(name: string, container: string, samples: readonly (OptionalResources & { readonly at: number })[]): readonly Line[] {
  return [
    {
      name,
      unit: 'millicores',
      labels: { container, resource: 'cpu' },
      samples: samples.map(({ at, cpuMillicores }) => ({ at, value: cpuMillicores })),
    },
    {
      name,
      unit: 'bytes',
      labels: { container, resource: 'memory' },
      samples: samples.map(({ at, memoryBytes }) => ({ at, value: memoryBytes })),
    },
  ];
}

export const getWorkloadUsage = defineQuery({
  requires: VIEWER_OF_TARGET,
  answer: (
    { workloadUsage }: { readonly workloadUsage: WorkloadUsageQueries },
    scope,
    { target, ...range }: { readonly target: WorkloadTarget } & Pick<Operations['getWorkloadUsage']['query'], 'duration' | 'step'>,
  ) => workloadUsage.get(scope, target, range),
});
