// The AccessPolicy, API keys, sessions and the local admin, as objects of the API server.

import type { ApiTransport } from '#kube/api-transport';
import { isoTime } from '#kube/time/iso-time';
import { SECOND_MS, type Instant } from '#kube/units';
import { LABELS } from '../../../apis/annotations.ts';
import type { AccessPolicy } from '../../../apis/v1alpha1/index.ts';
import { parseEmail, type Grants } from '../../../core/access/grant.ts';
import type { ReplicaReports } from '../../../core/access/replica-reports.ts';
import {
  AccessUnconfirmedError,
  type AccessPart,
  type AccessPolicyChange,
  type AccessPolicyWriteOptions,
  type AccessStore,
  type AccessWrite,
  type LocalAdmin,
  type SessionKey,
  type StoredApiKey,
} from '../../../ports/access-store.ts';
import type { Changes } from '../../../ports/changes.ts';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';
import { objectPath, SECRETS } from '../resources.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { writeOutcome } from '../write/write-outcome.ts';
import { Reflector } from '../watch/reflector.ts';
import type { ReflectorContext } from '../watch/reflector-spec.ts';
import { asObject, decoder } from '../wire.ts';
import {
  API_KEY_SECRET_PREFIX,
  createSecret,
  deleteSecret,
  ENDED_SESSIONS_SECRET,
  LOCAL_ADMIN_SECRET,
  mergeSecret,
  readSecret,
  READ_TIMEOUT_MS,
  type SecretsLocation,
} from './access-secrets.ts';
import {
  ACCESS_POLICIES,
  ACCESS_POLICY,
  HASH,
  LAST_USED,
  NO_ACCESS,
  readApiKeys,
  readPolicy,
  readSessionKeys,
  secretDigest,
  type PolicyCopy,
  type Versioned,
} from './access-reads.ts';
import { ConfirmedCopy } from './confirmed-copy.ts';
import { EndedSessions } from './ended-sessions.ts';
import { OwnLease } from './own-lease.ts';
import type { OwnerPod } from './replica-lease.ts';
import { ReplicaLeases } from './replica-leases.ts';

export interface AccessStoreDependencies {
  readonly context: ReflectorContext;
  /** Sends the requests of users. */
  readonly commands: ApiTransport;
  /** Evenkeel's namespace. */
  readonly namespace: string;
  /** Reports changes of AccessPolicies. */
  readonly cluster: Changes<ClusterChange>;
  /** Real time of sessions. */
  readonly now: () => Instant;
  /** This replica, which reports in a Lease what its copies have reached. */
  readonly replica: {
    readonly identity: string;
    /** null: not in a pod. */
    readonly pod: OwnerPod | null;
    /** Separate from that of other requests, so that none of them delays a report. */
    readonly transport: ApiTransport;
  };
}

interface Copies {
  readonly policy: ConfirmedCopy<Versioned<PolicyCopy>>;
  readonly apiKeys: ConfirmedCopy<Versioned<ReadonlyMap<string, StoredApiKey>>>;
  readonly endedSessions: ConfirmedCopy<Versioned<ReadonlyMap<string, Instant>>>;
  readonly sessionKeys: ConfirmedCopy<readonly SessionKey[]>;
}

/**
 * Serves what decides access from copies that are confirmed every five seconds and dropped at every change. It reports in a Lease which
 * versions they have reached, and serves from them only while other replicas wait for these reports.
 */
