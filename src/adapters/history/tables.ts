/** Rows of the tables. Times are Unix milliseconds. */
export interface HistoryTables {
  /** `term`: leader lease transitions at the time of saving. */
  checkpoints: { key: string; saved_at: number; version: number; data: Uint8Array; term: number };
  cycles: { id: string; started_at: number; body: string };
  /** Timeline of versions before schema 3; read only. */
  applied: { id: string; at: number; workload: string; body: string };
  timeline: { id: string; at: number; namespace: string | null; object_kind: string; object_name: string; body: string };
  usage_points: { key: string; at: number; cpu_millicores: number | null; memory_bytes: number | null; replicas: number };
  cluster_points: { at: number; body: string };
  /** State that the leader publishes to the other replicas. `changed` increases with every commit. */
  shared_records: { topic: string; key: string; at: number; changed: number; body: string };
  /** Chains of access events by writer. `before` and `after` are JSON; `email` and `key_id` may be null. */
  access_events: {
    writer: string;
    sequence: number;
    id: string;
    at: number;
    email: string | null;
    via: string;
    key_id: string | null;
    action: string;
    target: string;
    outcome: string;
    before: string;
    after: string;
    request_id: string;
    address: string;
    hash: string;
    previous_hash: string;
  };
  /** For each chain the record of its last event (`head`) and of the last one that retention has removed (`anchor`), signed. */
  access_chains: { writer: string; mark: 'head' | 'anchor'; sequence: number; at: number; record: string };
  /** Schema steps that the store has run, including those of newer versions. */
  evenkeel_schema_steps: { number: number; applied_at: number };
}
