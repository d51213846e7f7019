import { describe, expect, test } from '@jest/globals';
import { readArguments } from './arguments.ts';

const isSwitch = (name: string): boolean => ['help', 'version', 'config-compat', 'controller.dry-run'].includes(name);

describe('arguments of a binary', () => {
  test('are settings, except for the four options of every binary', () => {
    const read = readArguments(['--config', 'a.yaml', '--config-compat', '--controller.log-level=debug', '--namespace', 'ops'], isSwitch);
    expect(read).toMatchObject({ config: 'a.yaml', configCompat: true, help: false, version: false, problems: [] });
    expect(read.flags).toEqual([
      { name: 'controller.log-level', value: 'debug' },
      { name: 'namespace', value: 'ops' },
    ]);
  });

  test('a switch does not take the next argument as its value', () => {
    const read = readArguments(['--controller.dry-run', '--config', 'a.yaml'], isSwitch);
    expect([read.flags, read.config]).toEqual([[{ name: 'controller.dry-run', value: true }], 'a.yaml']);
    expect(readArguments(['--controller.dry-run=false'], isSwitch).flags).toEqual([{ name: 'controller.dry-run', value: 'false' }]);
  });

  test('the last of several values applies, and a value may contain =', () => {
    expect(readArguments(['--config=a', '--config=b=c'], isSwitch).config).toBe('b=c');
  });

  test('all problems are reported at once', () => {
    expect(readArguments(['start', '--namespace', '--config'], isSwitch).problems).toEqual([
      'start: unexpected argument; `--help` lists the options',
      '--namespace: needs a value',
      '--config: needs a value',
    ]);
  });
});
