// Errors of request options, for all verbs.

import { ApiStatusError, type FieldError } from '../api-error.ts';

type OptionsKind = 'CreateOptions' | 'DeleteOptions' | 'ListOptions' | 'PatchOptions' | 'UpdateOptions';

/** 422 for the query, or for the body of a DELETE. */
export function optionsInvalid(kind: OptionsKind, errors: readonly FieldError[]): ApiStatusError {
  const words = errors.map((error) => `${error.field}: ${error.message}`);
  const list = words.length === 1 ? (words[0] ?? '') : `[${words.join(', ')}]`;
  return new ApiStatusError(422, 'Invalid', `${kind}.meta.k8s.io "" is invalid: ${list}`, {
    group: 'meta.k8s.io',
    kind,
    causes: errors.map((error) => ({ reason: error.type, message: error.message, field: error.field })),
  });
}

export function forbidden(field: string, why: string): FieldError {
  return { field, type: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

export function tooLong(field: string, maxLength: number): FieldError {
  return { field, type: 'FieldValueTooLong', message: `Too long: may not be more than ${maxLength} bytes` };
}

/** `given` is shown as JSON: some options are lists. */
export function unsupported(field: string, given: unknown, choices: readonly string[]): FieldError {
  const supported = choices.map((choice) => JSON.stringify(choice)).join(', ');
  return { field, type: 'FieldValueNotSupported', message: `Unsupported value: ${JSON.stringify(given)}: supported values: ${supported}` };
}
