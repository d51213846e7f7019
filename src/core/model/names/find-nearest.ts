/**
 * Finds the candidate with the smallest edit distance, to be suggested in a message.
 * @param comparable equal for names that count as the same
 * @returns undefined where none is similar: the distance is more than 2 and more than a quarter of the text
 */
export function findNearest(
  text: string,
  candidates: Iterable<string>,
  comparable: (name: string) => string = (name) => name,
): string | undefined {
  const wanted = comparable(text);
  const limit = Math.max(2, wanted.length * 0.25);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of candidates) {
    const other = comparable(name);
    // The distance is at least the difference of the lengths.
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, other);
    // A distance as long as the text replaces every character.
    if (distance <= limit && distance < wanted.length && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
