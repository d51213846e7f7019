// Fails where a text of the project uses a word that hack/vocabulary/refused-words.ts refuses; --counts prints totals only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RefusedWordFinder, type Finding } from './vocabulary/find-refused-words.ts';
import { ALLOWED_WORDS, REFUSED_WORDS, UNREAD_FILES } from './vocabulary/refused-words.ts';
import { listTextFiles } from './vocabulary/text-files.ts';

const root = join(import.meta.dirname, '..');
const finder = new RefusedWordFinder(REFUSED_WORDS, ALLOWED_WORDS);
const findings = listTextFiles(root)
  .filter(({ path }) => !UNREAD_FILES.some((unread) => unread.path.test(path)))
  .flatMap(({ path, isFolder }) => [
    ...finder.findInName(path),
    ...(isFolder ? [] : finder.findInText(path, readFileSync(join(root, path), 'utf8'))),
  ]);
const unused = finder.unusedEntries();

if (process.argv.includes('--counts')) {
  printCounts('by folder', findings, ({ path }) =>
    path
      .split('/')
      .slice(0, path.startsWith('src/') ? 2 : 1)
      .join('/'),
  );
  printCounts('by word', findings, ({ form }) => form);
} else {
  for (const { path, line, column, found, write } of findings) {
    console.log(line === 0 ? `${path}: the name has "${found}": write ${write}` : `${path}:${line}:${column}: "${found}": write ${write}`);
  }
}
for (const { form, path } of unused)
  console.log(`hack/vocabulary/refused-words.ts: "${form}" is allowed in ${String(path)}, where it is not used`);
console.log(`${findings.length} refused words`);
process.exitCode = findings.length + unused.length > 0 ? 1 : 0;

function printCounts(title: string, all: readonly Finding[], keyOf: (finding: Finding) => string): void {
  console.log(title);
  const counts = Object.entries(Object.groupBy(all, keyOf)).map(([key, group]) => ({ key, count: group?.length ?? 0 }));
  for (const { key, count } of counts.toSorted((a, b) => b.count - a.count)) console.log(`${String(count).padStart(6)}  ${key}`);
}
