// Bounds what an event stores, and removes what must not be stored.

const MAX_JSON_LENGTH = 4_096;
const MAX_TEXT_LENGTH = 512;
const MAX_DEPTH = 12;
/** Names of fields. An e-mail address or another key with a dot names what was changed, and its value is the change. */
const SECRET_NAME = /^[\w-]*(?:passw|secret|token|cookie|authorization|credential|privatekey)[\w-]*$|^key$|^[\w-]*hash$/i;
const API_KEY = /\bek_[a-z0-9]+_[A-Za-z0-9]+/g;
const BEARER = /\bbearer\s+\S+/gi;

/** A value as an event stores it: without secrets, and as JSON of at most 4,096 characters. A longer one is cut, as text with its length. */
export function storedValue(value: unknown): unknown {
  const clean = withoutSecrets(value, 0) ?? null;
  const json = JSON.stringify(clean);
  return json.length <= MAX_JSON_LENGTH ? clean : { truncated: storedText(json, MAX_JSON_LENGTH / 2), length: json.length };
}

/** A text as an event stores it: without secrets and control characters, and at most `maxLength` characters long. */
export function storedText(text: string, maxLength = MAX_TEXT_LENGTH): string {
  // PostgreSQL stores neither a NUL nor half of a surrogate pair.
  return redacted(text.slice(0, maxLength))
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{fffd}');
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redacted(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, SECRET_NAME.test(name) ? '[redacted]' : withoutSecrets(item, depth + 1)]),
  );
}

function redacted(text: string): string {
  return text.replaceAll(API_KEY, 'ek_[redacted]').replaceAll(BEARER, 'Bearer [redacted]');
}
