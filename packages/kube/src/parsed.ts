/** What came of parsing text that a person wrote. A refusal says what is wrong and what is allowed. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | ParseError;

/** A refusal: one plain sentence that can be shown as it is. */
export interface ParseError {
  readonly ok: false;
  readonly message: string;
}

/** A success. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** A refusal. */
export function refused(message: string): ParseError {
  return { ok: false, message };
}
