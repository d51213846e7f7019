// hack/prove-stable with a make of a few lines in place of the real one.

import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const PROVE_STABLE = join(import.meta.dirname, '..', 'prove-stable');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-prove-stable-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(make: string, args: readonly string[]): ChildProcess {
  const file = join(folder, 'make');
  writeFileSync(file, `#!/bin/sh\n${make}\n`);
  chmodSync(file, 0o755);
  const environment = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  return spawn(PROVE_STABLE, [...args, '--logs', join(folder, 'logs')], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outcomeOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => void lines.push(line));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines };
}

describe('hack/prove-stable', () => {
  test('prints seconds and totals of each run, keeps its output, and succeeds where all passed', async () => {
    const { code, lines } = await outcomeOf(start('echo "$@"; echo "7 passed, 0 failed"', ['2', '--e2e']));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^1\/4 make test: \d+ s, 7 passed, 0 failed$/),
      expect.stringMatching(/^2\/4 make test: /),
      expect.stringMatching(/^3\/4 make e2e: /),
      expect.stringMatching(/^4\/4 make e2e: /),
      'all 4 runs passed',
    ]);
    expect(code).toBe(0);
    expect(readdirSync(join(folder, 'logs')).sort()).toEqual(['1-test.log', '2-test.log', '3-e2e.log', '4-e2e.log']);
    expect(readFileSync(join(folder, 'logs', '1-test.log'), 'utf8')).toBe('--no-print-directory test\n7 passed, 0 failed\n');
  });

  test.each([
    ['a test failed', 'echo "6 passed, 1 failed"', '6 passed, 1 failed'],
    ['make failed all the same', 'echo "7 passed, 0 failed"; exit 2', '7 passed, 0 failed'],
    ['nothing was counted', 'echo nothing', 'no totals printed'],
  ])('goes on and fails where %s, and names the log', async (_what, make, totals) => {
    const { code, lines } = await outcomeOf(start(make, ['2']));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(`^1/2 make test: \\d+ s, ${totals}; see .*1-test.log$`),
      expect.stringMatching(`^2/2 make test: \\d+ s, ${totals}; see .*2-test.log$`),
      '2 of 2 runs failed',
    ]);
    expect(code).toBe(1);
  });

  test('interrupted ends its run with all that the run started, and its busy loops', async () => {
    // The sleep is what a test left running. It holds the output that make was given, and the run ends when that is closed.
    const started = join(folder, 'started');
    const child = start(`sleep 600 & touch ${started}; wait`, ['1']);
    const outcome = outcomeOf(child);
    while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGINT');
    expect((await outcome).code).toBe(130);
  });

  test('called wrongly says how it is called', async () => {
    const child = spawn(PROVE_STABLE, ['many'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    const { code } = await outcomeOf(child);
    expect([code, told]).toEqual([2, expect.stringContaining('usage: hack/prove-stable')]);
  });
});
