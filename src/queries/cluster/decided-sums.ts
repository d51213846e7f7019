import type { RecommendationState } from '../../apis/conditions.ts';
import type { Cluster } from '../../apis/http/types.generated.ts';
import type { RecommendationStatus } from '../../apis/v1alpha1/index.ts';
import { toCents } from '../../core/cost/cents.ts';
import type { Usd } from '#kube/units';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { changedDecisions } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import type { ReadSources } from '../sources.ts';

/** States in which a change is due, waits or is under way. */
const OPEN_STATES: ReadonlySet<string> = new Set<RecommendationState>(['recommended', 'awaiting', 'applying', 'exception']);

/** What one decided workload adds to the sums. */
interface Row {
  /** Cents of savings that are open; null: its savings are unknown. */
  readonly openCents: number | null;
  readonly waitingPods: number | null;
}

/** Sums over the decided workloads, kept by adding and subtracting whole numbers. */
export class DecidedSums {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>;
  readonly #rows: KeptRows<WorkloadRecord, Row>;
  #openCents = 0;
  #priced = 0;
  #waitingWorkloads = 0;
  #waitingPods = 0;

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>) {
    this.#sources = sources;
    const { cluster, clock } = sources;
    this.#rows = new KeptRows({
      all: () => cluster.workloads(),
      find: (key) => cluster.findWorkload(key),
      keyOf: (workload) => workloadKey(workload),
      rowOf: (workload) => this.#rowOf(workload),
      replace: (before, after) => {
        this.#add(before, -1);
        this.#add(after, 1);
      },
      now: () => clock.now(),
      changed: changedDecisions(sources),
    });
  }

  /** Sum of the rounded cents of the records, so that a list of them adds up to it; null where no savings are known. */
  openSavings(): Usd | null {
    this.#rows.update();
    return this.#priced === 0 ? null : this.#openCents / 100;
  }

  /** null before the first decision. */
  waitingRaises(): Cluster['waitingForNodeCapacity'] {
    this.#rows.update();
    return this.#rows.size === 0 ? null : { workloads: this.#waitingWorkloads, pods: this.#waitingPods };
  }

  #rowOf(workload: WorkloadRecord): Row | null {
    const key = workloadKey(workload);
    const status: RecommendationStatus | undefined =
      this.#sources.cluster.findRecommendation(key)?.status ?? this.#sources.decisions.unpublished(key);
    if (status === undefined) return null;
    const { savingsPerMonthUsd: savings, state = '', waitingForNodeCapacity: waiting } = status;
    const cents = savings !== undefined && OPEN_STATES.has(state) ? Math.round(toCents(savings) * 100) : 0;
    return { openCents: savings === undefined ? null : cents, waitingPods: waiting?.pods ?? null };
  }

  #add(row: Row | null, sign: 1 | -1): void {
    if (row === null) return;
    if (row.openCents !== null) {
      this.#priced += sign;
      this.#openCents += sign * row.openCents;
    }
    if (row.waitingPods !== null) {
      this.#waitingWorkloads += sign;
      this.#waitingPods += sign * row.waitingPods;
    }
  }
}
