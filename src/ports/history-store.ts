import type { Instant } from '#kube/units';
import type { CheckpointStore } from './checkpoint-store.ts';
import type { ResizeCycleReader, ResizeCycleWriter } from './resize-cycle-log.ts';
import type { SharedState } from './shared-state.ts';
import type { TimelineReader, TimelineWriter } from './timeline.ts';
import type { UsageRollupReader, UsageRollupWriter } from './usage-rollups.ts';

/** Whether the store works, for `/api/v1/health`. */
export interface StoreHealth {
  status(): { readonly ok: boolean; readonly message: string; readonly since: Instant };
}

/**
 * All topics of one database, for the process that opens it. Losing it loses history and nothing else. Appended rows are queued
 * (bounded) and written in batches; while the store is away the oldest are dropped and counted.
 */
export interface HistoryStore
  extends
    CheckpointStore,
    ResizeCycleReader,
    ResizeCycleWriter,
    StoreHealth,
    TimelineReader,
    TimelineWriter,
    UsageRollupReader,
    UsageRollupWriter {
  /** What replicas tell each other through it; null where the store is of one process alone. */
  readonly shared: SharedState | null;
  /** Everything queued is on disk when it resolves. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
