import type { Counter, Gauge, Histogram, Labels, Metrics, MetricSpec } from '../../ports/metrics.ts';
import type { ElectionReply, MetricChange } from './messages.ts';

/** Posts changes of metrics to the main thread, which exports them. */
export class PostedMetrics implements Metrics {
  readonly #post: (reply: ElectionReply) => void;

  constructor(post: (reply: ElectionReply) => void) {
    this.#post = post;
  }

  counter(spec: MetricSpec): Counter {
    return { add: (value = 1, labels) => this.#change('counter', spec, value, labels) };
  }

  gauge(spec: MetricSpec): Gauge {
    return {
      set: (value, labels) => this.#change('gauge', spec, value, labels),
      remove: (labels) => this.#change('gauge', spec, null, labels),
    };
  }

  histogram(spec: MetricSpec): Histogram {
    return { observe: (value, labels) => this.#change('histogram', spec, value, labels) };
  }

  #change(kind: MetricChange['kind'], spec: MetricSpec, value: number | null, labels: Labels = {}): void {
    this.#post({ type: 'metric', change: { kind, spec, value, labels } });
  }
}

/** Applies a posted change in the main thread. */
export function applyChange(metrics: Metrics, { kind, spec, value, labels }: MetricChange): void {
  switch (kind) {
    case 'counter':
      metrics.counter(spec).add(value ?? 0, labels);
      break;
    case 'gauge':
      if (value === null) metrics.gauge(spec).remove(labels);
      else metrics.gauge(spec).set(value, labels);
      break;
    case 'histogram':
      metrics.histogram(spec).observe(value ?? 0, labels);
  }
}
