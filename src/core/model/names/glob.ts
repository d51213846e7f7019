// Globs over Kubernetes names: `*` matches any number of characters, `?` one.

import { parsed, refused, type Parsed } from '#kube/parsed';

/** A valid glob. */
export interface Glob {
  readonly text: string;
}

/** Parses a glob over names of namespaces or containers. */
export function parseGlob(text: string): Parsed<Glob> {
  if (/^[a-z0-9.*?-]{1,253}$/.test(text)) return parsed({ text });
  return refused(`'${text}' is not a glob over names; allowed are a-z, 0-9, '-', '.', * for any characters and ? for one`);
}

/** Whether the entire name matches. Backtracks only to the last `*`, so that no glob takes exponential time. */
export function isGlobMatch(glob: Glob, name: string): boolean {
  const pattern = glob.text;
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < name.length) {
    const expected = pattern.charAt(at);
    if (expected === '*') {
      star = at;
      resume = position;
      at += 1;
    } else if (at < pattern.length && ((expected === '?' && name.charAt(position) !== '*') || expected === name.charAt(position))) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      resume += 1;
      position = resume;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern.charAt(at) === '*') at += 1;
  return at === pattern.length;
}

/**
 * Whether every name that `inner` matches is matched by `outer`. False for a few equal globs that are written differently, such as `*?` and
 * `?*`.
 */
export function isGlobWithin(inner: Glob, outer: Glob): boolean {
  // The inner glob is matched as a name: `*` of the outer one covers each of its characters, `?` all but `*`.
  return isGlobMatch(outer, inner.text);
}
