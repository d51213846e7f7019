import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadSettings } from '../../runtime/options/load-settings.ts';
import type { SettingTable } from '../../runtime/options/setting.ts';
import { EVENKEEL_SETTINGS } from '../../runtime/options/settings-schema.ts';
import type { Terminal } from '../command.ts';
import { configCommand, runConfig } from './command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function aFile(text: string): string {
  const file = join(folder, 'settings.yaml');
  writeFileSync(file, text);
  return file;
}

function aTerminal(environment: Terminal['environment'] = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    environment,
    interrupted: new AbortController().signal,
  };
  return { terminal, out, err };
}

async function run(args: readonly string[], environment: Terminal['environment'] = {}) {
  const { terminal, out, err } = aTerminal(environment);
  const code = await configCommand.run(args, terminal);
  return { code, out, err: err.join('\n') };
}

describe('evenkeel config check', () => {
  test('ends with 0 where file, environment and flags are valid', async () => {
    const file = aFile('controller: { dryRun: true }\n');
    expect(await run(['check', '--config', file, '--kubelet.interval=30s'])).toEqual({
      code: 0,
      out: ['evenkeel config: the settings are valid'],
      err: '',
    });
  });

  test('prints every problem of file, environment and flags, and ends with 2', async () => {
    const file = aFile('controller:\n  dryRun: maybe\nhistory:\n  retnetion: 7d\n');
    const { code, out, err } = await run(['check', '--config', file, '--dashboard.addr=nowhere', 'stray'], {
      EVENKEEL_HISTORY_MAX_BYTES: '12',
    });
    expect([code, out]).toEqual([2, []]);
    expect(err.split('\n')).toEqual([
      'evenkeel config: 5 settings are wrong:',
      '  (command line) (arguments): stray: unexpected argument; `--help` lists the options',
      `  controller.dryRun (file ${file}:2): "maybe": must be true or false`,
      `  history.retnetion (file ${file}:4): there is no such setting; did you mean history.retention?`,
      expect.stringContaining('history.maxBytes (environment EVENKEEL_HISTORY_MAX_BYTES): "12": must be a whole number'),
      expect.stringContaining('dashboard.addr (flag --dashboard.addr): "nowhere": must be an address'),
    ]);
  });

  test('with --config-compat unknown settings only warn', async () => {
    const { code, err } = await run(['check', '--config', aFile('colour: blue\n'), '--config-compat']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^evenkeel config: warning: colour .* is ignored$/)]);
  });

  test.each([[[]], [['chek']], [['--config', 'a.yaml']]])('a usage error (%j) prints the usage', async (args) => {
    expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining('evenkeel config print') });
  });

  test('has no version option', async () => {
    expect(await run(['check', '--version'])).toMatchObject({ code: 2, err: expect.stringContaining('--version') });
  });

  test('an unreadable file is a problem', async () => {
    const { code, err } = await run(['check', '--config', join(folder, 'none.yaml')]);
    expect([code, err]).toEqual([2, expect.stringContaining('none.yaml')]);
  });
});

describe('evenkeel config print', () => {
  test('prints each effective setting with its source: default, file, environment or flag', async () => {
    const file = aFile('controller:\n  logLevel: warn\nkubelet: { interval: 90s }\n');
    const { code, out } = await run(['print', '--config', file, '--controller.dry-run'], { EVENKEEL_CLUSTER_NAME: 'prod-eu' });
    expect(code).toBe(0);
    expect(out).toHaveLength(Object.keys(EVENKEEL_SETTINGS.settings).length);
    expect(out).toEqual(
      expect.arrayContaining([
        'cluster.name: "prod-eu" # environment EVENKEEL_CLUSTER_NAME',
        'controller.dryRun: true # flag --controller.dry-run',
        'controller.leaderElect: true # default',
        `controller.logLevel: "warn" # file ${file}:2`,
        `kubelet.interval: "1m30s" # file ${file}:3`,
      ]),
    );
  });

  test('masks secrets, and passwords inside addresses', async () => {
    const environment = { EVENKEEL_HISTORY_PASSWORD: 'hush', EVENKEEL_HISTORY_URL: 'postgres://keel:hush@db/history' };
    const { out } = await run(['print', '--prometheus.headers=Authorization: hush,X-Scope: hush'], environment);
    expect(out.filter((line) => line.includes('***'))).toEqual([
      'prometheus.headers: ["***","***"] # flag --prometheus.headers',
      'history.url: "postgres://keel:***@db/history" # environment EVENKEEL_HISTORY_URL',
      'history.password: "***" # environment EVENKEEL_HISTORY_PASSWORD',
    ]);
    expect(out.join('\n')).not.toContain('hush');
  });

  test('prints a settings file that reads back as the same settings', async () => {
    const flags = ['--kubelet.interval=1h30m', '--dashboard.allowed-hosts=a.example.com,b.example.com'];
    const { out } = await run(['print', ...flags]);
    const again = loadSettings(EVENKEEL_SETTINGS, { file: { name: 'printed.yaml', text: out.join('\n') }, environment: {}, flags: [] });
    expect(again).toMatchObject({
      ok: true,
      settings: { 'kubelet.interval': 5_400_000, 'dashboard.allowedHosts': ['a.example.com', 'b.example.com'] },
    });
  });

  test('masks secrets inside objects and lists', () => {
    const table = {
      instances: {
        type: 'list',
        items: {
          type: 'object',
          fields: { token: { type: 'string', secret: true, help: '' }, every: { type: 'duration', default: '1m', help: '' } },
        },
        default: [],
        help: '',
      },
    } as const satisfies SettingTable;
    const { terminal, out } = aTerminal({ EVENKEEL_INSTANCES: '[{"token":"hush"}]' });
    expect(runConfig({ settings: table }, ['print'], terminal)).toBe(0);
    expect(out).toEqual(['instances: [{"token":"***","every":"1m"}] # environment EVENKEEL_INSTANCES']);
  });

  test('prints only problems where there are any, and ends with 2', async () => {
    expect(await run(['print', '--kubelet.interval=soon'])).toMatchObject({ code: 2, out: [], err: expect.stringContaining('soon') });
  });
});
