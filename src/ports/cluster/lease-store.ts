/** A coordination.k8s.io Lease. Times are the holder's and are never compared with the local clock, which may differ. */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when released. */
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

/** The fields of a Lease that a holder writes. */
export type LeaseWrite = Omit<LeaseRecord, 'resourceVersion'>;

/** One Lease. A method rejects when the API server does not answer; a lost race is a value. */
export interface LeaseStore {
  read(signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** Creates the Lease; undefined: it exists already. */
  create(lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** Replaces the Lease; undefined: it is no longer at `resourceVersion`. */
  update(resourceVersion: string, lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined>;
}
