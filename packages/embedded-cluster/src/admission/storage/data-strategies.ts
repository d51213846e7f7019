import type { FieldError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import { isEqualJson } from '../../api/json.ts';
import { forbiddenField, invalidValue, required } from '../field-errors.ts';
import { immutableErrors } from '../workloads/template-rules.ts';

/** Moves `stringData` into `data`; it is never returned. */
export const secretStrategy: ResourceStrategy = {
  prepareForCreate: takeStringData,
  prepareForUpdate: takeStringData,
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...sizeErrors(object, 'data'),
    ...typeErrors(object),
    ...(old === null ? [] : immutableErrors('type', object['type'], old['type'])),
    ...frozenErrors(object, old),
  ],
};

export const configMapStrategy: ResourceStrategy = {
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...keyErrors(object, 'binaryData'),
    ...sizeErrors(object, ''),
    ...frozenErrors(object, old),
  ],
};

const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_WORDS =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
/** Size limit of etcd for one object, minus its metadata. */
const DATA_MAX_BYTES = 1024 * 1024;

/** Keys become file names. */
function keyErrors(object: KubeObject, field: 'data' | 'binaryData'): FieldError[] {
  return Object.keys(object[field] ?? {}).flatMap((key) => {
    const at = `${field}[${key}]`;
    if (key === '.' || key === '..') return [invalidValue(at, key, `must not be '${key}'`)];
    return KEY.test(key) ? [] : [invalidValue(at, key, KEY_WORDS)];
  });
}

function sizeErrors(object: KubeObject, field: string): FieldError[] {
  const bytesOf = (list: unknown, encoding: BufferEncoding): number =>
    Object.values((list ?? {}) as Record<string, string>).reduce((sum, text) => sum + Buffer.byteLength(text, encoding), 0);
  const isText = object.kind === 'ConfigMap';
  const size = bytesOf(object['data'], isText ? 'utf8' : 'base64') + bytesOf(object['binaryData'], 'base64');
  if (size <= DATA_MAX_BYTES) return [];
  return [
    { field: field === '' ? '[]' : field, type: 'FieldValueTooLong', message: `Too long: may not be more than ${DATA_MAX_BYTES} bytes` },
  ];
}

/** Required keys of the types that Kubernetes itself reads. */
const KEYS_BY_TYPE: Readonly<Record<string, readonly string[]>> = { 'kubernetes.io/tls': ['tls.crt', 'tls.key'] };

function typeErrors(object: KubeObject): FieldError[] {
  const data = (object['data'] ?? {}) as Record<string, string>;
  const keys = KEYS_BY_TYPE[String(object['type'])] ?? [];
  return keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
}

function takeStringData(draft: KubeObject): void {
  const { stringData } = draft;
  if (typeof stringData !== 'object' || stringData === null) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text), 'utf8').toString('base64')]);
  draft['data'] = { ...(draft['data'] as object | undefined), ...Object.fromEntries(encoded) };
  delete draft['stringData'];
}

/** `immutable: true` cannot be reverted. */
function frozenErrors(object: KubeObject, old: KubeObject | null): FieldError[] {
  if (old?.['immutable'] !== true) return [];
  const fields = ['data', 'binaryData', 'immutable'] as const;
  return fields
    .filter((field) => !isEqualJson(object[field], old[field]))
    .map((field) => forbiddenField(field, 'field is immutable when `immutable` is set'));
}
