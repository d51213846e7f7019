import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { type DemoOptions, parseDemoOptions } from './options.ts';
import { preflight } from './preflight.ts';

function optionsOf(...args: string[]): DemoOptions {
  const parsed = parseDemoOptions(args);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.options;
}

describe('before anything is built', () => {
  test('every port that is taken is named with its option', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const problems = await preflight(optionsOf('--api-port', `${port}`, '--probe-port', `${port}`));
    await new Promise((resolve) => holder.close(resolve));
    expect(problems).toEqual([
      expect.stringContaining('--probe-port'),
      expect.stringContaining(`--api-port: port ${port}`),
      expect.stringContaining(`--probe-port: port ${port}`),
    ]);
  });

  test('files that cannot be written are named with their option', async () => {
    const problems = await preflight(optionsOf('--kubeconfig', '/nowhere/at/all/config', '--log-file', '/'));
    expect(problems).toEqual([expect.stringContaining('--kubeconfig'), expect.stringContaining('--log-file')]);
  });

  test('the defaults are fine', async () => {
    expect(await preflight(optionsOf())).toEqual([]);
  });
});
