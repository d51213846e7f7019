/**
 * FNV-1a over the UTF-16 code units of a text: 32 bits, unsigned. Fast and evenly spread; no protection against forgery.
 * Stored names and fingerprints depend on it, so its values never change.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
