import type { Instant } from '#kube/units';
import type { AccessPolicy, AccessPolicySpec, AccessPolicyStatus } from '../apis/v1alpha1/index.ts';
import type { Grants } from '../core/access/grant.ts';
import type { ReplicaReports } from '../core/access/replica-reports.ts';
import type { WriteOutcome } from './cluster/writers.ts';
import { UnavailableError } from './unavailable-error.ts';

/** The API server did not confirm in time what decides access. */
export class AccessUnconfirmedError extends UnavailableError {}

/** An API key as it is stored: without the key itself. */
export interface StoredApiKey {
  readonly id: string;
  /** The address whose grant decides what the key may read. */
  readonly email: string;
  readonly label: string;
  /** SHA-256 of the whole key, in lower-case hex. */
  readonly hash: string;
  readonly createdAt: Instant;
  /** Address of the admin who created it. */
  readonly createdBy: string;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Instant | null;
}

/** A key that seals session cookies, shared by all replicas. */
export interface SessionKey {
  /** Sorts by age: the last one is the newest. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** The administrator who signs in with a password. */
export interface LocalAdmin {
  readonly email: string;
  /** In the form of `runtime/passwords/password-hash.ts`. */
  readonly passwordHash: string;
}

/** What decides access, by how it is stored and copied. */
export type AccessPart = 'access-policy' | 'api-keys' | 'ended-sessions';

/** A write that may take a permission away. */
export interface AccessWrite {
  readonly part: AccessPart;
  readonly resourceVersion: string;
}

/** What a write replaces in the AccessPolicy: grants and domains, or access requests. */
export type AccessPolicyChange =
  | { readonly spec: Required<Pick<AccessPolicySpec, 'grants' | 'autoApprove'>> }
  | { readonly status: Required<Pick<AccessPolicyStatus, 'requests'>> };

export interface AccessPolicyWriteOptions {
  /** The version that the change was decided from: a precondition. */
  readonly resourceVersion: string;
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

/**
 * What decides who may call. Each read was confirmed by the API server within the last ten seconds, so that a revoked permission never
 * outlives an outage. @throws AccessUnconfirmedError where it cannot be confirmed
 */
export interface AccessStore {
  /** Grants of the AccessPolicy in effect; none where it does not exist. */
  grants(): Promise<Grants>;
  /** The AccessPolicy in effect; null where it does not exist. */
  accessPolicy(): Promise<AccessPolicy | null>;
  /** The same, read after the call, for a write that is decided from it. */
  readAccessPolicy(): Promise<AccessPolicy | null>;
  /** Writes a change of the AccessPolicy, which applies to the next request of this replica. `object` is the policy as it was written. */
  writeAccessPolicy(
    change: AccessPolicyChange,
    options: AccessPolicyWriteOptions,
  ): Promise<WriteOutcome & { readonly object?: AccessPolicy }>;
  /** By id. */
  apiKeys(): Promise<ReadonlyMap<string, StoredApiKey>>;
  /** Ids of sessions that ended before they expired. */
  endedSessions(): Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** Oldest first; empty until the leader has created one. */
  sessionKeys(): Promise<readonly SessionKey[]>;
  /** null: no password is set. Not cached. */
  localAdmin(): Promise<LocalAdmin | null>;
  createApiKey(key: StoredApiKey): Promise<void>;
  /** null: no such key exists. Call `untilEveryReplicaHas` before the answer. */
  deleteApiKey(id: string): Promise<AccessWrite | null>;
  recordUse(id: string, at: Instant): Promise<void>;
  /** Call `untilEveryReplicaHas` before the answer. @param until when the session would expire; it is forgotten then */
  endSession(id: string, until: Instant): Promise<AccessWrite>;
  /**
   * Resolves once no request sees what was before the write, on any replica: each has reported it, or ten seconds have passed, after which
   * none serves an older copy. Never rejects.
   */
  untilEveryReplicaHas(write: AccessWrite): Promise<ReplicaReports>;
  /** Calls the listener after a change of what decides access. Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
}
