import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

// It is JavaScript, as Jest loads it without a transform, and has no types.
const { default: LongestFirst, LONGEST_FIRST } = await import(join(import.meta.dirname, 'longest-first.js'));

test('every suite that is listed exists', () => {
  const missing = LONGEST_FIRST.filter((name: string) => !existsSync(join(import.meta.dirname, '..', 'test', `${name}.test.ts`)));
  expect([LONGEST_FIRST.length > 0, missing]).toEqual([true, []]);
});

test('the listed suites run in their order, and all others behind them by name', () => {
  const paths = ['e2e/b', 'e2e/a', 'e2e/faults', 'e2e/memory', 'controlplane/faults'].map((name) => `/checkout/test/${name}.test.ts`);
  const sorted = new LongestFirst().sort(paths.map((path) => ({ path }))).map(({ path }: { path: string }) => path);
  expect(sorted).toEqual([4, 3, 2, 1, 0].map((index) => paths[index]));
});
