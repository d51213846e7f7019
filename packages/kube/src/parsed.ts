/** Result of parsing a user's text. The message of a refusal includes the valid forms. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | ParseError;

/** A refusal, with a message for users. */
export interface ParseError {
  readonly ok: false;
  readonly message: string;
}

/** Creates a success. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** Creates a refusal. */
export function refused(message: string): ParseError {
  return { ok: false, message };
}
