import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missingProofs } from './proofs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

/** Rows of the tables whose last cell cites tests. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.test.ts'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map((cells) => [cells[1] ?? '', cells.at(-2) ?? '', cells.at(-3) ?? ''] as const);

/** Files of the source, the chart and config/ that are not tests. */
const DECIDING = /^(src|packages|charts|config)\/(?!.*\.test\.ts$).+\.(ts|yaml)$/;

describe('docs/security.md', () => {
  test.each(rows)('"%s" names tests that exist', (_claim, proofs) => {
    expect(missingProofs(proofs)).toEqual([]);
  });

  test.each(rows)('"%s" names the files that decide it', (_claim, _proofs, files) => {
    expect(files.split(', ').filter((file) => !DECIDING.test(file) || !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test.each(['tenant', 'node', 'neighbour', 'store', 'Prometheus', 'webhook'])('has a section on what a %s can do', (attacker) => {
    expect(text).toMatch(new RegExp(`^## .*${attacker}`, 'im'));
  });
});
