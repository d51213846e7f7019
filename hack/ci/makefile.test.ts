// The recipe of `make e2e`, and hack/e2e-needs, in a folder with stub programs.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '../../test/fakes/fast-timer.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-makefile-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProgram(path: string, script: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `#!/bin/bash\n${script}\n`);
  chmodSync(join(folder, path), 0o755);
}

describe('make e2e', () => {
  beforeEach(() => {
    copyFileSync(join(ROOT, 'Makefile'), join(folder, 'Makefile'));
    mkdirSync(join(folder, 'hack'));
    for (const program of ['check-test-paths.ts', 'test-totals.ts'])
      symlinkSync(join(ROOT, 'hack', program), join(folder, 'hack', program));
    // The Makefile looks for programs in this folder first.
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
    for (const file of ['package.json', 'package-lock.json', 'node_modules/.installed']) writeFileSync(join(folder, file), '');
    writeProgram('hack/e2e-needs', 'echo needs >>calls');
    writeProgram('node_modules/.bin/npm', 'echo "npm $*" >>calls');
  });

  function makeE2e(...args: readonly string[]): { readonly status: number | null; readonly total: string; readonly calls: string } {
    const options = { cwd: folder, env: environment(), encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync('make', ['--no-print-directory', 'e2e', ...args], options);
    return { status, total: stdout.trimEnd().split('\n').at(-1) ?? '', calls: callsSoFar() };
  }

  function environment(): NodeJS.ProcessEnv {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TESTS|M.*FLAGS|MAKE.*)$/.test(name)));
  }

  function callsSoFar(): string {
    return existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8') : '';
  }

  test.each([
    ['the build', 'node_modules/.bin/npm'],
    ['hack/e2e-needs', 'hack/e2e-needs'],
  ])('ends with a total when %s fails, and runs no test', (_what, program) => {
    writeProgram(program, 'exit 1');
    const { status, total, calls } = makeE2e();
    expect([status, total, calls]).toEqual([2, '0 passed, 1 failed', expect.not.stringContaining('test:e2e')]);
  });

  test.each([
    ['', true],
    ['test/controlplane/journey', true],
    ['test/e2e/idle test/controlplane', true],
    ['test/e2e/idle', false],
    ['test/e2e/idle test/e2e/crash', false],
  ])('TESTS="%s" needs a control plane: %s', (tests, isNeeded) => {
    expect(makeE2e(`TESTS=${tests}`).calls.includes('needs')).toBe(isNeeded);
  });

  test('ends all processes that Jest started when make gets SIGTERM', async () => {
    const ending = (what: string): string => `trap 'wait; echo ${what} has ended >>calls; exit' TERM`;
    writeProgram('worker', `${ending('the worker')}\nsleep 600 & echo worker >>calls; wait`);
    // The build runs npm too.
    writeProgram('node_modules/.bin/npm', `[ "$*" = "run -s build" ] && exit\n${ending('Jest')}\n./worker & wait`);
    const make = spawn('make', ['--no-print-directory', 'e2e'], { cwd: folder, env: environment(), stdio: 'ignore' });
    const closed = new Promise<number | null>((resolve) => make.once('close', resolve));
    await until(() => callsSoFar().includes('worker'), 'the worker runs: make started Jest, and Jest the worker');
    make.kill('SIGTERM');
    await closed;
    expect(callsSoFar()).toMatch(/the worker has ended\nJest has ended\n$/);
  });

  test('refuses a path of another tier before building', () => {
    expect(makeE2e('TESTS=test/e2e/idle src/core')).toMatchObject({ status: 2, calls: '' });
  });
});

(existsSync('/var/lib/apt') ? describe : describe.skip)('hack/e2e-needs', () => {
  beforeEach(() => {
    for (const name of ['bash', 'dirname', 'flock', 'sleep', 'env']) {
      const path = ['/usr/bin', '/bin'].map((bin) => join(bin, name)).find(existsSync);
      if (path !== undefined) writeProgram(`bin/${name}`, `exec ${path} "$@"`);
    }
    writeProgram('bin/id', 'echo 0');
  });

  async function runNeeds(): Promise<{ readonly code: number | null; readonly errors: string }> {
    const env = { PATH: join(folder, 'bin') };
    const child = spawn('/bin/bash', [join(ROOT, 'hack', 'e2e-needs'), 'packages'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const errors = await text(child.stderr);
    return { code: await closed, errors };
  }

  test('names the missing packages when the package lists cannot be updated', async () => {
    writeProgram('bin/apt-get', 'exit 100');
    const { code, errors } = await runNeeds();
    expect([code, errors]).toEqual([1, expect.stringMatching(/apt-get update failed.*prometheus/)]);
  });

  test('updates the package lists in one process at a time', async () => {
    writeProgram('bin/apt-get', 'echo begin >>calls; sleep 0.3; echo end >>calls; exit 100');
    await Promise.all([runNeeds(), runNeeds()]);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('begin\nend\nbegin\nend\n');
  });
});
