import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missingProofs } from './proofs.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8');

/** Rows of tables whose last cell names tests. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.test.ts'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map((cells) => [cells[1] ?? '', cells.at(-2) ?? ''] as const);

describe('docs/security.md', () => {
  test.each(rows)('"%s" names tests that exist', (_claim, proofs) => {
    expect(missingProofs(proofs)).toEqual([]);
  });

  test.each(['tenant', 'node', 'neighbour', 'store', 'Prometheus', 'webhook'])('has a section on what a %s can do', (attacker) => {
    expect(text).toMatch(new RegExp(`^## .*${attacker}`, 'im'));
  });
});
