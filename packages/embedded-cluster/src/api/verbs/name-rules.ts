// Syntax of names, keys and values in metadata, with the API server's messages.

import type { FieldError } from '../api-error.ts';

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

/** Term for a value that is a label: `web`, not `web.shop`. */
const LABEL_NAMED: ReadonlySet<string> = new Set(['namespaces', 'services']);

const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const NAME_PART_PATTERN = "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'";
const NAME_PART_EXAMPLES = "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is ";
const NAME_PART_WORDS = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ${NAME_PART_EXAMPLES}${NAME_PART_PATTERN})`;
const QUALIFIED_NAME_WORDS = `a valid label key ${NAME_PART_WORDS} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LABEL_VALUE_WORDS =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_MAX_LENGTH = 63;
const PREFIX_MAX_LENGTH = 253;

/** Errors of the name of an object of that resource, as messages. */
export function nameFaults(resourceId: string, name: string): string[] {
  if (resourceId.endsWith('.rbac.authorization.k8s.io')) return pathSegmentFaults(name);
  return LABEL_NAMED.has(resourceId) ? labelFaults(name) : ruleFaults(SUBDOMAIN, name);
}

/** Errors of a name that must be a DNS label, such as that of a container or a port. */
export function labelFaults(name: string): string[] {
  const faults = ruleFaults(LABEL, name);
  const hasDots = name.includes('.') && SUBDOMAIN.pattern.test(name);
  return faults.map((fault) => (hasDots && fault === LABEL.words ? 'must not contain dots' : fault));
}

function ruleFaults({ pattern, maxLength, words }: NameRule, name: string): string[] {
  return [...(name.length > maxLength ? [`must be no more than ${maxLength} characters`] : []), ...(pattern.test(name) ? [] : [words])];
}

/** Names of roles may contain almost any character of a path. */
function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
}

export function labelErrors(field: string, labels: Readonly<Record<string, unknown>> | undefined): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [invalid(field, value, 'must be a string', 'FieldValueTypeInvalid')];
    return [...qualifiedNameErrors(field, key), ...labelValueFaults(value).map((fault) => invalid(field, value, fault))];
  });
}

function labelValueFaults(value: string): string[] {
  return [
    ...(value.length > LABEL_MAX_LENGTH ? [`must be no more than ${LABEL_MAX_LENGTH} bytes`] : []),
    ...(LABEL_VALUE.test(value) ? [] : [LABEL_VALUE_WORDS]),
  ];
}

/** Errors of a key with or without a prefix: a label, an annotation, a finalizer. */
export function qualifiedNameErrors(field: string, key: string): FieldError[] {
  const parts = key.split('/');
  if (parts.length > 2) return [invalid(field, key, QUALIFIED_NAME_WORDS)];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [...(prefix === undefined ? [] : prefixFaults(prefix)), ...namePartFaults(name)].map((fault) => invalid(field, key, fault));
}

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return [
    ...(prefix.length > PREFIX_MAX_LENGTH ? [`prefix part must be no more than ${PREFIX_MAX_LENGTH} bytes`] : []),
    ...(SUBDOMAIN.pattern.test(prefix) ? [] : [`prefix part ${SUBDOMAIN.words}`]),
  ];
}

function namePartFaults(name: string): string[] {
  if (name === '') return ['name part must be non-empty', `name part ${NAME_PART_WORDS}`];
  return [
    ...(name.length > LABEL_MAX_LENGTH ? [`name part must be no more than ${LABEL_MAX_LENGTH} bytes`] : []),
    ...(NAME_PART.test(name) ? [] : [`name part ${NAME_PART_WORDS}`]),
  ];
}

function invalid(field: string, value: unknown, why: string, type: FieldError['type'] = 'FieldValueInvalid'): FieldError {
  return { field, type, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}
