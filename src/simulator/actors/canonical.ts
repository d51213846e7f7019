// Comparing and hashing wire JSON. A field that is absent equals one that is undefined: drafts come with both.

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

/** Structural equality of wire JSON. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!sameJson(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/** FNV-1a over the canonical text, written in the safe alphabet: what names a revision of a template. */
export function shortHash(value: unknown, salt = 0): string {
  let hash = 0x811c9dc5;
  const text = salt === 0 ? canonicalJson(value) : `${canonicalJson(value)}#${String(salt)}`;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return Array.from(hash.toString(10), (digit) => safeCharacter(Number(digit))).join('');
}

/** The nth character that a generated name may hold; counts round. */
export function safeCharacter(index: number): string {
  return SAFE_ALPHABET.charAt(index % SAFE_ALPHABET.length);
}

export const SAFE_CHARACTERS: number = SAFE_ALPHABET.length;
