import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';

const WRONG = { code: 2, signal: null };

describe('Called wrongly', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'evenkeel-controller exits with 2 and names every problem of file, environment and flags, with the allowed values',
    async () => {
      const file = join(fixture.folder, 'settings.yaml');
      writeFileSync(file, 'kubelet:\n  interval: 1s\nhistory:\n  retnetion: 7d\ncontroller:\n  dryRun: maybe\n');
      const flags = ['--config', file, '--controller.log-level=loud', '--dashboard.addr=nowhere', '--no-such-setting=1', 'stray'];
      const environment = { EVENKEEL_HISTORY_MAX_BYTES: '12', EVENKEEL_RATE_LIMIT_BURST: 'many' };
      const controller = fixture.startProcess('src/cmd/evenkeel-controller.ts', flags, { environment });
      expect(await controller.exit()).toEqual(WRONG);
      const output = controller.stderr.join('\n');
      for (const [what, remedy] of [
        ['kubelet.interval', /5s/],
        ['history.retnetion', /history\.retention/],
        ['controller.dryRun', /maybe/],
        ['controller.logLevel', /debug, info, warn, error/],
        ['dashboard.addr', /nowhere/],
        ['no-such-setting', /unknown|no such/i],
        ['stray', /option/],
        ['history.maxBytes', /1048576/],
        ['rateLimit.burst', /many/],
      ] as const) {
        expect(output).toContain(what);
        expect([what, output]).toEqual([what, expect.stringMatching(remedy)]);
      }
      expect(controller.stdout).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'evenkeel demo exits with 2 and names every problem',
    async () => {
      const demo = fixture.startProcess('src/demo/main.ts', [
        'demo',
        '--speed',
        '0',
        '--nodes',
        'six',
        '--api-port',
        '70000',
        '--sped',
        '60',
        '--compare',
      ]);
      expect(await demo.exit()).toEqual(WRONG);
      expect(demo.stderr.join('\n')).toMatch(/--speed: "0" must be a number from 1 to 1000, or max/);
      for (const name of ['--nodes: "six"', '--api-port: "70000"', '--sped']) expect(demo.stderr.join('\n')).toContain(name);
    },
    HANG_TEST_MS,
  );

  test(
    'without a reachable cluster evenkeel-controller exits with 1 and names the missing setting',
    async () => {
      const nowhere = join(fixture.folder, 'no-kubeconfig');
      const controller = fixture.startProcess('src/cmd/evenkeel-controller.ts', [`--kubernetes.kubeconfig=${nowhere}`]);
      expect(await controller.exit()).toEqual({ code: 1, signal: null });
      expect(controller.stderr.at(-1)).toContain(nowhere);
    },
    HANG_TEST_MS,
  );

  test('a process that exits with an error fails the suite that started it', async () => {
    const unobserved = new TestFixture();
    const controller = unobserved.startProcess('src/cmd/evenkeel-controller.ts', ['--no-such-setting=1']);
    await eventually('the controller has exited: it refuses unknown options', HANG_MS, () => !controller.isRunning);
    await expect(unobserved.tearDown()).rejects.toThrow(/evenkeel-controller\.ts ended by itself: \{"code":2/);
  });
});
