// Usage history from Prometheus: for each namespace a few range queries per day of history, in five-minute steps, one namespace at a time
// to limit the load.

import { type DurationMs, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, DAY_MS } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import type { WorkloadRef } from '#kube/records/workload';
import type { UsageHistorySource, UsageRange } from '../../ports/usage/usage-source.ts';
import { PrometheusFailure } from './client/failure.ts';
import { CPU, MEMORY, PERIODS, THROTTLED } from './metric-names.ts';
import { readOomKills, type OomKills } from './oom-kills.ts';
import { type OwnerLookup, readOwners } from './owners.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import type { RangeSeries } from './client/read-answer.ts';
import { containersIn, findSeriesNames, refOf, type SeriesNames } from './series-names.ts';

/** Time span of one query: 288 points per series, far below Prometheus' limit of 11,000. */
const CHUNK_MS: DurationMs = DAY_MS;
/** Minimum span of a split query. A query that is too much even for this span fails. */
const MIN_CHUNK_MS: DurationMs = HOUR_MS;
/** A rate over fewer scrapes has gaps. */
const SCRAPES_IN_WINDOW = 4;
const MIN_WINDOW_MS: DurationMs = 5 * MINUTE_MS;
const MAX_WINDOW_MS: DurationMs = 20 * MINUTE_MS;
const SCRAPES_SEEN_IN: DurationMs = 30 * MINUTE_MS;

export interface PrometheusHistoryDependencies {
  readonly client: PrometheusQueries;
  /** Owner of a pod without a kube-state-metrics series. */
  readonly ownerOf: (namespace: string, pod: string) => WorkloadRef | null;
  /** Also reads OOM kills and throttling, at the cost of more queries. */
  readonly withKills: boolean;
  /** Progress: `done` of `of` chunks of the namespace. */
  readonly onProgress?: (namespace: string, done: number, of: number) => void;
}

/** A range of time. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** Reads the usage history of containers. */
export class PrometheusHistorySource implements UsageHistorySource {
  readonly name = 'prometheus';
  readonly #dependencies: PrometheusHistoryDependencies;

  constructor(dependencies: PrometheusHistoryDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Series namespace by namespace (null: all with containers). A sample's memory is the maximum working set of its step. Rejects with
   * PrometheusFailure where a query fails after retries.
   */
  async *range({ from, to, stepSeconds, namespaces }: UsageRange, signal: AbortSignal): AsyncGenerator<UsageSeries> {
    const { client } = this.#dependencies;
    const stepMs = stepSeconds * SECOND_MS;
    const span = { from: Math.ceil(from / stepMs) * stepMs, to: Math.floor(to / stepMs) * stepMs };
    const names = await findSeriesNames(client, MEMORY, span, signal);
    const cpuNames = await findSeriesNames(client, CPU, span, signal);
    if (names === null && cpuNames === null) {
      throw new PrometheusFailure(
        'refused',
        `${client.shown} has neither ${CPU} nor ${MEMORY} of containers in the last ${Math.round((to - from) / DAY_MS)} days; let it scrape /metrics/cadvisor of the kubelets`,
      );
    }
    const windowMs = await this.#rateWindow(span, signal);
    for (const namespace of namespaces ?? (await this.namespaces(span, signal))) {
      yield* this.#ofNamespace(namespace, { span, stepSeconds, memory: names, cpu: cpuNames, windowMs }, signal);
    }
  }

  /** Namespaces with containers in a time span. */
  async namespaces(span: Span, signal: AbortSignal): Promise<readonly string[]> {
    const { client } = this.#dependencies;
    const names = await findSeriesNames(client, MEMORY, span, signal);
    if (names === null) return [];
    const containers = `${MEMORY}{${names.container}!="",${names.container}!="POD"}`;
    const found = await client.labelValues(names.namespace, containers, span.from, span.to, signal);
    return found.filter((name) => name !== '').sort();
  }

  async *#ofNamespace(namespace: string, plan: Plan, signal: AbortSignal): AsyncGenerator<UsageSeries> {
    const { client, withKills } = this.#dependencies;
    const { span, stepSeconds } = plan;
    const containers = new Map<string, ContainerPast>();
    const chunks = chunksOf(span, stepSeconds);
    for (const [index, chunk] of chunks.entries()) {
      this.#dependencies.onProgress?.(namespace, index, chunks.length);
      const of = (query: string | null) => (query === null ? [] : this.#rangeInParts(query, chunk, stepSeconds, signal));
      const [cpu, memory] = await Promise.all([of(cpuQuery(namespace, plan)), of(memoryQuery(namespace, plan))]);
      const throttled = withKills ? await of(throttledQuery(namespace, plan)) : [];
      for (const series of cpu) take(containers, series, plan.cpu, (sample, value) => (sample.cpuMillicores = value * 1000));
      for (const series of memory) take(containers, series, plan.memory, (sample, value) => (sample.memoryBytes = value));
      for (const series of throttled) {
        if (plan.cpu !== null && isKnown(containers, series, plan.cpu)) {
          take(containers, series, plan.cpu, (sample, value) => (sample.throttledRatio = Math.min(1, Math.max(0, value))));
        }
      }
    }
    if (containers.size === 0) return;
    const owners = await readOwners(client, namespace, span, signal);
    const kills = withKills
      ? await readOomKills(client, namespace, span, chunks, (query, chunk) => this.#rangeInParts(query, chunk, stepSeconds, signal), signal)
      : NO_KILLS;
    for (const past of containers.values()) yield this.#seriesOf(namespace, past, owners, kills, stepSeconds);
  }

  #seriesOf(
    namespace: string,
    { pod, container, samples }: ContainerPast,
    owners: OwnerLookup,
    kills: OomKills,
    stepSeconds: number,
  ): UsageSeries {
    return {
      namespace,
      pod,
      container,
      workload: owners(pod) ?? this.#dependencies.ownerOf(namespace, pod),
      stepSeconds,
      samples: [...samples.values()].sort((a, b) => a.at - b.at),
      oomKills: kills.get(`${pod}/${container}`) ?? [],
    };
  }

  /** A range query, split in halves while it is too much. */
  async #rangeInParts(query: string, chunk: Span, stepSeconds: number, signal: AbortSignal): Promise<readonly RangeSeries[]> {
    try {
      return await this.#dependencies.client.range(query, { ...chunk, stepSeconds }, signal);
    } catch (error) {
      const length = chunk.to - chunk.from;
      if (!(error instanceof PrometheusFailure) || error.kind !== 'too-much' || length < 2 * MIN_CHUNK_MS) throw error;
      const stepMs = stepSeconds * SECOND_MS;
      const middle = chunk.from + Math.floor(length / 2 / stepMs) * stepMs;
      const first = await this.#rangeInParts(query, { from: chunk.from, to: middle }, stepSeconds, signal);
      const second = await this.#rangeInParts(query, { from: middle + stepMs, to: chunk.to }, stepSeconds, signal);
      return [...first, ...second];
    }
  }

