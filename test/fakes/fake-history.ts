import type { ResizeCycle, ResizeCycleReader } from '../../src/ports/resize-cycle-log.ts';
import type { AppliedValue, TimelineReader } from '../../src/ports/timeline.ts';
import type { ClusterPoint, UsagePoint, UsageRollupReader } from '../../src/ports/usage-rollups.ts';
import { workloadKey, type WorkloadRef } from '../../src/core/model/workload.ts';

/** The reads of a history that a test writes down; `away` makes every read reject. */
export class FakeHistory implements ResizeCycleReader, TimelineReader, UsageRollupReader {
  cycleList: ResizeCycle[] = [];
  appliedList: AppliedValue[] = [];
  usagePoints: UsagePoint[] = [];
  clusterPoints: ClusterPoint[] = [];
  away = false;

  async readCycles(limit: number): Promise<readonly ResizeCycle[]> {
    this.#reach();
    return this.cycleList.slice(0, limit);
  }

  async readApplied(filter: {
    readonly workload?: WorkloadRef;
    readonly since?: number;
    readonly limit: number;
  }): Promise<readonly AppliedValue[]> {
    this.#reach();
    const { workload, since = 0 } = filter;
    const matching = this.appliedList.filter(
      (value) => value.at >= since && (workload === undefined || workloadKey(value.workload) === workloadKey(workload)),
    );
    return matching.slice(0, filter.limit);
  }

  async readUsage(filter: { readonly keyPrefix: string; readonly from: number; readonly to: number }): Promise<readonly UsagePoint[]> {
    this.#reach();
    return this.usagePoints.filter((point) => point.key.startsWith(filter.keyPrefix) && point.at >= filter.from && point.at <= filter.to);
  }

  async readCluster(from: number, to: number): Promise<readonly ClusterPoint[]> {
    this.#reach();
    return this.clusterPoints.filter((point) => point.at >= from && point.at <= to);
  }

  #reach(): void {
    if (this.away) throw new Error('the store is away');
  }
}
