import { createHash } from 'node:crypto';

/**
 * ETag of an answer, computed from data, total, the caller's scope and the format. Timestamp, request id, data age and cache time are
 * excluded, so that unchanged data stays 304.
 */
export function entityTag(data: unknown, total: number, scopeKey: string, form: 'json' | 'csv' = 'json'): string {
  return entityTagOf(JSON.stringify(data), total, scopeKey, form);
}

/** Like `entityTag`, for data that is already serialized: a long page is serialized once, for its tag and its body. */
export function entityTagOf(json: string, total: number, scopeKey: string, form: 'json' | 'csv' = 'json'): string {
  const hash = createHash('sha256');
  hash.update(json);
  hash.update(JSON.stringify([total, scopeKey, form]));
  return `"${hash.digest('base64url').slice(0, 32)}"`;
}

/** Whether a header's list of ETags contains this one. The comparison is weak, since a proxy that recodes a body weakens its tag. */
export function isTagMatch(header: string, tag: string): boolean {
  const strong = (each: string): string => each.trim().replace(/^W\//, '');
  return header.split(',').some((each) => each.trim() === '*' || strong(each) === tag);
}
