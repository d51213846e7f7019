import { createHash } from 'node:crypto';

/**
 * Entity tag of an answer: over data, total, the caller's scope and the form, never over the timestamp, request id, data
 * age or cache time, so that what has not changed stays 304.
 */
export function entityTag(data: unknown, total: number, scopeKey: string, form: 'json' | 'csv' = 'json'): string {
  return entityTagOf(JSON.stringify(data), total, scopeKey, form);
}

/** The same of data that is written as JSON already: a long page is written once, for its tag and its body. */
export function entityTagOf(json: string, total: number, scopeKey: string, form: 'json' | 'csv' = 'json'): string {
  const hash = createHash('sha256');
  hash.update(json);
  hash.update(JSON.stringify([total, scopeKey, form]));
  return `"${hash.digest('base64url').slice(0, 32)}"`;
}

/** Whether a header's list of entity tags names this one. Compared weakly: a proxy that recodes a body weakens its tag. */
export function tagMatches(header: string, tag: string): boolean {
  const strong = (each: string): string => each.trim().replace(/^W\//, '');
  return header.split(',').some((each) => each.trim() === '*' || strong(each) === tag);
}
