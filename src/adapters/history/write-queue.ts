import type { ResizeCycle } from '../../ports/store/resize-cycle-log.ts';
import type { TimelineEntry } from '../../ports/store/timeline.ts';
import type { ClusterPoint, UsagePoint } from '../../ports/usage/usage-rollups.ts';

/** Rows waiting to be written, by table. */
export interface Pending {
  cycles: ResizeCycle[];
  timeline: TimelineEntry[];
  usage: UsagePoint[];
  cluster: ClusterPoint[];
}

/**
 * Maximum waiting rows per table: two hours of points of 5,000 containers. Beyond, the oldest are dropped, so an unavailable store cannot
 * fill the memory.
 */
export const MAX_WAITING = 120_000;

/** A bounded queue of rows, which counts the rows that it drops. */
export class WriteQueue {
  #pending: Pending = empty();
  #dropped = 0;

  get size(): number {
    return this.#pending.cycles.length + this.#pending.timeline.length + this.#pending.usage.length + this.#pending.cluster.length;
  }

  /** Rows dropped since the start. */
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

  /** Requeues a failed batch in front of newer rows. */
  requeue(batch: Pending): void {
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
