import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const paths = [...readFileSync(join(ROOT, 'docs', 'sizing.md'), 'utf8').matchAll(/`(src\/[^`]+)`/g)].map(([, path]) => path ?? '');

test('every file that docs/sizing.md names exists', () => {
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
