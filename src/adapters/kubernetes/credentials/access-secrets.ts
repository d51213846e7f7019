// Secrets of Evenkeel's namespace that decide access, and reads and writes of one.

import type { ApiTransport } from '#kube/api-transport';
import { SECOND_MS, type DurationMs } from '#kube/units';
import { LABELS } from '../../../apis/annotations.ts';
import { collectionPath, objectPath, SECRETS } from '../resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../status.ts';
import { asObject, objectAt, textAt, type Wire } from '../wire.ts';

/** Keys that seal session cookies, by id. */
export const SESSION_KEYS_SECRET = 'evenkeel-session-keys';
/** Ids of ended sessions, each with its time of expiry. */
export const ENDED_SESSIONS_SECRET = 'evenkeel-ended-sessions';
/** E-mail address and password hash of the local admin. */
export const LOCAL_ADMIN_SECRET = 'evenkeel-local-admin';
/** Prefix of the Secret of one API key, followed by its id. */
export const API_KEY_SECRET_PREFIX = 'evenkeel-api-key-';

/** Deadline of a read that a request waits for. */
export const READ_TIMEOUT_MS: DurationMs = 3 * SECOND_MS;

export interface SecretsLocation {
  readonly transport: ApiTransport;
  /** Evenkeel's namespace. */
  readonly namespace: string;
}

/** The texts of a Secret, decoded; null where it does not exist. @throws UnavailableError */
export async function readSecret(location: SecretsLocation, name: string): Promise<Readonly<Record<string, string>> | null> {
  return (await readSecretVersion(location, name))?.texts ?? null;
}

/** The texts of a Secret with its resourceVersion; null where it does not exist. @throws UnavailableError */
export async function readSecretVersion(
  location: SecretsLocation,
  name: string,
): Promise<{ readonly texts: Readonly<Record<string, string>>; readonly version: string } | null> {
  const { transport, namespace } = location;
  const path = objectPath(SECRETS, namespace, name);
  const response = await transport.request({ method: 'GET', path, timeoutMs: READ_TIMEOUT_MS, retry: false });
  const failure = failureOf(response);
  if (failure !== null) {
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading secret ${namespace}/${name}`, failure);
  }
  const secret = asObject(response.body, 'secret');
  return { texts: textsOf(secret), version: versionOf(secret) };
}

/** Creates a Secret, and returns its resourceVersion; null where one of the name exists. @throws UnavailableError */
export async function createSecret(
  location: SecretsLocation,
  name: string,
  texts: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const { transport, namespace } = location;
  const metadata = { name, namespace, labels: { ...ACCESS_LABELS, ...labels } };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: encoded(texts) };
  const response = await transport.request({ method: 'POST', path: collectionPath(SECRETS, namespace), body, timeoutMs: READ_TIMEOUT_MS });
  const failure = failureOf(response);
  if (failure === null) return versionOf(asObject(response.body, 'secret'));
  if (isConflict(failure)) return null;
  throw new ApiFault(`creating secret ${namespace}/${name}`, failure);
}

/** Merges texts into a Secret; null removes one. Returns its resourceVersion; null where it does not exist. @throws UnavailableError */
export async function mergeSecret(
  location: SecretsLocation,
  name: string,
  texts: Readonly<Record<string, string | null>>,
): Promise<string | null> {
  const { transport, namespace } = location;
  const response = await transport.request({
    method: 'PATCH',
    path: objectPath(SECRETS, namespace, name),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { data: encoded(texts) },
    timeoutMs: READ_TIMEOUT_MS,
  });
  const failure = failureOf(response);
  if (failure === null) return versionOf(asObject(response.body, 'secret'));
  if (isNotFound(failure)) return null;
  throw new ApiFault(`updating secret ${namespace}/${name}`, failure);
}

/** Deletes a Secret. False where it does not exist. @throws UnavailableError */
export async function deleteSecret({ transport, namespace }: SecretsLocation, name: string): Promise<boolean> {
  const response = await transport.request({ method: 'DELETE', path: objectPath(SECRETS, namespace, name), timeoutMs: READ_TIMEOUT_MS });
  const failure = failureOf(response);
  if (failure !== null && !isNotFound(failure)) throw new ApiFault(`deleting secret ${namespace}/${name}`, failure);
  return failure === null;
}

/** The decoded texts of a Secret's data. */
export function textsOf(secret: Wire): Readonly<Record<string, string>> {
  const data = objectAt(secret, 'data');
  return Object.fromEntries(Object.keys(data).map((key) => [key, Buffer.from(textAt(data, key), 'base64').toString('utf8')]));
}

/** The resourceVersion of an object. */
export function versionOf(object: Wire): string {
  return textAt(objectAt(object, 'metadata'), 'resourceVersion');
}

/** The label by which Evenkeel watches these Secrets. */
const ACCESS_LABELS = { 'app.kubernetes.io/part-of': 'evenkeel', [LABELS.access]: 'true' };

function encoded(texts: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === null ? null : Buffer.from(text, 'utf8').toString('base64')]),
  );
}
