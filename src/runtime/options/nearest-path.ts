/** The setting that an unknown path most likely means; undefined where none is near. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const wanted = letters(path);
  let best: { readonly path: string; readonly distance: number } | undefined;
  for (const each of known) {
    const distance = editDistance(wanted, letters(each));
    if (best === undefined || distance < best.distance) best = { path: each, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, wanted.length * 0.25) ? best.path : undefined;
}

/** The same for a path, a variable and a flag. */
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
