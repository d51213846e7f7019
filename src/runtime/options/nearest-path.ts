/** The known path with the smallest edit distance; undefined where none is similar. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const text = letters(path);
  let best: { readonly path: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(text, letters(candidate));
    if (best === undefined || distance < best.distance) best = { path: candidate, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, text.length * 0.25) ? best.path : undefined;
}

/** Equal for the path, the variable and the flag of a setting. */
function letters(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^evenkeel/, '');
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
