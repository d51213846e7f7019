import client from 'prom-client';
import type { Counter, Gauge, Histogram, Labels, Metrics, MetricSpec } from '../ports/metrics.ts';

/** A metric of Evenkeel, without those of the process. */
export interface ExportedMetric extends MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
}

/** Gauges of prom-client with the suffix of counters, which promtool rejects; each duplicates a gauge with the label `type`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics in a separate registry: prom-client's global one would mix the metrics of parallel tests. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new client.Registry();
  readonly #metrics = new Map<string, { readonly exported: ExportedMetric; readonly metric: Counter | Gauge | Histogram }>();

  /** Also exports CPU, memory, event loop and garbage collection of the process. */
  collectProcessMetrics(): void {
    client.collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  counter(spec: MetricSpec): Counter {
    return this.#getOrCreate('counter', spec, () => {
      const counter = new client.Counter({ ...base(spec), registers: [this.#registry] });
      return { add: (value = 1, labels: Labels = {}) => counter.inc(labels, value) };
    });
  }

  gauge(spec: MetricSpec): Gauge {
    return this.#getOrCreate('gauge', spec, () => {
      const gauge = new client.Gauge({ ...base(spec), registers: [this.#registry] });
      return { set: (value: number, labels: Labels = {}) => gauge.set(labels, value), remove: (labels: Labels) => gauge.remove(labels) };
    });
  }

  histogram(spec: MetricSpec): Histogram {
    return this.#getOrCreate('histogram', spec, () => {
      const buckets = spec.buckets === undefined ? {} : { buckets: [...spec.buckets] };
      const histogram = new client.Histogram({ ...base(spec), ...buckets, registers: [this.#registry] });
      return { observe: (value: number, labels: Labels = {}) => histogram.observe(labels, value) };
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The Prometheus text format. */
  expose(): Promise<string> {
    return this.#registry.metrics();
  }

  /** All metrics of Evenkeel that exist so far, for the generated documentation. */
  exported(): readonly ExportedMetric[] {
    return [...this.#metrics.values()].map(({ exported }) => exported);
  }

  #getOrCreate<M extends Counter | Gauge | Histogram>(type: ExportedMetric['type'], spec: MetricSpec, create: () => M): M {
    const existing = this.#metrics.get(spec.name);
    if (existing !== undefined) return existing.metric as M;
    const metric = create();
    this.#metrics.set(spec.name, { exported: { ...spec, type }, metric });
    return metric;
  }
}

function base(spec: MetricSpec): { name: string; help: string; labelNames: string[] } {
  return { name: spec.name, help: spec.help, labelNames: [...(spec.labels ?? [])] };
}

const NOTHING = { add: () => undefined, set: () => undefined, remove: () => undefined, observe: () => undefined };

/** Exports nothing, for tests and tools. */
export const NO_METRICS: Metrics = { counter: () => NOTHING, gauge: () => NOTHING, histogram: () => NOTHING };
