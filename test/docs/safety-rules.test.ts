import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(ROOT, 'docs', 'safety-rules.md'), 'utf8');

/** Rule and proof of each row: `path/of/the.test.ts`, or `path/of/the.test.ts: "name of the test"`; several are parted by `;`. */
const rows = text
  .split('\n')
  .filter((line) => /^\| [A-Z]+\d*[a-z]? +\|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, rule = '', , , proofs = '']) => [rule, proofs] as const);

describe('docs/safety-rules.md', () => {
  test.each(rows)('rule %s names tests that exist', (_rule, proofs) => {
    for (const proof of proofs.split('; ')) {
      const [, path = '', name = ''] = /^`?([^`:]+\.test\.ts)`?(?:: "(.*)")?$/.exec(proof) ?? [];
      expect([proof, existsSync(join(ROOT, path))]).toEqual([proof, path !== '']);
      expect(readFileSync(join(ROOT, path), 'utf8')).toContain(name);
    }
  });

  test('has rows for memory', () => {
    expect(rows.map(([rule]) => rule)).toContain('M1');
  });
});
