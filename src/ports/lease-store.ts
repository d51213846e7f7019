/** A coordination.k8s.io Lease, as leader election reads it. Times are as the holder wrote them and are never compared with ours. */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when released. */
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

export type LeaseWrite = Omit<LeaseRecord, 'resourceVersion'>;

/** One lease by name. Reads and writes throw when no answer comes; a lost race is a value. */
export interface LeaseStore {
  read(signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** Creates the lease; undefined when somebody else was first. */
  create(lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** Replaces it if it is still at `resourceVersion`; undefined when it moved on. */
  update(resourceVersion: string, lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined>;
}
