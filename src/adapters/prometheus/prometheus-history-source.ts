// The past of containers from Prometheus: for each namespace a few range queries a day of history, five-minute steps,
// one namespace after the other, so that it never has much of ours to do at a time.

import { type DurationMs, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, DAY_MS } from '#kube/units';
import type { UsageSeries } from '#kube/records/usage';
import type { WorkloadRef } from '#kube/records/workload';
import type { UsageHistorySource, UsageRange } from '../../ports/usage-source.ts';
import { PrometheusFailure } from './failure.ts';
import { CPU, MEMORY, PERIODS, THROTTLED } from './metric-names.ts';
import { oomKillsOf, type OomKills } from './oom-kills.ts';
import { type OwnerLookup, ownersIn } from './owners.ts';
import type { PrometheusQueries } from './prometheus-client.ts';
import type { RangeSeries } from './read-answer.ts';
import { containersIn, namesOf, refOf, type SeriesNames } from './series-names.ts';

/** Of one query: 288 points a series, far below the 11,000 that Prometheus allows. */
const CHUNK_MS: DurationMs = DAY_MS;
/** What is too much even over so short a time is too much. */
const MIN_CHUNK_MS: DurationMs = HOUR_MS;
/** A rate wants four scrapes in its window, or it has gaps. */
const SCRAPES_IN_WINDOW = 4;
const MIN_WINDOW_MS: DurationMs = 5 * MINUTE_MS;
const MAX_WINDOW_MS: DurationMs = 20 * MINUTE_MS;
const SCRAPES_SEEN_IN: DurationMs = 30 * MINUTE_MS;

export interface PrometheusHistoryDependencies {
  readonly client: PrometheusQueries;
  /** Owner of a pod for which kube-state-metrics has no series. */
  readonly ownerOf: (namespace: string, pod: string) => WorkloadRef | null;
  /** Asks for OOM kills and throttling, too; who only wants usage spares Prometheus the queries. */
  readonly withKills: boolean;
  /** How far it is, for who waits. */
  readonly onProgress?: (namespace: string, done: number, of: number) => void;
}

/** A range of time. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export class PrometheusHistorySource implements UsageHistorySource {
  readonly name = 'prometheus';
  readonly #dependencies: PrometheusHistoryDependencies;

  constructor(dependencies: PrometheusHistoryDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Series of each namespace (null: of all that have containers), namespace by namespace. Memory of a sample is the highest
   * working set of its step. Throws PrometheusFailure where a query fails for good.
   */
  async *range({ from, to, stepSeconds, namespaces }: UsageRange, signal: AbortSignal): AsyncGenerator<UsageSeries> {
    const { client } = this.#dependencies;
    const stepMs = stepSeconds * SECOND_MS;
    const span = { from: Math.ceil(from / stepMs) * stepMs, to: Math.floor(to / stepMs) * stepMs };
    const names = await namesOf(client, MEMORY, span, signal);
    const cpuNames = await namesOf(client, CPU, span, signal);
    if (names === null && cpuNames === null) {
      throw new PrometheusFailure(
        'refused',
        `${client.shown} knows neither ${CPU} nor ${MEMORY} by container in the last ${Math.round((to - from) / DAY_MS)} days; let it scrape /metrics/cadvisor of the kubelets`,
      );
    }
    const windowMs = await this.#rateWindow(span, signal);
    for (const namespace of namespaces ?? (await this.namespaces(span, signal))) {
      yield* this.#ofNamespace(namespace, { span, stepSeconds, memory: names, cpu: cpuNames, windowMs }, signal);
    }
  }

  /** Namespaces whose containers are known in a span of time. */
  async namespaces(span: Span, signal: AbortSignal): Promise<readonly string[]> {
    const { client } = this.#dependencies;
    const names = await namesOf(client, MEMORY, span, signal);
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
    const owners = await ownersIn(client, namespace, span, signal);
    const kills = withKills
      ? await oomKillsOf(client, namespace, span, chunks, (query, chunk) => this.#rangeInParts(query, chunk, stepSeconds, signal), signal)
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

  /** A range query; over half the time, and so on, where it is too much at once. */
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
  /** Null where the metric is not there. */
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

/** A series that is scraped twice counts once: the greatest of each moment, never their sum. */
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

/** Both ends of a range query are points of it: each chunk begins a step after the one before. */
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
