import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
/** docs/embedded-cluster.md names files relative to its package. */
const BASES = [ROOT, join(ROOT, 'packages', 'embedded-cluster', 'src')];
/** Decisions are historical: they name files as they were then. */
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const NAMED = /`((?:(?:src|test|hack|packages|charts|config|crds)\/[\w./-]+)|(?:[\w-]+\/)+[\w.-]+\.ts)`/g;

function missingFiles(text: string): readonly string[] {
  const named = [...text.matchAll(NAMED)].map(([, path = '']) => path);
  return named.filter((path) => !BASES.some((base) => existsSync(join(base, path))));
}

test('finds the missing files that a text names', () => {
  expect(missingFiles('`src/gone.ts`, `api/gone.ts`, `docs/*.md`, `src/cmd/`, `a/b`')).toEqual(['src/gone.ts', 'api/gone.ts']);
});

describe('every named file exists:', () => {
  test.each(DOCUMENTS)('%s', (document) => {
    expect(missingFiles(readFileSync(join(ROOT, document), 'utf8'))).toEqual([]);
  });
});