  async #rateWindow({ to }: Span, signal: AbortSignal): Promise<DurationMs> {
    const counted = await this.#dependencies.client.instant(
      `quantile(0.5, count_over_time(up{job=~".*(cadvisor|kubelet).*"}[${SCRAPES_SEEN_IN / MINUTE_MS}m]))`,
      to,
      signal,
    );
    const scrapes = counted[0]?.value ?? NaN;
    const interval = scrapes >= 1 ? SCRAPES_SEEN_IN / scrapes : MINUTE_MS;
    const window = Math.ceil((interval * SCRAPES_IN_WINDOW) / MINUTE_MS) * MINUTE_MS;
    return Math.min(Math.max(window, MIN_WINDOW_MS), MAX_WINDOW_MS);
  }
}

interface Plan {
  readonly span: Span;
  readonly stepSeconds: number;
  /** null where the metric is absent. The same holds for `memory`. */
  readonly cpu: SeriesNames | null;
  readonly memory: SeriesNames | null;
  readonly windowMs: DurationMs;
}

interface MutableSample {
  readonly at: Instant;
  cpuMillicores: number | null;
  memoryBytes: number | null;
  throttledRatio: number | null;
}

interface ContainerPast {
  readonly pod: string;
  readonly container: string;
  readonly samples: Map<Instant, MutableSample>;
}

const NO_KILLS: OomKills = new Map();

/** Takes the maximum of a series that is scraped twice, never the sum. */
function byContainer(names: SeriesNames, expression: string): string {
  return `max by (${names.pod},${names.container}) (${expression})`;
}

function cpuQuery(namespace: string, { cpu, windowMs }: Plan): string | null {
  return cpu === null ? null : byContainer(cpu, `rate(${CPU}{${containersIn(namespace, cpu)}}[${windowMs / SECOND_MS}s])`);
}

function memoryQuery(namespace: string, { memory, stepSeconds }: Plan): string | null {
  return memory === null ? null : byContainer(memory, `max_over_time(${MEMORY}{${containersIn(namespace, memory)}}[${stepSeconds}s])`);
}

function throttledQuery(namespace: string, { cpu, windowMs }: Plan): string | null {
  if (cpu === null) return null;
  const rate = (metric: string) => `rate(${metric}{${containersIn(namespace, cpu)}}[${windowMs / SECOND_MS}s])`;
  return byContainer(cpu, `${rate(THROTTLED)} / ${rate(PERIODS)}`);
}

/** A range query includes both ends, so each chunk starts one step after the previous. */
function chunksOf({ from, to }: Span, stepSeconds: number): Span[] {
  const stepMs = stepSeconds * SECOND_MS;
  const chunks: Span[] = [];
  for (let at = from; at <= to; at += CHUNK_MS) chunks.push({ from: at, to: Math.min(at + CHUNK_MS - stepMs, to) });
  return chunks;
}

function take(
  containers: Map<string, ContainerPast>,
  series: RangeSeries,
  names: SeriesNames | null,
  set: (sample: MutableSample, value: number) => void,
): void {
  if (names === null) return;
  const { pod, container } = refOf(series.labels, names);
  if (pod === '' || container === '') return;
  const key = `${pod}/${container}`;
  const past: ContainerPast = containers.get(key) ?? { pod, container, samples: new Map() };
  containers.set(key, past);
  for (const { at, value } of series.points) {
    if (value < 0) continue;
    const sample = past.samples.get(at) ?? { at, cpuMillicores: null, memoryBytes: null, throttledRatio: null };
    past.samples.set(at, sample);
    set(sample, value);
  }
}

function isKnown(containers: ReadonlyMap<string, ContainerPast>, series: RangeSeries, names: SeriesNames): boolean {
  const { pod, container } = refOf(series.labels, names);
  return containers.has(`${pod}/${container}`);
}
