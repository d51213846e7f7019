// Names, labels and the rest of metadata that every object shares, checked as Kubernetes checks and words it.

import type { FieldError } from '../api-error.ts';
import type { KubeObject, ObjectMeta } from '../kube-object.ts';

interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly words: string;
}

const SUBDOMAIN: NameRule = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  maxLength: 253,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
};
const LABEL: NameRule = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  maxLength: 63,
  words:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
};
const OLD_LABEL: NameRule = {
  pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  maxLength: 63,
  words:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
};

const RULES: ReadonlyMap<string, NameRule> = new Map([
  ['namespaces', LABEL],
  ['services', OLD_LABEL],
]);
const LABEL_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Characters that generated names end in: no vowels, so that no words come out. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_BASE_MAX_LENGTH = 58;

/** `web-` → `web-x7k2p`. `next` is uniform in [0, 1). */
export function generatedName(base: string, next: () => number): string {
  let name = base.slice(0, GENERATED_BASE_MAX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index++) name += SUFFIX_CHARACTERS.charAt(Math.floor(next() * SUFFIX_CHARACTERS.length));
  return name;
}

/** Everything wrong with the metadata of an object that is about to be stored. `id` is the resource's. */
export function metadataErrors(id: string, object: KubeObject): FieldError[] {
  const { metadata } = object;
  return [
    ...nameErrors(id, metadata),
    ...labelErrors(metadata.labels),
    ...annotationErrors(metadata.annotations),
    ...finalizerErrors(metadata.finalizers),
    ...ownerErrors(metadata.ownerReferences),
  ];
}

function nameErrors(id: string, metadata: ObjectMeta): FieldError[] {
  const { name } = metadata;
  if (name === '') return [invalidValue('metadata.name', name, 'name or generateName is required', 'FieldValueRequired')];
  if (id.endsWith('.rbac.authorization.k8s.io')) {
    const bad = name === '.' || name === '..' || /[/%]/.test(name);
    return bad ? [invalidValue('metadata.name', name, `may not be '.' or '..' nor contain '/' or '%'`)] : [];
  }
  const rule = RULES.get(id) ?? SUBDOMAIN;
  if (name.length > rule.maxLength) return [invalidValue('metadata.name', name, `must be no more than ${rule.maxLength} bytes`)];
  return rule.pattern.test(name) ? [] : [invalidValue('metadata.name', name, rule.words)];
}

const QUALIFIED_NAME_WORDS =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_WORDS =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function labelErrors(labels: Readonly<Record<string, string>> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value: unknown = labels[key];
    errors.push(...qualifiedNameErrors('metadata.labels', key));
    if (typeof value !== 'string') errors.push(invalidValue('metadata.labels', value, 'must be a string', 'FieldValueTypeInvalid'));
    else if (value.length > 63) errors.push(invalidValue('metadata.labels', value, 'must be no more than 63 bytes'));
    else if (!LABEL_VALUE.test(value)) errors.push(invalidValue('metadata.labels', value, LABEL_VALUE_WORDS));
  }
  return errors;
}

function qualifiedNameErrors(field: string, key: string): FieldError[] {
  const slash = key.lastIndexOf('/');
  const prefix = slash < 0 ? null : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== null && (prefix === '' || prefix.length > 253 || !SUBDOMAIN.pattern.test(prefix)))
    return [invalidValue(field, key, `prefix part ${SUBDOMAIN.words}`)];
  if (name === '') return [invalidValue(field, key, 'name part must be non-empty')];
  if (name.length > 63) return [invalidValue(field, key, 'name part must be no more than 63 bytes')];
  return LABEL_NAME.test(name) ? [] : [invalidValue(field, key, QUALIFIED_NAME_WORDS)];
}

function annotationErrors(annotations: Readonly<Record<string, string>> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    const value: unknown = annotations[key];
    errors.push(...qualifiedNameErrors('metadata.annotations', key.toLowerCase()));
    if (typeof value !== 'string') errors.push(invalidValue('metadata.annotations', value, 'must be a string', 'FieldValueTypeInvalid'));
    else size += key.length + value.length;
  }
  if (size > ANNOTATIONS_MAX_BYTES)
    errors.push({
      field: 'metadata.annotations',
      type: 'FieldValueTooLong',
      message: `Too long: may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`,
    });
  return errors;
}

function finalizerErrors(finalizers: readonly string[] | undefined): FieldError[] {
  return (finalizers ?? []).flatMap((finalizer, index) => qualifiedNameErrors(`metadata.finalizers[${index}]`, finalizer));
}

function ownerErrors(owners: ObjectMeta['ownerReferences']): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, owner] of (owners ?? []).entries()) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (typeof owner[field] !== 'string' || owner[field] === '')
        errors.push(invalidValue(`metadata.ownerReferences[${index}].${field}`, '', 'must not be empty'));
    }
  }
  if ((owners ?? []).filter((owner) => owner.controller === true).length > 1)
    errors.push(
      invalidValue('metadata.ownerReferences', 'multiple', 'Only one reference can have Controller set to true', 'FieldValueInvalid'),
    );
  return errors;
}

function invalidValue(field: string, value: unknown, why: string, type: FieldError['type'] = 'FieldValueInvalid'): FieldError {
  const words = type === 'FieldValueRequired' ? `Required value: ${why}` : `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return { field, type, message: words };
}
