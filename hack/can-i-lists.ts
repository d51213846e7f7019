// The lists of `kubectl auth can-i --list` in docs/rbac.md, each in a fenced block under a heading of its ServiceAccount's name.

const BLOCK = /(### Of `([\w-]+)`\n\n```text\n)([\s\S]*?)(```)/g;

/** By ServiceAccount, as written. */
export function canIListsIn(document: string): Readonly<Record<string, string>> {
  const lists: Record<string, string> = {};
  for (const [, , account = '', text = ''] of document.matchAll(BLOCK)) lists[account] = text;
  return lists;
}

/** The lines of a list, to be compared: in order, one blank between columns, whose widths are kubectl's taste. */
export function linesOf(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
    .sort();
}

/** The document with these lists in place of those that it has. @throws when it has no place for one */
export function withCanILists(document: string, lists: Readonly<Record<string, string>>): string {
  const placed = new Set<string>();
  const written = document.replaceAll(BLOCK, (whole, head: string, account: string, _old: string, end: string) => {
    const list = lists[account];
    if (list === undefined) return whole;
    placed.add(account);
    const [header = '', ...rows] = list.trimEnd().split('\n');
    return `${head}${[header, ...rows.sort()].map((line) => line.trimEnd()).join('\n')}\n${end}`;
  });
  const missing = Object.keys(lists).filter((account) => !placed.has(account));
  if (missing.length > 0) throw new Error(`docs/rbac.md has no list for ${missing.join(', ')}: run make generate`);
  return written;
}
