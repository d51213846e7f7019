// Reads of what decides access: the AccessPolicy, API keys and the keys of sessions, each with its version.

import { createHash } from 'node:crypto';
import type { ApiTransport } from '#kube/api-transport';
import { instantOf } from '#kube/time/iso-time';
import { LABELS } from '../../../apis/annotations.ts';
import type { AccessPolicy } from '../../../apis/v1alpha1/index.ts';
import { grantsOf, parseEmail, type Grants } from '../../../core/access/grant.ts';
import type { SessionKey, StoredApiKey } from '../../../ports/access-store.ts';
import type { MachineTimer } from '../../../ports/clock.ts';
import { collectionPath, objectPath, ownResource, SECRETS } from '../resources.ts';
import { ApiFault, failureOf, isNotFound } from '../status.ts';
import { listPages } from '../watch/pages.ts';
import { asObject, objectAt, textAt, type Wire } from '../wire.ts';
import {
  API_KEY_SECRET_PREFIX,
  readSecret,
  READ_TIMEOUT_MS,
  SESSION_KEYS_SECRET,
  textsOf,
  versionOf,
  type SecretsLocation,
} from './access-secrets.ts';

/** The AccessPolicy in effect. */
export const ACCESS_POLICY = 'default';
export const ACCESS_POLICIES = ownResource('accesspolicies');
const SESSION_KEY_BYTES = 32;
/** Field of an API key's Secret: time of its last use. */
export const LAST_USED = 'last-used-at';
/** Field of an API key's Secret; empty: revoked. */
export const HASH = 'hash';

/** What decides access, as it was read. */
export interface Versioned<T> {
  readonly value: T;
  /** resourceVersion of what was read; empty where nothing exists. */
  readonly version: string;
  /** Differs where the value does. */
  readonly digest: string;
}

/** The AccessPolicy in effect, with its grants. */
export interface PolicyCopy {
  /** null: it does not exist. */
  readonly object: AccessPolicy | null;
  readonly grants: Grants;
}

/** Digest of a Secret that gives no access, as of one that does not exist. */
export const NO_ACCESS = '';

/** A digest of what decides access in a Secret: the use of a key is written each minute, and would otherwise end every copy. */
export function secretDigest(secret: Wire): string {
  if (isRevokedKey(secret)) return NO_ACCESS;
  const labels = objectAt(objectAt(secret, 'metadata'), 'labels');
  const data = Object.entries(objectAt(secret, 'data')).filter(([name]) => name !== LAST_USED);
  return createHash('sha256')
    .update(JSON.stringify([labels, data]))
    .digest('base64');
}

function isRevokedKey(secret: Wire): boolean {
  return textAt(objectAt(secret, 'metadata'), 'name').startsWith(API_KEY_SECRET_PREFIX) && textAt(objectAt(secret, 'data'), HASH) === '';
}

/** The AccessPolicy in effect, with its grants. @throws UnavailableError */
export async function readPolicy(transport: ApiTransport): Promise<Versioned<PolicyCopy>> {
  const path = objectPath(ACCESS_POLICIES, null, ACCESS_POLICY);
  const response = await transport.request({ method: 'GET', path, timeoutMs: READ_TIMEOUT_MS, retry: false });
  const failure = failureOf(response);
  if (failure === null) {
    const policy = asObject(response.body, 'accesspolicy');
    const version = versionOf(policy);
    const object = policy as unknown as AccessPolicy;
    return { value: { object, grants: grantsOf(object) }, version, digest: version };
  }
  if (isNotFound(failure)) return { value: { object: null, grants: grantsOf(null) }, version: '', digest: '' };
  throw new ApiFault(`reading accesspolicy ${ACCESS_POLICY}`, failure);
}

/** Valid keys, oldest first; empty where there is none. */
export async function readSessionKeys(location: SecretsLocation): Promise<readonly SessionKey[]> {
  const texts = (await readSecret(location, SESSION_KEYS_SECRET)) ?? {};
  return Object.entries(texts)
    .map(([id, text]): SessionKey => ({ id, bytes: Buffer.from(text, 'base64') }))
    .filter(({ bytes }) => bytes.length === SESSION_KEY_BYTES)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The API keys. @throws UnavailableError, also where the answer takes longer than a request may wait */
export async function readApiKeys(
  { transport, namespace }: SecretsLocation,
  timer: MachineTimer,
): Promise<Versioned<ReadonlyMap<string, StoredApiKey>>> {
  const deadline = new AbortController();
  const cancel = timer.setTimer(READ_TIMEOUT_MS, () => deadline.abort(new Error(`no answer within ${READ_TIMEOUT_MS} ms`)));
  try {
    const keys = new Map<string, StoredApiKey>();
    const path = collectionPath(SECRETS, namespace);
    let version = '';
    for await (const page of listPages(transport, path, { labelSelector: LABELS.apiKey }, deadline.signal)) {
      if (page.restarted) keys.clear();
      version = page.resourceVersion;
      for (const item of page.items) {
        const key = apiKeyOf(item);
        if (key !== null) keys.set(key.id, key);
      }
    }
    return { value: keys, version, digest: [...keys.values()].map(({ id, hash, email }) => [id, hash, email].join(' ')).join('\n') };
  } finally {
    cancel();
  }
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
