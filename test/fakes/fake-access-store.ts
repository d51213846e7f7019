import { grantsOf, type Grants } from '../../src/core/access/grant.ts';
import type { AccessPolicy, AccessPolicyStatus } from '../../src/apis/v1alpha1/index.ts';
import type { ReplicaReports } from '../../src/core/access/replica-reports.ts';
import {
  AccessUnconfirmedError,
  type AccessPolicyChange,
  type AccessPolicyWriteOptions,
  type AccessStore,
  type AccessWrite,
  type LocalAdmin,
  type SessionKey,
  type StoredApiKey,
} from '../../src/ports/access-store.ts';
import type { WriteOutcome } from '../../src/ports/cluster/writers.ts';
import type { Instant } from '#kube/units';

/** What decides access, in memory. Replicas of a test share one. */
export class FakeAccessStore implements AccessStore {
  policy: NonNullable<AccessPolicy['spec']['grants']> = [];
  domains: NonNullable<AccessPolicy['spec']['autoApprove']> = [];
  requests: NonNullable<AccessPolicyStatus['requests']> = [];
  /** Version of the policy, which every change raises. */
  version = 1;
  /** Called before a write of the policy: others may change it first. */
  beforeWrite: () => void = () => undefined;
  keys: SessionKey[] = [{ id: '1', bytes: Buffer.alloc(32, 1) }];
  admin: LocalAdmin | null = null;
  /** True: nothing can be confirmed. */
  isOut = false;
  /** What the replicas report of each write. */
  reports: ReplicaReports = { missing: [], areKnown: true };
  /** Writes whose answer has waited for the replicas. */
  readonly awaited: AccessWrite[] = [];
  readonly stored = new Map<string, StoredApiKey>();
  readonly ended = new Map<string, Instant>();
  readonly #listeners = new Set<() => void>();

  grants(): Promise<Grants> {
    return this.#confirm(() => grantsOf(this.object()));
  }

  accessPolicy(): Promise<AccessPolicy> {
    return this.#confirm(() => this.object());
  }

  readAccessPolicy(): Promise<AccessPolicy> {
    return this.accessPolicy();
  }

  async writeAccessPolicy(
    change: AccessPolicyChange,
    { resourceVersion, dryRun }: AccessPolicyWriteOptions,
  ): Promise<WriteOutcome & { readonly object?: AccessPolicy }> {
    this.beforeWrite();
    return this.#confirm(() => {
      const before = this.object();
      if (resourceVersion !== before.metadata.resourceVersion) return { kind: 'conflict', message: 'the object has been modified' };
      if (dryRun) return { kind: 'dry-run', object: { ...before, ...change } };
      if ('spec' in change) {
        this.policy = change.spec.grants;
        this.domains = change.spec.autoApprove;
      } else this.requests = change.status.requests;
      this.#changed();
      return { kind: 'done', object: this.object() };
    });
  }

  apiKeys(): Promise<ReadonlyMap<string, StoredApiKey>> {
    return this.#confirm(() => new Map(this.stored));
  }

  endedSessions(): Promise<ReadonlySet<string>> {
    return this.#confirm(() => new Set(this.ended.keys()));
  }

  sessionKeys(): Promise<readonly SessionKey[]> {
    return this.#confirm(() => this.keys);
  }

  localAdmin(): Promise<LocalAdmin | null> {
    return this.#confirm(() => this.admin);
  }

  createApiKey(key: StoredApiKey): Promise<void> {
    return this.#confirm(() => void this.stored.set(key.id, key));
  }

  deleteApiKey(id: string): Promise<AccessWrite | null> {
    return this.#confirm(() => (this.stored.delete(id) ? { part: 'api-keys', resourceVersion: id } : null));
  }

  recordUse(id: string, at: Instant): Promise<void> {
    const key = this.stored.get(id);
    return this.#confirm(() => {
      if (key !== undefined) this.stored.set(id, { ...key, lastUsedAt: at });
    });
  }

  endSession(id: string, until: Instant): Promise<AccessWrite> {
    return this.#confirm(() => {
      this.ended.set(id, until);
      return { part: 'ended-sessions', resourceVersion: id };
    });
  }

  untilEveryReplicaHas(write: AccessWrite): Promise<ReplicaReports> {
    this.awaited.push(write);
    return Promise.resolve(this.reports);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Replaces the grants, as a watch reports it. */
  grant(...grants: NonNullable<AccessPolicy['spec']['grants']>): void {
    this.policy = grants;
    this.#changed();
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }

  /** The AccessPolicy, as the cluster has it. */
  object(): AccessPolicy {
    return {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: 'default', uid: 'policy', resourceVersion: String(this.version) },
      spec: { grants: this.policy, autoApprove: this.domains },
      status: { requests: this.requests },
    };
  }

  async #confirm<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    if (this.isOut) throw new AccessUnconfirmedError('no answer from the API server');
    return answer();
  }
}
