// Decodes the metadata of an object that a client sent: known fields of the right types, everything else named.

import { isObject } from '#kube/json';
import { badRequest, UndecodableError } from '../api-error.ts';
import { cloneJson } from '../json.ts';
import type { KubeObject, ObjectMeta } from '../kube-object.ts';

type FieldType = 'string' | 'integer' | 'strings' | 'map' | 'list';

const FIELDS: Readonly<Record<string, FieldType>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'integer',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'integer',
  labels: 'map',
  annotations: 'map',
  finalizers: 'strings',
  ownerReferences: 'list',
  managedFields: 'list',
};

const GO_TYPES: Readonly<Record<FieldType, string>> = {
  string: 'string',
  integer: 'int64',
  strings: 'string',
  map: 'map[string]string',
  list: '[]v1.OwnerReference',
};

export interface DecodedObject {
  /** A copy of its own: the caller may change it. */
  readonly object: KubeObject;
  /** Unknown fields of metadata: `metadata.foo`. They are dropped. */
  readonly unknownFields: readonly string[];
}

/** Throws ApiStatusError 400 where the body is no object or a field of its metadata has the wrong type. */
export function decodeObject(body: unknown, apiVersion: string, kind: string): DecodedObject {
  if (!isObject(body)) throw badRequest(`the request body must be a ${kind} object`);
  checkTypeMeta(body, apiVersion, kind);
  const given = body['metadata'] ?? {};
  if (!isObject(given)) throw undecodable(apiVersion, kind, 'metadata', 'ObjectMeta', given);
  const metadata: Record<string, unknown> = {};
  const unknownFields: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const type = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (type === undefined) unknownFields.push(`metadata.${name}`);
    else if (value !== null && name !== 'selfLink') {
      if (!hasType(value, type)) throw undecodable(apiVersion, kind, `metadata.${name}`, GO_TYPES[type], value);
      metadata[name] = cloneJson(value);
    }
  }
  const object = { apiVersion, kind, metadata: metadata as unknown as ObjectMeta } as KubeObject;
  for (const [name, value] of Object.entries(body)) {
    if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata' && value !== undefined) object[name] = cloneJson(value);
  }
  return { object, unknownFields };
}

function checkTypeMeta(body: Record<string, unknown>, apiVersion: string, kind: string): void {
  const given = { apiVersion: textOr(body['apiVersion'], apiVersion), kind: textOr(body['kind'], kind) };
  if (given.apiVersion === apiVersion && given.kind === kind) return;
  const version = splitApiVersion(given.apiVersion)[1];
  const why =
    given.apiVersion === apiVersion
      ? `${given.kind} is another kind`
      : `no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(given.apiVersion)} in scheme "embedded cluster"`;
  throw new UndecodableError(given.kind, version, kind, why);
}

/** What is no text is shown as it is written. */
function textOr(value: unknown, fallback: string): string {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `apps/v1` → `['apps', 'v1']`, `v1` → `['', 'v1']`. */
function splitApiVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

function hasType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value);
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'map':
      return isObject(value) && Object.values(value).every((item) => typeof item === 'string');
    case 'list':
      return Array.isArray(value) && value.every(isObject);
  }
}

function undecodable(apiVersion: string, kind: string, field: string, goType: string, value: unknown): Error {
  const version = splitApiVersion(apiVersion)[1];
  const holder = field === 'metadata' ? kind : 'ObjectMeta';
  return new UndecodableError(
    kind,
    version,
    kind,
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${holder}.${field} of type ${goType}`,
  );
}

/** As Go's JSON package names what it found. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}
