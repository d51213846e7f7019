// Field selectors: `spec.nodeName=n1,status.phase!=Running`.

import { badRequest } from '../../api-error.ts';
import { readPath } from '../../json.ts';
import type { KubeObject } from '../../kube-object.ts';
import type { ServedResource } from '../../resources/served-resources.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

const ALWAYS = ['metadata.name', 'metadata.namespace'];
/** Selector names that are not the path of the field they read. */
const ALIASES: Readonly<Record<string, string>> = {
  source: 'source.component',
  'status.successful': 'status.succeeded',
};

/** Throws ApiStatusError 400 for a field that cannot be selected by. */
export function parseFieldSelector(text: string, resource: Pick<ServedResource, 'custom' | 'descriptor'>): readonly FieldRequirement[] {
  const selectable = resource.descriptor.fieldSelectors;
  const requirements: FieldRequirement[] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const match = /^\s*([^=!]+?)\s*(!=|==|=)(.*)$/.exec(part);
    if (match === null) throw badRequest(`invalid field selector: ${JSON.stringify(part)}: couldn't understand the operator`);
    const field = match[1] ?? '';
    if (!ALWAYS.includes(field) && !selectable.includes(field)) throw notSelectable(field, !resource.custom && selectable.length === 0);
    requirements.push({ field, value: (match[3] ?? '').replaceAll(/\\([,=\\])/g, '$1'), equal: match[2] !== '!=' });
  }
  return requirements;
}

/** Built-in kinds without selectable fields have the generic message. */
function notSelectable(field: string, isPlain: boolean): Error {
  if (!isPlain) return badRequest(`field label not supported: ${field}`);
  return badRequest(
    `${JSON.stringify(field)} is not a known field selector: only ${ALWAYS.map((name) => JSON.stringify(name)).join(', ')}`,
  );
}

/** null when there is nothing to test. */
export function fieldPredicate(requirements: readonly FieldRequirement[]): ((object: KubeObject) => boolean) | null {
  if (requirements.length === 0) return null;
  const tests = requirements.map(({ field, value, equal }) => {
    const path = (ALIASES[field] ?? field).split('.');
    return (object: KubeObject) => (asText(readPath(object, path), field) === value) === equal;
  });
  return (object) => tests.every((test) => test(object));
}

const ZERO_VALUES: Readonly<Record<string, string>> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.replicas': '0',
  'status.successful': '0',
};

/** A field that is not set reads as its Go zero value. */
function asText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return ZERO_VALUES[field] ?? '';
}
