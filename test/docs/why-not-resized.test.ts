import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AWAITING_REASONS, BLOCKED_REASONS, RECOMMENDATION_STATES } from '../../src/apis/conditions.ts';
import { WAITING_RANK } from '../../src/core/resize/model/waiting.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A reader starts with fewer than ten files: the first of each row of waiting or blocked workloads, and the list of layers. */
const MAX_FILES = 9;

const rows = readFileSync(join(ROOT, 'docs', 'why-not-resized.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, state, reason, code] = /^\| `([a-z]+)`(?:, `([a-z-]+)`)? *\|.*\| (`src\/[^|]+`) *\|$/.exec(line) ?? [];
    const paths = [...(code ?? '').matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '');
    return state === undefined ? [] : [{ state, reason, paths }];
  });
const reasonsOf = (wanted: string) => rows.flatMap(({ state, reason }) => (state === wanted && reason !== undefined ? [reason] : []));

test('docs/why-not-resized.md lists every waiting reason, in order of precedence', () => {
  expect(reasonsOf('awaiting')).toEqual(AWAITING_REASONS.toSorted((a, b) => WAITING_RANK[a] - WAITING_RANK[b]));
});

test('no two waiting reasons have the same rank', () => {
  expect(new Set(Object.values(WAITING_RANK)).size).toBe(AWAITING_REASONS.length);
});

test('docs/why-not-resized.md lists every blocking reason and every state', () => {
  expect(reasonsOf('blocked').toSorted()).toEqual(BLOCKED_REASONS.toSorted());
  expect([...new Set(rows.map(({ state }) => state))].toSorted()).toEqual(RECOMMENDATION_STATES.toSorted());
});

test.each(rows.flatMap(({ paths, ...row }) => paths.map((path) => ({ ...row, path }))))(
  '$state $reason is decided in $path',
  ({ state, reason, path }) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(`'${reason ?? state}'`);
  },
);

test('a reader begins in fewer than ten files', () => {
  const first = rows.filter(({ state }) => state === 'awaiting' || state === 'blocked').map(({ paths: [path] }) => path);
  expect(new Set([...first, 'src/core/resize/layers/decide-workload.ts']).size).toBeLessThanOrEqual(MAX_FILES);
});
