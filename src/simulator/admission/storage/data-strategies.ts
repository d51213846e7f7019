import type { FieldError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import { sameJson } from '../../actors/canonical.ts';
import { forbiddenField } from '../field-errors.ts';
import { immutableErrors } from '../workloads/template-rules.ts';

/** Takes `stringData` over into `data`; it is never shown again. */
export const secretStrategy: ResourceStrategy = {
  prepareForCreate: takeStringData,
  prepareForUpdate: takeStringData,
  validate: (object, old) => [...(old === null ? [] : immutableErrors('type', object['type'], old['type'])), ...frozenErrors(object, old)],
};

export const configMapStrategy: ResourceStrategy = { validate: frozenErrors };

function takeStringData(draft: KubeObject): void {
  const { stringData } = draft;
  if (typeof stringData !== 'object' || stringData === null) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text), 'utf8').toString('base64')]);
  draft['data'] = { ...(draft['data'] as object | undefined), ...Object.fromEntries(encoded) };
  delete draft['stringData'];
}

/** `immutable: true` is for good. */
function frozenErrors(object: KubeObject, old: KubeObject | null): FieldError[] {
  if (old?.['immutable'] !== true) return [];
  const fields = ['data', 'binaryData', 'immutable'] as const;
  return fields
    .filter((field) => !sameJson(object[field], old[field]))
    .map((field) => forbiddenField(field, 'field is immutable when `immutable` is set'));
}
