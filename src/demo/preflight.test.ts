import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { type DemoOptions, parseDemoOptions } from './options.ts';
import { preflight } from './preflight.ts';

function optionsOf(...args: string[]): DemoOptions {
  const parsed = parseDemoOptions(args);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.options;
}

describe('the preflight check', () => {
  test('reports every taken port with its option', async () => {
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

  test('reports files that cannot be written with their option', async () => {
    const problems = await preflight(optionsOf('--kubeconfig', '/nowhere/at/all/config', '--log-file', '/'));
    expect(problems).toEqual([expect.stringContaining('--kubeconfig'), expect.stringContaining('--log-file')]);
  });

  test('accepts the defaults', async () => {
    expect(await preflight(optionsOf())).toEqual([]);
  });
});
