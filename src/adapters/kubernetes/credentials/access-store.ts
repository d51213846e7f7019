// The AccessPolicy, API keys, sessions and the local admin, as objects of the API server.

import { createHash } from 'node:crypto';
import type { ApiTransport } from '#kube/api-transport';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { LABELS } from '../../../apis/annotations.ts';
import type { AccessPolicy } from '../../../apis/v1alpha1/index.ts';
import { grantsOf, parseEmail, type Grants } from '../../../core/access/grant.ts';
import {
  AccessUnconfirmedError,
  type AccessStore,
  type LocalAdmin,
  type SessionKey,
  type StoredApiKey,
} from '../../../ports/access-store.ts';
import type { Changes } from '../../../ports/changes.ts';
import type { ClusterChange } from '../../../ports/cluster/cluster-reader.ts';
import { collectionPath, objectPath, ownResource, SECRETS } from '../resources.ts';
import { ApiFault, failureOf, isNotFound } from '../status.ts';
import { listPages } from '../watch/pages.ts';
import { Reflector } from '../watch/reflector.ts';
import type { ReflectorContext } from '../watch/reflector-spec.ts';
import { asObject, decoder, objectAt, textAt, type Wire } from '../wire.ts';
import {
  API_KEY_SECRET_PREFIX,
  createSecret,
  deleteSecret,
  ENDED_SESSIONS_SECRET,
  LOCAL_ADMIN_SECRET,
  mergeSecret,
  readSecret,
  READ_TIMEOUT_MS,
  SESSION_KEYS_SECRET,
  textsOf,
  type SecretsLocation,
} from './access-secrets.ts';
import { ConfirmedCopy } from './confirmed-copy.ts';

/** The AccessPolicy in effect. */
export const ACCESS_POLICY = 'default';
const ACCESS_POLICIES = ownResource('accesspolicies');
const SESSION_KEY_BYTES = 32;
const LAST_USED = 'last-used-at';
/** Clocks of replicas differ: an ended session is forgotten this long after it expired. */
const CLOCK_DIFFERENCE_MS: DurationMs = 5 * MINUTE_MS;

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
}

interface Copies {
  readonly grants: ConfirmedCopy<Grants>;
  readonly apiKeys: ConfirmedCopy<ReadonlyMap<string, StoredApiKey>>;
  readonly endedSessions: ConfirmedCopy<ReadonlyMap<string, Instant>>;
  readonly sessionKeys: ConfirmedCopy<readonly SessionKey[]>;
}

