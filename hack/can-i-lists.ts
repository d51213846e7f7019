// The lists of `kubectl auth can-i --list` in docs/rbac.md, each in a fenced block below a heading with its ServiceAccount's name.

const BLOCK = /(### Of `([\w-]+)`\n\n```text\n)([\s\S]*?)(```)/g;

/** Lists by ServiceAccount, as written. */
export function canIListsIn(document: string): Readonly<Record<string, string>> {
  const lists: Record<string, string> = {};
  for (const [, , account = '', text = ''] of document.matchAll(BLOCK)) lists[account] = text;
  return lists;
}

/** Sorted lines of a list with single blanks between the columns, for a comparison that ignores kubectl's column widths. */
export function linesOf(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
    .sort();
}

/** Replaces the lists of a document. @throws when the document has no block for one of them */
export function withCanILists(document: string, lists: Readonly<Record<string, string>>): string {
  const placed = new Set<string>();
  const replaced = document.replaceAll(BLOCK, (whole, head: string, account: string, _old: string, end: string) => {
    const list = lists[account];
    if (list === undefined) return whole;
    placed.add(account);
    const [header = '', ...rows] = list.trimEnd().split('\n');
    return `${head}${[header, ...rows.sort()].map((line) => line.trimEnd()).join('\n')}\n${end}`;
  });
  const missing = Object.keys(lists).filter((account) => !placed.has(account));
  if (missing.length > 0) throw new Error(`docs/rbac.md has no list for ${missing.join(', ')}: run make generate`);
  return replaced;
}
