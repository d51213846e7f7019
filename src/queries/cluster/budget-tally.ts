import type { DisruptionBudgetRecord } from '../../core/model/cluster-records.ts';
import { canBeSatisfied } from '../../core/model/disruption-budget.ts';
import type { PodRecord } from '#kube/records/pod';
import { workloadKey, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';

/** Disruption budgets that select any pod, and those of them that can never be satisfied. */
export interface BudgetCounts {
  readonly total: number;
  readonly unsatisfiable: number;
}

/**
 * Counts the desired replicas of each disruption budget's workloads. The status of a budget counts present pods instead, so it changes with
 * every rollout, restart and drain.
 */
export class BudgetTally {
  readonly #cluster: Pick<ClusterReader, 'budgets' | 'budgetsOf' | 'findWorkload'>;
  readonly hasBudgets: boolean;
  readonly #replicas = new Map<DisruptionBudgetRecord, number>();
  readonly #counted = new Set<WorkloadKey>();

  constructor(cluster: Pick<ClusterReader, 'budgets' | 'budgetsOf' | 'findWorkload'>) {
    this.#cluster = cluster;
    this.hasBudgets = [...cluster.budgets()].length > 0;
  }

  /** Counts a pod that has not completed. One pod counts for its whole workload, whose pods have the same labels. */
  add(pod: PodRecord, workload: WorkloadRef | undefined): void {
    if (!this.hasBudgets) return;
    const key = workload === undefined ? null : workloadKey(workload);
    if (key !== null && this.#counted.has(key)) return;
    // A CronJob, and a workload that is being scaled to zero, has pods but no desired replicas.
    const desired = key === null ? 0 : (this.#cluster.findWorkload(key)?.replicas.desired ?? 0);
    if (key !== null && desired > 0) this.#counted.add(key);
    for (const budget of this.#cluster.budgetsOf(pod)) this.#replicas.set(budget, (this.#replicas.get(budget) ?? 0) + Math.max(1, desired));
  }

  counts(): BudgetCounts {
    const unsatisfiable = [...this.#replicas].filter(([budget, replicas]) => !canBeSatisfied(budget, replicas));
    return { total: this.#replicas.size, unsatisfiable: unsatisfiable.length };
  }
}
