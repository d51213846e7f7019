// .ci/run in a folder with a stub make and a stub compiler.

import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const RESULTS = { numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, testResults: [] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-ci-test-'));
  mkdirSync(join(folder, '.ci'));
  mkdirSync(join(folder, 'hack'));
  copyFileSync(join(ROOT, '.ci', 'run'), join(folder, '.ci', 'run'));
  symlinkSync(join(ROOT, 'hack', 'ci-report.ts'), join(folder, 'hack', 'ci-report.ts'));
  writeProgram('hack/e2e-needs', '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProgram(path: string, script: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `#!/bin/bash\n${script}\n`);
  chmodSync(join(folder, path), 0o755);
}

/** A make whose install creates Node.js, and whose tests write result files. */
function writeMake(more = '', numPendingTests = 0): void {
  const results = JSON.stringify({ ...RESULTS, numPendingTests });
  const install = `mkdir -p node_modules/.bin && ln -sf ${process.execPath} node_modules/.bin/node`;
  const writeResults = `echo '${results}' >node_modules/.$1-results.json`;
  writeProgram('bin/make', `echo "make $1"\n${more}\ncase $1 in install) ${install};; test | e2e) ${writeResults};; esac`);
}

function start(shell: string): ChildProcess {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  return spawn('bash', ['-c', shell], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outcomeOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = (await text(child.stdout!)).trimEnd().split('\n');
  return { code: await closed, lines };
}

async function exists(file: string): Promise<void> {
  while (!existsSync(join(folder, file))) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves once a killed process is gone: its new parent reaps it a moment later. */
async function hasEnded(pid: number): Promise<true> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch (err) {
      expect((err as NodeJS.ErrnoException).code).toBe('ESRCH');
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('.ci/run', () => {
  test.each(['exec .ci/run', 'exec .ci/run <&-', 'exec bash -m .ci/run', 'setsid -w .ci/run'])('runs every step: %s', async (shell) => {
    writeMake('', 1);
    const { code, lines } = await outcomeOf(start(shell));
    expect([code, lines.at(-1)]).toEqual([0, '6 passed, 0 failed, 2 skipped']);
    expect(lines.filter((line) => line.startsWith('make '))).toEqual(['make install', 'make check', 'make test', 'make e2e']);
    expect(lines).toContainEqual(expect.stringMatching(/^compile-wait +\d+ +10$/));
  });

  test.each([
    ['kwok', 'test +\\d+ +180 ', 'compile-wait +\\d+ +10$'],
    ['controlplane', 'test +\\d+ +420 ', 'compile-wait +\\d+ +600$'],
  ])('has the budgets for a build of %s', async (built, ...rows) => {
    writeMake();
    writeProgram('hack/e2e-needs', `[ "$1" = packages ] || echo ${built} >>"$EVENKEEL_BUILT_FILE"`);
    const { lines } = await outcomeOf(start('exec .ci/run'));
    for (const row of rows) expect(lines).toContainEqual(expect.stringMatching(`^${row}`));
  });

  test('continues after a failed step, and fails', async () => {
    writeMake('[ $1 != check ] || exit 2');
    const { code, lines } = await outcomeOf(start('exec .ci/run'));
    expect([code, lines.slice(-2)]).toEqual([1, ['FAILED: check', '6 passed, 0 failed']]);
  });

  test('compiles the control plane once when that fails, and ends e2e with the message', async () => {
    // The real hack/e2e-needs with a compiler that fails.
    copyFileSync(join(ROOT, 'hack', 'e2e-needs'), join(folder, 'hack', 'e2e-needs'));
    for (const server of ['prometheus', 'postgres']) writeProgram(`bin/${server}`, '');
    const compiler = `appendFileSync('compiles', 'once'); console.error('compiling'); console.error('no such module'); process.exitCode = 1;`;
    writeFileSync(join(folder, 'hack', 'build-control-plane.ts'), `import { appendFileSync } from 'node:fs'; ${compiler}`);
    writeMake('[ $1 != e2e ] || { hack/e2e-needs 2>&1; exit 2; }');
    const { code, lines } = await outcomeOf(start('exec .ci/run'));
    expect([code, lines.at(-1)]).toEqual([1, '3 passed, 1 failed']);
    expect(lines).toContain('FAILED: compile-wait');
    expect(lines).toContain('make e2e: hack/e2e-needs failed before in this run: no such module');
    expect(readFileSync(join(folder, 'compiles'), 'utf8')).toBe('once');
  });

  test('ends when install fails, without Node.js', async () => {
    writeMake('[ $1 != install ] || exit 2');
    const { code, lines } = await outcomeOf(start('exec .ci/run 2>/dev/null'));
    expect([code, lines.filter((line) => line.startsWith('make ')), lines.at(-1)]).toEqual([1, ['make install'], '0 passed, 1 failed']);
  });

  test('ends when the packages cannot be installed', async () => {
    writeMake();
    writeProgram('hack/e2e-needs', 'exit 1');
    const { code, lines } = await outcomeOf(start('exec .ci/run'));
    expect([code, lines.slice(-3)]).toEqual([1, ['test and e2e did not run', 'FAILED: install', '0 passed, 1 failed']]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends the running step and the compiler at once on %s', async (signal) => {
    // Both sleeps hold the output of .ci/run open, which is read to its end.
    writeMake('[ $1 != test ] || { sleep 600 & touch tests-started; wait; }');
    writeProgram('hack/e2e-needs', '[ "$1" = packages ] || { sleep 600 & echo $! >compiler; wait; }');
    const child = start('exec .ci/run');
    const outcome = outcomeOf(child);
    await Promise.all([exists('tests-started'), exists('compiler')]);
    child.kill(signal);
    const { code, lines } = await outcome;
    expect([code, lines.slice(-2)]).toEqual([130, ['FAILED: test', '0 passed, 2 failed']]);
    const compiler = Number(readFileSync(join(folder, 'compiler'), 'utf8'));
    expect(await hasEnded(compiler)).toBe(true);
  });

  test('interrupted during install, without Node.js, ends with a total', async () => {
    writeMake('touch started; sleep 600');
    const child = start('exec .ci/run 2>/dev/null');
    const outcome = outcomeOf(child);
    await exists('started');
    child.kill('SIGTERM');
    const { code, lines } = await outcome;
    expect([code, lines.at(-1)]).toEqual([130, '0 passed, 1 failed']);
  });
});
