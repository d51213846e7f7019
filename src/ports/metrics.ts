export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(value?: number, labels?: Labels): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  /** Removes the series of a label combination; the series of a deleted object would otherwise be exported for ever. */
  remove(labels: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface MetricSpec {
  /** `evenkeel_<subsystem>_<noun>_<unit>[_total]`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Histograms only. */
  readonly buckets?: readonly number[];
}

/** Registers metrics. A spec that is registered already returns the same metric. */
export interface Metrics {
  counter(spec: MetricSpec): Counter;
  gauge(spec: MetricSpec): Gauge;
  histogram(spec: MetricSpec): Histogram;
}
