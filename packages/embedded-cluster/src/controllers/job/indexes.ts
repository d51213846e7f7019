// `status.completedIndexes` of an indexed Job: `0,2-4,7`.

export function readIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (range === null) continue;
    const first = Number(range[1]);
    for (let index = first; index <= Number(range[2] ?? first); index += 1) indexes.add(index);
  }
  return indexes;
}

/** Runs of two or more are written as a range. */
export function writeIndexes(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to += 1;
    const [first = 0, last = 0] = [sorted[from], sorted[to]];
    parts.push(first === last ? String(first) : `${String(first)}-${String(last)}`);
    from = to + 1;
  }
  return parts.join(',');
}
