import { createHash } from 'node:crypto';
import type { AccessEvent, ChainedAccessEvent } from '../../src/core/access/events/access-event.ts';
import { GENESIS, linkEvent } from '../../src/core/access/events/event-chain.ts';
import type { AccessEventFilter, AccessEventVerification, AccessEventWriter } from '../../src/ports/store/access-events.ts';
import type { ResizeCycle, ResizeCycleReader } from '../../src/ports/store/resize-cycle-log.ts';
import type { TimelineEntry, TimelineFilter, TimelineReader, TimelineWriter } from '../../src/ports/store/timeline.ts';
import type { ClusterPoint, UsagePoint, UsageRollupReader } from '../../src/ports/usage/usage-rollups.ts';

/** A history of plain lists; `away` makes every read reject. */
export class FakeHistory implements AccessEventWriter, ResizeCycleReader, TimelineReader, TimelineWriter, UsageRollupReader {
  cycleList: ResizeCycle[] = [];
  entries: TimelineEntry[] = [];
  usagePoints: UsagePoint[] = [];
  clusterPoints: ClusterPoint[] = [];
  /** The newest first. */
  accessEvents: ChainedAccessEvent[] = [];
  verification: AccessEventVerification = { state: 'intact', events: 0, chains: 0, faults: [], unsigned: [], heads: [] };
  away = false;
  readonly #listeners = new Set<(entry: TimelineEntry) => void>();

  async readCycles(limit: number): Promise<readonly ResizeCycle[]> {
    this.#reach();
    return this.cycleList.slice(0, limit);
  }

  async readEntries({ object, since = 0, acceptsNamespace = () => true, limit }: TimelineFilter): Promise<readonly TimelineEntry[]> {
    this.#reach();
    const matching = this.entries.filter(
      (entry) =>
        entry.at >= since &&
        acceptsNamespace(entry.namespace) &&
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

  appendAccessEvent(event: AccessEvent): void {
    const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    const linked = linkEvent(event, 'evenkeel-0', this.accessEvents[0] ?? GENESIS, hashOf);
    this.accessEvents.unshift({ ...linked, before: event.before, after: event.after });
  }

  readonly accessEventSource = {
    read: async ({ since = 0, actors, actions, outcomes, limit }: AccessEventFilter): Promise<readonly ChainedAccessEvent[]> => {
      this.#reach();
      const has = (values: readonly unknown[] | undefined, value: unknown): boolean => values?.includes(value) ?? true;
      return this.accessEvents
        .filter(
          ({ at, actor, action, outcome }) => at >= since && has(actors, actor.email) && has(actions, action) && has(outcomes, outcome),
        )
        .slice(0, limit);
    },
    verify: async (): Promise<AccessEventVerification> => {
      this.#reach();
      return this.verification;
    },
  };

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
