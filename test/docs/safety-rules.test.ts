import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { missingProofs } from './proofs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(ROOT, 'docs', 'safety-rules.md'), 'utf8');

const numbered = (letter: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
/** Memory, CPU, verification, nodes and pods, and pace. */
const RULES = [...numbered('M', 6), ...numbered('C', 7), ...numbered('V', 7), ...numbered('N', 6), 'Pa'];

/** Rule and proof of each row: `path/of/the.test.ts`, or `path/of/the.test.ts: "name of the test"`, separated by `;`. */
const rows = text
  .split('\n')
  .filter((line) => /^\| [A-Z][a-z0-9]+ +\|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, rule = '', , , proofs = '']) => [rule, proofs] as const);

describe('docs/safety-rules.md', () => {
  test.each(rows)('rule %s names tests that exist', (_rule, proofs) => {
    expect(missingProofs(proofs)).toEqual([]);
  });

  test.each(RULES)('has rule %s, with the name of a test', (rule) => {
    expect(rows.some(([id, proofs]) => id === rule && proofs.includes('"'))).toBe(true);
  });

  test('has no other rules', () => {
    expect(rows.map(([rule]) => rule).filter((rule) => !RULES.includes(rule))).toEqual([]);
  });
});
