// hack/prove-stable with a stub make.

import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const PROVE_STABLE = join(ROOT, 'hack', 'prove-stable');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-prove-stable-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(make: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const file = join(folder, 'make');
  writeFileSync(file, `#!/bin/sh\n${make}\n`);
  chmodSync(file, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...more };
  return spawn(PROVE_STABLE, [...args, '--logs', join(folder, 'logs')], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Outcome {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => void lines.push(line));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const errors = await text(child.stderr!);
  return { code: await closed, lines, errors };
}

describe('hack/prove-stable', () => {
  test('prints seconds and totals of each run, keeps its output, and succeeds when all passed', async () => {
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
    ['make failed nevertheless', 'echo "7 passed, 0 failed"; exit 2', '7 passed, 0 failed'],
    ['nothing was counted', 'echo nothing', 'no totals printed'],
  ])('continues and fails when %s, and names the log', async (_what, make, totals) => {
    const { code, lines } = await outcomeOf(start(make, ['2']));
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(`^1/2 make test: \\d+ s, ${totals}; see .*1-test.log$`),
      expect.stringMatching(`^2/2 make test: \\d+ s, ${totals}; see .*2-test.log$`),
      '2 of 2 runs failed',
    ]);
    expect(code).toBe(1);
  });

  test('lists the failures of a run, each once', async () => {
    const fail = 'FAIL test/e2e/idle.test.ts (12.3 s)\n  ● An idle workload › is woken\n';
    const { lines } = await outcomeOf(start(`printf '${fail}PASS test/e2e/crash.test.ts\n${fail}'; echo "6 passed, 1 failed"`, ['1']));
    expect(lines.slice(2)).toEqual(['FAIL test/e2e/idle.test.ts', '  ● An idle workload › is woken', '1 of 1 runs failed']);
  });

  test('runs make in the repository, without the variables that select a part of the tests', async () => {
    const make = 'echo "$(pwd) [$TESTS$BENCH$MAKEFLAGS]"; echo "7 passed, 0 failed"';
    expect((await outcomeOf(start(make, ['1'], { TESTS: 'src/core', BENCH: 'fortnight', MAKEFLAGS: 'n' }))).code).toBe(0);
    expect(readFileSync(join(folder, 'logs', '1-test.log'), 'utf8')).toBe(`${ROOT} []\n7 passed, 0 failed\n`);
  });

  test('reads totals that arrive in parts, and that count skipped tests', async () => {
    const make = 'printf "1 passed, 1 failed\\n7 pas"; sleep 0.3; printf "sed, 0 failed, 2 skipped\\n"';
    const { code, lines } = await outcomeOf(start(make, ['1']));
    expect([code, lines[1]]).toEqual([0, expect.stringMatching(/ s, 7 passed, 0 failed, 2 skipped$/)]);
  });

  test('ends make and fails when a log cannot be written', async () => {
    mkdirSync(join(folder, 'logs', '1-test.log'), { recursive: true });
    const { code, errors } = await outcomeOf(start('sleep 600', ['2']));
    expect([code, errors]).toEqual([1, expect.stringMatching(/^cannot write .*1-test\.log: EISDIR/)]);
  });

  test('ends make and fails when a busy loop ends', async () => {
    const killLoop = 'while read -r pid _ _ parent _; do [ "$parent" != $PPID ] || [ $pid = $$ ] || kill $pid; done <$stat';
    const make = `for stat in /proc/[0-9]*/stat; do ${killLoop}; done 2>/dev/null; sleep 600`;
    const { code, errors } = await outcomeOf(start(make, ['2']));
    expect([code, errors]).toEqual([1, expect.stringContaining('busy loop ended (SIGTERM)')]);
  });

  test('ends its run with all started processes, and its busy loops, when it is interrupted', async () => {
    // The sleep represents a process that a test left running. It holds the output of make open, and the run ends when the output is
    // closed.
    const started = join(folder, 'started');
    const child = start(`sleep 600 & touch ${started}; wait`, ['1']);
    const outcome = outcomeOf(child);
    while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGINT');
    expect((await outcome).code).toBe(130);
  });

  test.each([
    [['many'], 'RUNS is a whole number of at most 3 digits, not "many"'],
    [['1', '2'], 'one number of runs is expected'],
    [['0'], '0 runs prove nothing without --e2e'],
    [['--unknown'], "Unknown option '--unknown'"],
  ])('refuses %j and prints its usage', async (args, problem) => {
    const { code, errors } = await outcomeOf(start('', args));
    expect([code, errors]).toEqual([2, expect.stringMatching(/\n\nusage: hack\/prove-stable /)]);
    expect(errors).toContain(problem);
  });

  test('accepts 0 runs of make test with --e2e', async () => {
    const { code, lines } = await outcomeOf(start('echo "7 passed, 0 failed"', ['0', '--e2e']));
    expect([code, lines.at(-1)]).toEqual([0, 'all 2 runs passed']);
  });

  test('prints its usage on request', async () => {
    const { code, lines, errors } = await outcomeOf(start('', ['--help']));
    expect([code, lines[0], errors]).toEqual([0, expect.stringMatching(/^usage: hack\/prove-stable /), '']);
  });
});
