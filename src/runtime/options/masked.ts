// Values of settings as they may be printed, logged and repeated in an error.

import { isObject } from '#kube/json';
import type { ValueSchema } from './setting.ts';

const MASK = '***';

/**
 * The value with everything that is secret replaced, in lists and objects, too, and passwords inside of addresses. What does
 * not have the shape of the schema is replaced as a whole where the schema holds a secret: it may stand in a wrong place.
 */
export function masked(schema: ValueSchema, value: unknown): unknown {
  if (schema.secret === true) return maskedSecret(value);
  if (schema.type === 'list' && Array.isArray(value)) return value.map((item) => masked(schema.items, item));
  if (schema.type === 'object' && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
        return [name, field === undefined ? maskedSecret(each) : masked(field, each)];
      }),
    );
  }
  return holdsSecret(schema) ? maskedSecret(value) : withoutPasswords(value);
}

/** Whether a value of this schema has a secret anywhere. */
export function holdsSecret(schema: ValueSchema): boolean {
  if (schema.secret === true) return true;
  if (schema.type === 'list') return holdsSecret(schema.items);
  return schema.type === 'object' && Object.values(schema.fields).some(holdsSecret);
}

/** That something is given, and how many, is no secret. */
function maskedSecret(value: unknown): unknown {
  if (value === '' || value === undefined) return value;
  return Array.isArray(value) ? value.map(() => MASK) : MASK;
}

function withoutPasswords(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/i, `$1:${MASK}@`);
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutPasswords(each)]));
}