/** Serves what decides access from copies that are confirmed every five seconds and dropped at every change. */
export class KubernetesAccessStore implements AccessStore {
  readonly #dependencies: AccessStoreDependencies;
  readonly #reads: SecretsLocation;
  readonly #writes: SecretsLocation;
  readonly #copies: Copies;
  readonly #problems = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  constructor(dependencies: AccessStoreDependencies) {
    this.#dependencies = dependencies;
    const { context, commands, namespace } = dependencies;
    this.#reads = { transport: context.transport, namespace };
    this.#writes = { transport: commands, namespace };
    this.#copies = {
      grants: this.#copyOf('AccessPolicy default', () => readGrants(context.transport)),
      apiKeys: this.#copyOf('API keys', () => this.#readApiKeys()),
      endedSessions: this.#copyOf('ended sessions', () => readEndedSessions(this.#reads)),
      sessionKeys: this.#copyOf('session keys', () => readSessionKeys(this.#reads)),
    };
  }

  /** Why access cannot be confirmed at present; null: it is. */
  get problem(): string | null {
    return [...this.#problems.values()][0] ?? null;
  }

  /** Watches, and confirms every copy at intervals, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { context, namespace, cluster } = this.#dependencies;
    const unsubscribe = cluster.subscribe((change) => {
      if (change.kind === 'other' && change.key.startsWith(`${ACCESS_POLICIES.plural}/`)) this.#changed(this.#copies.grants);
    });
    const { apiKeys, endedSessions, sessionKeys } = this.#copies;
    const secrets = new Reflector<string>(
      {
        resource: SECRETS,
        namespace,
        labelSelector: LABELS.access,
        required: false,
        // Only the change matters: the content is read, so that it is never older than its confirmation.
        decode: decoder(digestOf),
        onChange: (_name, digest, previous) => {
          if (digest !== previous) this.#changed(apiKeys, endedSessions, sessionKeys);
        },
      },
      context,
    );
    const copies: readonly ConfirmedCopy<unknown>[] = Object.values(this.#copies);
    await Promise.all([secrets.run(signal), ...copies.map((copy) => copy.run(signal))]);
    unsubscribe();
  }

  grants(): Promise<Grants> {
    return confirmed(() => this.#copies.grants.get());
  }

  apiKeys(): Promise<ReadonlyMap<string, StoredApiKey>> {
    return confirmed(() => this.#copies.apiKeys.get());
  }

  async endedSessions(): Promise<ReadonlySet<string>> {
    return new Set((await confirmed(() => this.#copies.endedSessions.get())).keys());
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
    const isCreated = await confirmed(() => createSecret(this.#writes, name, texts, { [LABELS.apiKey]: id }));
    if (!isCreated) throw new Error(`API key ${id} exists already`);
    this.#changed(this.#copies.apiKeys);
  }

  async deleteApiKey(id: string): Promise<boolean> {
    const isDeleted = await confirmed(() => deleteSecret(this.#writes, `${API_KEY_SECRET_PREFIX}${id}`));
    this.#changed(this.#copies.apiKeys);
    return isDeleted;
  }

  async recordUse(id: string, at: Instant): Promise<void> {
    await confirmed(() => mergeSecret(this.#writes, `${API_KEY_SECRET_PREFIX}${id}`, { [LAST_USED]: isoTime(at) }));
  }

  async endSession(id: string, until: Instant): Promise<void> {
    await confirmed(() => this.#writeEnded(id, until));
    this.#changed(this.#copies.endedSessions);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #writeEnded(id: string, until: Instant): Promise<void> {
    const ended = await readEndedSessions(this.#reads);
    const forgottenBefore = this.#dependencies.now() - CLOCK_DIFFERENCE_MS;
    const expired = [...ended].filter(([, expiry]) => expiry < forgottenBefore).map(([expiredId]) => [expiredId, null] as const);
    const texts = { ...Object.fromEntries(expired), [id]: isoTime(until) };
    if (!(await mergeSecret(this.#writes, ENDED_SESSIONS_SECRET, texts))) {
      // Where another replica created it meanwhile, this session is merged into it.
      const isCreated = await createSecret(this.#writes, ENDED_SESSIONS_SECRET, { [id]: isoTime(until) });
      if (!isCreated) await mergeSecret(this.#writes, ENDED_SESSIONS_SECRET, { [id]: isoTime(until) });
    }
  }

  #changed(...copies: readonly ConfirmedCopy<unknown>[]): void {
    for (const copy of copies) copy.invalidate();
    for (const listener of this.#listeners) listener();
  }

  #copyOf<T>(name: string, read: () => Promise<T>): ConfirmedCopy<T> {
    const { timer, logger } = this.#dependencies.context;
    const report = (problem: string | null): void => {
      const before = this.#problems.get(name);
      if (problem === null) this.#problems.delete(name);
      else this.#problems.set(name, problem);
      if (problem !== null && problem !== before) logger.warn('Failed to confirm access; will retry', { what: name, problem });
    };
    return new ConfirmedCopy<T>({ read, timer, report });
  }

  async #readApiKeys(): Promise<ReadonlyMap<string, StoredApiKey>> {
    const { timer } = this.#dependencies.context;
    const deadline = new AbortController();
    const cancel = timer.setTimer(READ_TIMEOUT_MS, () => deadline.abort(new Error(`no answer within ${READ_TIMEOUT_MS} ms`)));
    try {
      const keys = new Map<string, StoredApiKey>();
      const path = collectionPath(SECRETS, this.#reads.namespace);
      for await (const { items, restarted } of listPages(this.#reads.transport, path, { labelSelector: LABELS.apiKey }, deadline.signal)) {
        if (restarted) keys.clear();
        for (const item of items) {
          const key = apiKeyOf(item);
          if (key !== null) keys.set(key.id, key);
        }
      }
      return keys;
    } finally {
      cancel();
    }
  }
}

/** A digest of what decides access: the use of a key is written each minute, and would otherwise end every copy. */
function digestOf(secret: Wire): string {
  const labels = objectAt(objectAt(secret, 'metadata'), 'labels');
  const data = Object.entries(objectAt(secret, 'data')).filter(([name]) => name !== LAST_USED);
  return createHash('sha256')
    .update(JSON.stringify([labels, data]))
    .digest('base64');
}

async function confirmed<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (err) {
    throw new AccessUnconfirmedError(err instanceof Error ? err.message : String(err), { cause: err });
  }
}

async function readGrants(transport: ApiTransport): Promise<Grants> {
  const path = objectPath(ACCESS_POLICIES, null, ACCESS_POLICY);
  const response = await transport.request({ method: 'GET', path, timeoutMs: READ_TIMEOUT_MS, retry: false });
  const failure = failureOf(response);
  if (failure === null) return grantsOf(asObject(response.body, 'accesspolicy') as unknown as AccessPolicy);
  if (isNotFound(failure)) return grantsOf(null);
  throw new ApiFault(`reading accesspolicy ${ACCESS_POLICY}`, failure);
}

async function readEndedSessions(location: SecretsLocation): Promise<ReadonlyMap<string, Instant>> {
  const texts = (await readSecret(location, ENDED_SESSIONS_SECRET)) ?? {};
  // A time that cannot be read never forgets the session.
  return new Map(Object.entries(texts).map(([id, until]) => [id, instantOf(until) ?? Number.MAX_SAFE_INTEGER]));
}

/** Valid keys, oldest first; empty where there is none. */
export async function readSessionKeys(location: SecretsLocation): Promise<readonly SessionKey[]> {
  const texts = (await readSecret(location, SESSION_KEYS_SECRET)) ?? {};
  return Object.entries(texts)
    .map(([id, text]): SessionKey => ({ id, bytes: Buffer.from(text, 'base64') }))
    .filter(({ bytes }) => bytes.length === SESSION_KEY_BYTES)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** null: not a Secret of an API key. */
function apiKeyOf(secret: Wire): StoredApiKey | null {
  const metadata = objectAt(secret, 'metadata');
  const id = textAt(objectAt(metadata, 'labels'), LABELS.apiKey);
  const texts = textsOf(secret);
  const { hash = '', label = '', createdBy = '' } = texts;
  const email = parseEmail(texts['email'] ?? '');
  if (textAt(metadata, 'name') !== `${API_KEY_SECRET_PREFIX}${id}` || email === null || !/^[0-9a-f]{64}$/.test(hash)) return null;
  return { id, email, label, hash, createdBy, createdAt: instantOf(texts['createdAt']) ?? 0, lastUsedAt: instantOf(texts[LAST_USED]) };
}
