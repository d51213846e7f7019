// Errors of single fields, with the API server's messages.

import type { FieldError } from '../api/api-error.ts';

export function required(field: string, why = ''): FieldError {
  return { field, type: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}` };
}

/** @param value shown as JSON, as the server shows it */
export function invalidValue(field: string, value: unknown, why: string): FieldError {
  return { field, type: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

export function forbiddenField(field: string, why: string): FieldError {
  return { field, type: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((each) => JSON.stringify(each)).join(', ');
  return { field, type: 'FieldValueNotSupported', message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}` };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { field, type: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(value)}` };
}
