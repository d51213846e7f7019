import type { ResizeCycle } from '../../ports/resize-cycle-log.ts';
import type { TimelineEntry } from '../../ports/timeline.ts';
import type { ClusterPoint, UsagePoint } from '../../ports/usage-rollups.ts';

/** What waits to be written, by table. */
export interface Pending {
  cycles: ResizeCycle[];
  timeline: TimelineEntry[];
  usage: UsagePoint[];
  cluster: ClusterPoint[];
}

/**
 * Past this many waiting rows a kind's oldest are dropped: a store that is away must not fill the memory. Two hours of points of
 * 5,000 containers.
 */
export const MAX_WAITING = 120_000;

/** A bounded queue of rows. What it drops it counts. */
export class WriteQueue {
  #pending: Pending = empty();
  #dropped = 0;

  get size(): number {
    return this.#pending.cycles.length + this.#pending.timeline.length + this.#pending.usage.length + this.#pending.cluster.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  add<K extends keyof Pending>(kind: K, rows: Pending[K]): void {
    const queue = this.#pending[kind] as unknown[];
    for (const row of rows) queue.push(row);
    const over = queue.length - MAX_WAITING;
    if (over > 0) {
      queue.splice(0, over);
      this.#dropped += over;
    }
  }

  takeAll(): Pending {
    const taken = this.#pending;
    this.#pending = empty();
    return taken;
  }

  /** A batch that could not be written goes back in front of what came since. */
  putBack(batch: Pending): void {
    const since = this.takeAll();
    for (const kind of ['cycles', 'timeline', 'usage', 'cluster'] as const) {
      this.add(kind, batch[kind]);
      this.add(kind, since[kind]);
    }
  }
}

function empty(): Pending {
  return { cycles: [], timeline: [], usage: [], cluster: [] };
}
