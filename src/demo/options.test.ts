import { describe, expect, test } from '@jest/globals';
import { parseDemoOptions } from './options.ts';

describe('parseDemoOptions', () => {
  test('defaults to sixty virtual seconds per second on six nodes', () => {
    expect(parseDemoOptions([])).toMatchObject({ ok: true, options: { speed: 60, nodes: 6, seed: 1, for: null } });
  });

  test.each([
    ['--speed max without an end', ['--speed', 'max'], '--for DURATION'],
    ['--compare without an end', ['--compare'], '--for DURATION'],
    ['--compare of a cluster alone', ['--compare', '--for', '1d', '--no-controller'], '--no-controller'],
    ['a speed of nothing', ['--speed', '0'], '--speed: "0" must be a number from 1 to 1000, or max'],
    ['a duration without unit', ['--for', '21'], '--for: "21" must be a duration such as 30m, 21d or 1d12h'],
    ['a port that does not exist', ['--dashboard-port', '70000'], '--dashboard-port: "70000" must be a whole number from 0 to 65535'],
  ])('rejects %s', (_, args, words) => {
    const parsed = parseDemoOptions(args);
    expect(parsed.ok ? '' : parsed.problems.join('\n')).toContain(words);
  });

  test('accepts all options together', () => {
    const args = [
      '--manifests',
      'm',
      '--usage',
      'u',
      '--nodes',
      '3',
      '--machine-type',
      'e2-standard-2',
      '--speed',
      'max',
      '--seed',
      '7',
      '--for',
      '21d',
      '--compare',
    ];
    expect(parseDemoOptions(args)).toMatchObject({ ok: true, options: { for: 21 * 86_400_000, compare: true, speed: 'max', seed: 7 } });
  });
});
