import type { ResizeCycle, ResizeCycleReader } from '../../src/ports/store/resize-cycle-log.ts';
import type { TimelineEntry, TimelineFilter, TimelineReader, TimelineWriter } from '../../src/ports/store/timeline.ts';
import type { ClusterPoint, UsagePoint, UsageRollupReader } from '../../src/ports/usage/usage-rollups.ts';

/** A history of plain lists; `away` makes every read reject. */
export class FakeHistory implements ResizeCycleReader, TimelineReader, TimelineWriter, UsageRollupReader {
  cycleList: ResizeCycle[] = [];
  entries: TimelineEntry[] = [];
  usagePoints: UsagePoint[] = [];
  clusterPoints: ClusterPoint[] = [];
  away = false;
  readonly #listeners = new Set<(entry: TimelineEntry) => void>();

  async readCycles(limit: number): Promise<readonly ResizeCycle[]> {
    this.#reach();
    return this.cycleList.slice(0, limit);
  }

  async readEntries({ object, since = 0, limit }: TimelineFilter): Promise<readonly TimelineEntry[]> {
    this.#reach();
    const matching = this.entries.filter(
      (entry) =>
        entry.at >= since &&
        (object === undefined ||
          (entry.namespace === object.namespace && entry.object.kind === object.kind && entry.object.name === object.name)),
    );
    return matching.slice(0, limit);
  }

  onEntry(listener: (entry: TimelineEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  appendEntry(entry: TimelineEntry): void {
    this.entries.unshift(entry);
    for (const listener of this.#listeners) listener(entry);
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
    if (this.away) throw new Error('the store is unavailable');
  }
}
