import type { Instant } from '#kube/units';
import type { AccessEventQueue, AccessEventReader, AccessEventWriter } from './access-events.ts';
import type { CheckpointStore } from '../usage/checkpoint-store.ts';
import type { ResizeCycleReader, ResizeCycleWriter } from './resize-cycle-log.ts';
import type { SharedState } from '../cluster/shared-state.ts';
import type { TimelineReader, TimelineWriter } from './timeline.ts';
import type { UsageRollupReader, UsageRollupWriter } from '../usage/usage-rollups.ts';

/** Status of the store, for `/api/v1/health`. */
export interface StoreHealth {
  status(): { readonly ok: boolean; readonly message: string; readonly since: Instant };
}

/**
 * All tables of one database, for the process that opens it. Losing it loses history and nothing else. Appended rows wait in
 * a bounded queue and are written in batches; while the store is unavailable the oldest are dropped and counted.
 */
export interface HistoryStore
  extends
    AccessEventQueue,
    AccessEventReader,
    AccessEventWriter,
    CheckpointStore,
    ResizeCycleReader,
    ResizeCycleWriter,
    StoreHealth,
    TimelineReader,
    TimelineWriter,
    UsageRollupReader,
    UsageRollupWriter {
  /** Records that replicas share; null: only one process can open the store. */
  readonly shared: SharedState | null;
  /** Resolves when every queued row is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
