// Fields of log lines as JSON.

import { ConfigurationError } from '../../ports/configuration-error.ts';
import type { LogFields } from '../../ports/logger.ts';

/** Fields whose name contains one of these words are redacted. */
const SECRET_FIELD = /token|secret|password|authorization|cookie|credential/i;

/** A replacer of `JSON.stringify`: errors with their causes, without secrets. */
export function logField(key: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'string' && SECRET_FIELD.test(key)) return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  return value;
}

function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined || error instanceof ConfigurationError ? {} : { stack }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** The fields as they are logged, without class instances: another thread logs them the same. */
export function plainFields(fields: LogFields): LogFields {
  return JSON.parse(JSON.stringify(fields, logField)) as LogFields;
}