export class KubernetesAccessStore implements AccessStore {
  readonly #dependencies: AccessStoreDependencies;
  readonly #reads: SecretsLocation;
  readonly #writes: SecretsLocation;
  readonly #copies: Copies;
  readonly #endings: EndedSessions;
  readonly #lease: OwnLease;
  readonly #replicas: ReplicaLeases;
  readonly #problems = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  constructor(dependencies: AccessStoreDependencies) {
    this.#dependencies = dependencies;
    const { context, commands, namespace, replica, now } = dependencies;
    this.#reads = { transport: context.transport, namespace };
    this.#writes = { transport: commands, namespace };
    this.#endings = new EndedSessions({ reads: this.#reads, writes: this.#writes, now });
    this.#copies = {
      policy: this.#reportedCopyOf('access-policy', 'AccessPolicy default', () => readPolicy(context.transport)),
      apiKeys: this.#reportedCopyOf('api-keys', 'API keys', () => this.#readApiKeys()),
      endedSessions: this.#reportedCopyOf('ended-sessions', 'ended sessions', () => this.#endings.read()),
      sessionKeys: this.#copyOf(
        'session keys',
        () => readSessionKeys(this.#reads),
        () => undefined,
      ),
    };
    const { timer, logger } = context;
    const timestamp = (): string => isoTime(now());
    const onAwaited = (): void => {
      for (const copy of this.#allCopies()) copy.invalidate();
    };
    this.#lease = new OwnLease({ ...replica, namespace, timer, logger, timestamp, onAwaited });
    this.#replicas = new ReplicaLeases({ context, commands, namespace, ownLease: this.#lease.name });
  }

  /** The Leases of all replicas. */
  get replicas(): Pick<ReplicaLeases, 'unrenewedFor'> {
    return this.#replicas;
  }

  /** Why access cannot be confirmed at present; null: it is. */
  get problem(): string | null {
    return [...this.#problems.values()][0] ?? null;
  }

  /** Why every request reads from the API server instead of copies; null: it does not. */
  get leaseProblem(): string | null {
    return this.#lease.isAwaited ? null : this.#lease.problem;
  }

  /** Watches, and confirms every copy at intervals, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { context, namespace, cluster } = this.#dependencies;
    const unsubscribe = cluster.subscribe((change) => {
      if (change.kind === 'other' && change.key.startsWith(`${ACCESS_POLICIES.plural}/`)) this.#announced(this.#copies.policy);
    });
    const secrets = new Reflector<string>(
      {
        resource: SECRETS,
        namespace,
        labelSelector: LABELS.access,
        required: false,
        // Only the change matters: the content is read, so that it is never older than its confirmation.
        decode: decoder(secretDigest),
        onChange: (key, digest, previous) => {
          // A revoked key is deleted, which changes nothing further.
          if ((digest ?? NO_ACCESS) !== (previous ?? NO_ACCESS)) this.#announced(...this.#copiesOf(key));
        },
      },
      context,
    );
    const watches = [secrets.run(signal), this.#replicas.run(signal)];
    await Promise.all([this.#lease.run(signal), ...watches, ...this.#allCopies().map((copy) => copy.run(signal))]);
    unsubscribe();
  }

  async grants(): Promise<Grants> {
    return (await confirmed(() => this.#copies.policy.get())).value.grants;
  }

  async accessPolicy(): Promise<AccessPolicy | null> {
    return (await confirmed(() => this.#copies.policy.get())).value.object;
  }

  async readAccessPolicy(): Promise<AccessPolicy | null> {
    const { policy } = this.#copies;
    // A read that is under way may lack a change that made the caller read again.
    policy.invalidate();
    return (await confirmed(() => policy.refresh())).value.object;
  }

  async writeAccessPolicy(
    change: AccessPolicyChange,
    { resourceVersion, dryRun, fieldManager }: AccessPolicyWriteOptions,
  ): Promise<WriteOutcome & { readonly object?: AccessPolicy }> {
    const subresource = 'status' in change ? 'status' : undefined;
    const outcome = await confirmed(async () => {
      const response = await this.#writes.transport.request({
        method: 'PATCH',
        path: objectPath(ACCESS_POLICIES, null, ACCESS_POLICY, subresource),
        query: { fieldManager, ...(dryRun ? { dryRun: 'All' } : {}) },
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { resourceVersion }, ...change },
        timeoutMs: READ_TIMEOUT_MS,
      });
      const written = writeOutcome(`patching accesspolicy ${ACCESS_POLICY}`, response);
      return written.kind === 'done' ? { ...written, object: asObject(response.body, 'accesspolicy') as unknown as AccessPolicy } : written;
    });
    // Also after a conflict: the copy lacks the change that caused it.
    if (!dryRun) this.#changed(this.#copies.policy);
    return outcome.kind === 'done' && dryRun ? { ...outcome, kind: 'dry-run' } : outcome;
  }

  async apiKeys(): Promise<ReadonlyMap<string, StoredApiKey>> {
    return (await confirmed(() => this.#copies.apiKeys.get())).value;
  }

  async endedSessions(): Promise<Pick<ReadonlySet<string>, 'has'>> {
    return (await confirmed(() => this.#copies.endedSessions.get())).value;
  }

  sessionKeys(): Promise<readonly SessionKey[]> {
    return confirmed(() => this.#copies.sessionKeys.get());
  }

  async localAdmin(): Promise<LocalAdmin | null> {
    const texts = await confirmed(() => readSecret(this.#reads, LOCAL_ADMIN_SECRET));
    const email = parseEmail(texts?.['email'] ?? '');
    return email === null ? null : { email, passwordHash: texts?.['password-hash'] ?? '' };
  }

  async createApiKey({ id, email, label, hash, createdAt, createdBy }: StoredApiKey): Promise<void> {
    const texts = { hash, email, label, createdBy, createdAt: isoTime(createdAt) };
    const name = `${API_KEY_SECRET_PREFIX}${id}`;
    const version = await confirmed(() => createSecret(this.#writes, name, texts, { [LABELS.apiKey]: id }));
    if (version === null) throw new Error(`API key ${id} exists already`);
    this.#changed(this.#copies.apiKeys);
  }

  async deleteApiKey(id: string): Promise<AccessWrite | null> {
    const name = `${API_KEY_SECRET_PREFIX}${id}`;
    // The answer to a deletion has no version for which replicas could be awaited. Without its hash, the key is refused already.
    const resourceVersion = await confirmed(() => mergeSecret(this.#writes, name, { [HASH]: null }));
    this.#changed(this.#copies.apiKeys);
    if (resourceVersion === null) return null;
    await deleteSecret(this.#writes, name).catch((err: unknown) =>
      this.#dependencies.context.logger.warn('Failed to delete the Secret of a revoked API key', { secret: name, err }),
    );
    return { part: 'api-keys', resourceVersion };
  }

  async recordUse(id: string, at: Instant): Promise<void> {
    await confirmed(() => mergeSecret(this.#writes, `${API_KEY_SECRET_PREFIX}${id}`, { [LAST_USED]: isoTime(at) }));
  }

  async endSession(id: string, until: Instant): Promise<AccessWrite> {
    const resourceVersion = await confirmed(() => this.#endings.end(id, until));
    this.#changed(this.#copies.endedSessions);
    return { part: 'ended-sessions', resourceVersion };
  }

  untilEveryReplicaHas(write: AccessWrite): Promise<ReplicaReports> {
    return this.#replicas.untilEveryReplicaHas(write);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(...copies: readonly Pick<ConfirmedCopy<unknown>, 'invalidate'>[]): void {
    for (const copy of copies) copy.invalidate();
    for (const listener of this.#listeners) listener();
  }

  /** Handles a change that a watch has announced: it is read at once, so that this replica reports it. */
  #announced(...copies: readonly Pick<ConfirmedCopy<unknown>, 'invalidate' | 'refresh'>[]): void {
    this.#changed(...copies);
    for (const copy of copies) void copy.refresh().catch(() => undefined);
  }

  #allCopies(): readonly Pick<ConfirmedCopy<unknown>, 'run' | 'invalidate'>[] {
    const { policy, apiKeys, endedSessions, sessionKeys } = this.#copies;
    return [policy, apiKeys, endedSessions, sessionKeys];
  }

  /** The copies that a Secret is part of. */
  #copiesOf(key: string): readonly Pick<ConfirmedCopy<unknown>, 'invalidate' | 'refresh'>[] {
    const { apiKeys, endedSessions, sessionKeys } = this.#copies;
    const name = key.slice(key.indexOf('/') + 1);
    if (name.startsWith(API_KEY_SECRET_PREFIX)) return [apiKeys];
    return name === ENDED_SESSIONS_SECRET ? [endedSessions] : [sessionKeys];
  }

  /** A copy whose versions this replica reports: those at which it changed. */
  #reportedCopyOf<T>(part: AccessPart, name: string, read: () => Promise<Versioned<T>>): ConfirmedCopy<Versioned<T>> {
    let last: string | null = null;
    return this.#copyOf(name, read, ({ version, digest }, isAnnounced) => {
      if (isAnnounced || digest !== last) this.#lease.report(part, version);
      last = digest;
    });
  }

  #copyOf<T>(name: string, read: () => Promise<T>, onRead: (value: T, isAnnounced: boolean) => void): ConfirmedCopy<T> {
    const isAwaited = (): boolean => this.#lease.isAwaited;
    const { timer, logger, metrics } = this.#dependencies.context;
    const confirmedAt = metrics.gauge({
      name: 'evenkeel_auth_confirmed_timestamp_seconds',
      help: 'Time at which the API server last confirmed what decides access, by part: accesspolicy-default, api-keys, ended-sessions, session-keys. Requests are answered 503 once it is 10 s ago.',
      labels: ['part'],
    });
    const part = name.toLowerCase().replaceAll(' ', '-');
    const report = (problem: string | null): void => {
      const before = this.#problems.get(name);
      if (problem === null) confirmedAt.set(this.#dependencies.now() / SECOND_MS, { part });
      if (problem === null) this.#problems.delete(name);
      else this.#problems.set(name, problem);
      if (problem !== null && problem !== before) logger.warn('Failed to confirm access; will retry', { what: name, problem });
    };
    return new ConfirmedCopy<T>({ read, timer, report, isAwaited, onRead });
  }

  async #readApiKeys(): Promise<Versioned<ReadonlyMap<string, StoredApiKey>>> {
    const { timer, metrics } = this.#dependencies.context;
    const count = metrics.gauge({ name: 'evenkeel_auth_api_keys', help: 'API keys, as this replica read them.' });
    const keys = await readApiKeys(this.#reads, timer);
    count.set(keys.value.size);
    return keys;
  }
}

async function confirmed<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (err) {
    throw new AccessUnconfirmedError(err instanceof Error ? err.message : String(err), { cause: err });
  }
}
