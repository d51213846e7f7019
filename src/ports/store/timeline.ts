import type { DurationMs, Instant } from '#kube/units';

/** The kind of action that an entry records. */
export type ActivityKind = 'scale-up' | 'scale-down' | 'consolidate' | 'resize' | 'rebalance' | 'hpa' | 'scheduled' | 'interruption';

/** An object of any kind, as the timeline names it. */
export interface TimelineObject {
  readonly kind: string;
  readonly name: string;
}

/** One action on one object, or on one container of a pod, whether it was carried out or not. */
export interface TimelineEntry {
  readonly id: string;
  readonly at: Instant;
  readonly kind: ActivityKind;
  readonly object: TimelineObject;
  /** Null: a cluster-scoped object. Only administrators see such entries. */
  readonly namespace: string | null;
  /** The pod that was changed, where the object is the workload that owns it; else null. */
  readonly pod: string | null;
  /** The container whose values `from` and `to` are; null: they describe the object. Containers changed at once are an entry each. */
  readonly container: string | null;
  /** The value before; null: there is none to compare. */
  readonly from: unknown;
  /** The value afterwards, or a description of what was done. */
  readonly to: unknown;
  readonly reason: string;
  readonly actor: string;
  readonly outcome: 'applied' | 'deferred' | 'infeasible' | 'rejected' | 'rolled-back' | 'dry-run' | 'failed';
  readonly message: string;
  /** From the request to the API server's answer; null: not measured. */
  readonly durationMs: DurationMs | null;
  /** Change of the cost of requests at the node's price; null: no price is known. */
  readonly costDeltaPerHourUsd: number | null;
}

/** Queues entries for the store. */
export interface TimelineWriter {
  appendEntry(entry: TimelineEntry): void;
}

/** Which entries are read; each field that is left out excludes none. */
export interface TimelineFilter {
  readonly object?: TimelineObject & { readonly namespace: string | null };
  readonly since?: Instant;
  /** Applied before `limit`, so that entries of other namespaces take no place. null: cluster-scoped objects. */
  readonly acceptsNamespace?: (namespace: string | null) => boolean;
  readonly limit: number;
}

/** Recorded actions. Reads reject while the store is unavailable. */
export interface TimelineReader {
  /** The newest first. */
  readEntries(filter: TimelineFilter): Promise<readonly TimelineEntry[]>;
  /** Calls the listener with each entry that this process appends from now on. Returns the cancel function. */
  onEntry(listener: (entry: TimelineEntry) => void): () => void;
}
