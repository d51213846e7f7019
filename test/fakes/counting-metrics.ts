import type { Labels, Metrics, MetricSpec } from '../../src/ports/metrics.ts';

interface Sum {
  readonly name: string;
  readonly labels: Labels;
  value: number;
}

/** Metrics that a test can read: sums by name, over all or given labels. */
export class CountingMetrics implements Metrics {
  /** Sums by name and labels. The index keeps long benchmarks from measuring this fake. */
  readonly #sums = new Map<string, Sum>();

  counter(spec: MetricSpec): { add(value?: number, labels?: Labels): void } {
    return {
      add: (value = 1, labels = {}) => {
        const key = JSON.stringify([spec.name, labels]);
        const sum = this.#sums.get(key);
        if (sum === undefined) this.#sums.set(key, { name: spec.name, labels, value });
        else sum.value += value;
      },
    };
  }

  gauge(): { set(): void; remove(): void } {
    return { set: () => undefined, remove: () => undefined };
  }

  histogram(): { observe(): void } {
    return { observe: () => undefined };
  }

  total(name: string, labels: Labels = {}): number {
    return [...this.#sums.values()]
      .filter((sum) => sum.name === name && Object.entries(labels).every(([key, value]) => sum.labels[key] === value))
      .reduce((total, { value }) => total + value, 0);
  }
}
