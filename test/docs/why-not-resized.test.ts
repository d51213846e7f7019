import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AWAITING_REASONS, BLOCKED_REASONS } from '../../src/apis/conditions.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A reader answers the question from fewer than ten files: those of the table and the list of layers. */
const MAX_FILES = 9;

const rows = readFileSync(join(ROOT, 'docs', 'why-not-resized.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, state, reason, path] = /^\| `([a-z]+)`(?:, `([a-z-]+)`)? *\|.*\| `(src\/[^`]+)` *\|$/.exec(line) ?? [];
    return state === undefined || path === undefined ? [] : [{ state, reason, path }];
  });

test('docs/why-not-resized.md lists every reason of a workload that waits or is blocked', () => {
  expect(
    rows
      .filter(({ state }) => state === 'awaiting')
      .map(({ reason }) => reason)
      .toSorted(),
  ).toEqual(AWAITING_REASONS.toSorted());
  expect(
    rows
      .filter(({ state }) => state === 'blocked')
      .map(({ reason }) => reason)
      .toSorted(),
  ).toEqual(BLOCKED_REASONS.toSorted());
});

test.each(rows)('$state $reason is decided in $path', ({ state, reason, path }) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(`'${reason ?? state}'`);
});

test(`the code behind all of them is in fewer than ten files`, () => {
  expect(new Set([...rows.map(({ path }) => path), 'src/core/resize/layers/decide-workload.ts']).size).toBeLessThanOrEqual(MAX_FILES);
});
