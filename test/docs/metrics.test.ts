// docs/metrics.md lists every metric of the code, also those that the generator's controller might not register.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../chart/rules.ts';

const NAME = /name: '(evenkeel_[a-z_]+)'/g;

const declared = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .flatMap((path) => [...readFileSync(join(ROOT, 'src', path), 'utf8').matchAll(NAME)].map(([, name = '']) => name));
const listed = new Set(
  [...readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(/^\| `(evenkeel_[a-z_]+)`/gm)].map(([, name]) => name),
);

test('docs/metrics.md lists each metric that the code declares', () => {
  expect(declared.length).toBeGreaterThan(50);
  expect(declared.filter((name) => !listed.has(name))).toEqual([]);
});
