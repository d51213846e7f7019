/** Rows as they lie in the store. Times are Unix milliseconds. */
export interface HistoryTables {
  /** `term`: transitions of the lease of the leader that saved it. */
  checkpoints: { key: string; saved_at: number; version: number; data: Uint8Array; term: number };
  cycles: { id: string; started_at: number; body: string };
  /** The timeline of versions before schema 3, which is only read. */
  applied: { id: string; at: number; workload: string; body: string };
  timeline: { id: string; at: number; namespace: string | null; object_kind: string; object_name: string; body: string };
  usage_points: { key: string; at: number; cpu_millicores: number | null; memory_bytes: number | null; replicas: number };
  cluster_points: { at: number; body: string };
  /** State that the leader shares with the other replicas. `changed` grows with every commit. */
  shared_records: { topic: string; key: string; at: number; changed: number; body: string };
  /** Steps of the schema that the store has run, also those that only newer code knows. */
  evenkeel_schema_steps: { number: number; applied_at: number };
}
