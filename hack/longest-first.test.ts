import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

// Plain JavaScript without types, because Jest loads it without a transform.
const { default: LongestFirst, secondsOf } = await import(join(import.meta.dirname, 'longest-first.js'));

test('suites run in the order of their seconds in test/README.md, those without seconds last and by name', () => {
  const table: Map<string, number> = secondsOf(readFileSync(join(import.meta.dirname, '..', 'test', 'README.md'), 'utf8'));
  const known = [...table.keys()].filter((suite) => /^test\/(e2e|controlplane)\//.test(suite));
  expect(known.length).toBeGreaterThan(40);
  const paths = ['test/e2e/unknown-b.test.ts', 'test/e2e/unknown-a.test.ts', ...known].map((path) => ({ path: `/checkout/${path}` }));
  const sorted: readonly { readonly path: string }[] = new LongestFirst().sort(paths);
  const seconds = sorted.map(({ path }) => table.get(path.replace('/checkout/', '')) ?? 0);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  expect(sorted.slice(-2).map(({ path }) => path.slice(-9))).toEqual(['a.test.ts', 'b.test.ts']);
});
