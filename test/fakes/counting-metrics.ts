import type { Labels, Metrics, MetricSpec } from '../../src/ports/metrics.ts';

/** Metrics that a test can read: sums by name, over all labels or those given. */
export class CountingMetrics implements Metrics {
  readonly #counts: { readonly name: string; readonly labels: Labels; value: number }[] = [];

  counter(spec: MetricSpec): { add(value?: number, labels?: Labels): void } {
    return { add: (value = 1, labels = {}) => void this.#counts.push({ name: spec.name, labels, value }) };
  }

  gauge(): { set(): void; remove(): void } {
    return { set: () => undefined, remove: () => undefined };
  }

  histogram(): { observe(): void } {
    return { observe: () => undefined };
  }

  total(name: string, labels: Labels = {}): number {
    return this.#counts
      .filter((count) => count.name === name && Object.entries(labels).every(([key, value]) => count.labels[key] === value))
      .reduce((sum, count) => sum + count.value, 0);
  }
}
