import client from 'prom-client';
import type { Counter, Gauge, Histogram, Labels, Metrics, MetricSpec } from '../ports/metrics.ts';

/** A metric of ours as it is exported. */
export interface ExportedMetric extends MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
}

/** Gauges of prom-client whose names end as only a counter's may: promtool refuses them, and each has a twin by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics in a registry of its own (prom-client's global one would join what tests run side by side). */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new client.Registry();
  readonly #made = new Map<string, { readonly exported: ExportedMetric; readonly metric: Counter | Gauge | Histogram }>();

  /** Also exports the process's own figures (CPU, memory, event loop, garbage collection). */
  collectProcessMetrics(): void {
    client.collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  counter(spec: MetricSpec): Counter {
    return this.#once('counter', spec, () => {
      const counter = new client.Counter({ ...base(spec), registers: [this.#registry] });
      return { add: (value = 1, labels: Labels = {}) => counter.inc(labels, value) };
    });
  }

  gauge(spec: MetricSpec): Gauge {
    return this.#once('gauge', spec, () => {
      const gauge = new client.Gauge({ ...base(spec), registers: [this.#registry] });
      return { set: (value: number, labels: Labels = {}) => gauge.set(labels, value), remove: (labels: Labels) => gauge.remove(labels) };
    });
  }

  histogram(spec: MetricSpec): Histogram {
    return this.#once('histogram', spec, () => {
      const buckets = spec.buckets === undefined ? {} : { buckets: [...spec.buckets] };
      const histogram = new client.Histogram({ ...base(spec), ...buckets, registers: [this.#registry] });
      return { observe: (value: number, labels: Labels = {}) => histogram.observe(labels, value) };
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The text that Prometheus scrapes. */
  expose(): Promise<string> {
    return this.#registry.metrics();
  }

  /** All metrics of ours that were asked for so far, for the documented list. */
  exported(): readonly ExportedMetric[] {
    return [...this.#made.values()].map(({ exported }) => exported);
  }

  #once<M extends Counter | Gauge | Histogram>(type: ExportedMetric['type'], spec: MetricSpec, make: () => M): M {
    const known = this.#made.get(spec.name);
    if (known !== undefined) return known.metric as M;
    const metric = make();
    this.#made.set(spec.name, { exported: { ...spec, type }, metric });
    return metric;
  }
}

function base(spec: MetricSpec): { name: string; help: string; labelNames: string[] } {
  return { name: spec.name, help: spec.help, labelNames: [...(spec.labels ?? [])] };
}

const NOTHING = { add: () => undefined, set: () => undefined, remove: () => undefined, observe: () => undefined };

/** For tests and tools that want none. */
export const NO_METRICS: Metrics = { counter: () => NOTHING, gauge: () => NOTHING, histogram: () => NOTHING };
