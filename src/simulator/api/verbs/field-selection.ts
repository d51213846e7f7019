// Field selectors: `spec.nodeName=n1,status.phase!=Running`.

import { badRequest } from '../api-error.ts';
import { readPath } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';

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

/** Throws ApiStatusError 400 for a field that cannot be selected by. `selectable` are the resource's own fields. */
export function parseFieldSelector(text: string, selectable: readonly string[]): readonly FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const match = /^\s*([^=!]+?)\s*(!=|==|=)(.*)$/.exec(part);
    if (match === null) throw badRequest(`invalid field selector: ${JSON.stringify(part)}: couldn't understand the operator`);
    const field = match[1] ?? '';
    if (!ALWAYS.includes(field) && !selectable.includes(field)) throw badRequest(`field label not supported: ${field}`);
    requirements.push({ field, value: (match[3] ?? '').replaceAll(/\\([,=\\])/g, '$1'), equal: match[2] !== '!=' });
  }
  return requirements;
}

/** null where there is nothing to test. */
export function fieldPredicate(requirements: readonly FieldRequirement[]): ((object: KubeObject) => boolean) | null {
  if (requirements.length === 0) return null;
  const tests = requirements.map(({ field, value, equal }) => {
    const path = (ALIASES[field] ?? field).split('.');
    return (object: KubeObject) => (asText(readPath(object, path), field) === value) === equal;
  });
  return (object) => tests.every((test) => test(object));
}

/** A field that is not set reads as its Go zero value. */
function asText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return field === 'spec.unschedulable' || field === 'spec.hostNetwork' ? 'false' : '';
}
