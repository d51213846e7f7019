// Masks secrets in values of settings, for logs and errors.

import { isObject } from '#kube/json';
import type { ValueSchema } from './setting.ts';

const MASK = '***';

/**
 * The value with secrets masked, also in lists and objects, and passwords inside addresses. A value that does not match a schema with a
 * secret is masked completely, because the secret may be in the wrong place.
 */
export function masked(schema: ValueSchema, value: unknown): unknown {
  if (schema.secret === true) return maskedSecret(value);
  if (schema.type === 'list' && Array.isArray(value)) return value.map((item) => masked(schema.items, item));
  if (schema.type === 'object' && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, fieldValue]) => {
        const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
        return [name, field === undefined ? maskedSecret(fieldValue) : masked(field, fieldValue)];
      }),
    );
  }
  return hasSecret(schema) ? maskedSecret(value) : withoutPasswords(value);
}

/** Whether a value of this schema contains a secret. */
export function hasSecret(schema: ValueSchema): boolean {
  if (schema.secret === true) return true;
  if (schema.type === 'list') return hasSecret(schema.items);
  return schema.type === 'object' && Object.values(schema.fields).some(hasSecret);
}

/** Masks a value; whether it is set, and the length of a list, stay visible. */
function maskedSecret(value: unknown): unknown {
  if (value === '' || value === undefined) return value;
  return Array.isArray(value) ? value.map(() => MASK) : MASK;
}

function withoutPasswords(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/i, `$1:${MASK}@`);
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, fieldValue]) => [name, withoutPasswords(fieldValue)]));
}
