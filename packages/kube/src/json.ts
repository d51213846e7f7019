// Parsing of untrusted JSON without exceptions.

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** undefined: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object, not null and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
