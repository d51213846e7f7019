import type { Instant } from '#kube/units';
import { runAtOnce, type Slices, type Steps } from '../lists/slices.ts';
import type { ReadSources } from '../sources.ts';
import { BudgetTally, type BudgetCounts } from './budget-tally.ts';

/** Lifetime of the counts: one second, and one more per 10,000 pods. */
const keptForMs = (pods: number): number => 1000 + pods / 10;

/** From this many pods on, callers that cannot wait get the last counts. */
const SLICED_FROM_PODS = 5_000;
const PODS_PER_STEP = 1_000;

/** Counts of the disruption budgets. A budget depends on the pods of its namespace by their labels, so the counts are renewed in a pass. */
export class BudgetTotals {
  readonly #sources: Pick<ReadSources, 'cluster' | 'clock'>;
  #counted: { readonly at: Instant; readonly pods: number; readonly counts: BudgetCounts } | null = null;
  #counting: Promise<void> | null = null;

  constructor(sources: Pick<ReadSources, 'cluster' | 'clock'>) {
    this.#sources = sources;
  }

  /** Renews the counts where their lifetime has passed. */
  async update(slices: Slices): Promise<void> {
    if (this.#isCurrent()) return;
    this.#counting ??= slices.run(this.#count()).finally(() => (this.#counting = null));
    await this.#counting;
  }

  /** The counts within their lifetime; of a large cluster those of the last update. */
  counts(): BudgetCounts {
    if (!this.#isCurrent() && (this.#counted === null || this.#counted.pods < SLICED_FROM_PODS)) runAtOnce(this.#count());
    return this.#counted?.counts ?? { total: 0, unsatisfiable: 0 };
  }

  #isCurrent(): boolean {
    if (this.#counted === null) return false;
    const age = this.#sources.clock.now() - this.#counted.at;
    return age >= 0 && age < keptForMs(this.#counted.pods);
  }

  *#count(): Steps {
    const { cluster, clock } = this.#sources;
    const at = clock.now();
    const tally = new BudgetTally(cluster);
    let pods = 0;
    if (tally.hasBudgets) {
      for (const pod of cluster.pods()) {
        if (++pods % PODS_PER_STEP === 0) yield;
        if (pod.phase !== 'Succeeded' && pod.phase !== 'Failed') tally.add(pod, cluster.workloadOf(pod));
      }
    }
    this.#counted = { at, pods, counts: tally.counts() };
  }
}
