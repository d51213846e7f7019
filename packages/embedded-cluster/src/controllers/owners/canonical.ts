// Hashing wire JSON. A field that is absent counts as one that is undefined: drafts come with both.

import { fnv1a } from '#kube/fnv1a';

/** Letters and digits without vowels and look-alikes, so that no name spells a word. */
const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** JSON with sorted keys: the same text for the same value. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    fields.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
  }
  return value === undefined ? 'null' : JSON.stringify(value);
}

/** FNV-1a over the canonical text, written in the safe alphabet: what names a revision of a template. */
export function shortHash(value: unknown, salt = 0): string {
  const text = salt === 0 ? canonicalJson(value) : `${canonicalJson(value)}#${String(salt)}`;
  return Array.from(fnv1a(text).toString(10), (digit) => safeCharacter(Number(digit))).join('');
}

/** The nth character that a generated name may hold; counts round. */
export function safeCharacter(index: number): string {
  return SAFE_ALPHABET.charAt(index % SAFE_ALPHABET.length);
}

export const SAFE_CHARACTERS: number = SAFE_ALPHABET.length;
