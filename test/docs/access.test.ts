// The threats in docs/access.md name tests that exist.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { missingProofs } from './proofs.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'access.md'), 'utf8');
const rows = (text.split('\n## Threats\n')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map((cells) => [cells[1] ?? '', cells[3] ?? ''] as const);

test.each(rows)('an attacker who %s: the tests exist', (_threat, proofs) => {
  expect(missingProofs(proofs)).toEqual([]);
});

test('every threat has a test', () => {
  expect(rows.length).toBeGreaterThan(10);
});
