// hack/cluster as a user runs it: it starts a cluster, prints its addresses, and removes everything on exit.

import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RawApi } from '../../hack/real-cluster/api.ts';
import { isRunning, type ProcessIdentity } from '../../hack/real-cluster/daemons.ts';
import { clusterFolder, ROOT } from '../../hack/real-cluster/folders.ts';
import { Layout } from '../../hack/real-cluster/layout.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { reserveClusterName } from './real-cluster.ts';

const { name: NAME } = await reserveClusterName('command');
const { name: INTERRUPTED } = await reserveClusterName('interrupted');

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function hackCluster(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Said> {
  const options = { env: { ...process.env, ...environment }, timeout: HANG_MS };
  return new Promise((resolve) => {
    execFile(join(ROOT, 'hack/cluster'), args, options, (err, stdout, stderr) => {
      resolve({ code: err === null ? 0 : Number(err.code ?? -1), stdout, stderr });
    });
  });
}

function processesOf(name: string): readonly ProcessIdentity[] {
  return Object.values(new Layout(name).read()?.processes ?? {});
}

let scratch: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'evenkeel-command-'));
});
afterAll(async () => {
  for (const name of [NAME, INTERRUPTED]) await hackCluster(['down', '--name', name]);
  rmSync(scratch, { recursive: true, force: true });
}, HANG_TEST_MS);

describe('hack/cluster', () => {
  test('starts a cluster, and a second start finds it running', async () => {
    const first = await hackCluster(['up', '--name', NAME, '--nodes', '4']);
    expect(first).toMatchObject({ code: 0, stdout: `export KUBECONFIG=${clusterFolder(NAME)}/kubeconfig\n` });
    const before = processesOf(NAME);
    expect(before).toHaveLength(6);
    const second = await hackCluster(['up', '--name', NAME, '--nodes', '5']);
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(processesOf(NAME)).toEqual(before);
    const status = await hackCluster(['status', '--name', NAME]);
    expect(status.code).toBe(0);
    for (const { pid } of before) expect(status.stdout).toContain(`runs (process ${pid})`);
  });

  test('adds nodes of several zones, machine types and capacity types, which run pods', async () => {
    const layout = new Layout(NAME);
    const api = new RawApi(layout, layout.read()!.ports.apiserver);
    try {
      const { items } = await api.expect<{ items: { metadata: { labels: Record<string, string> } }[] }>({ path: '/api/v1/nodes' });
      const labels = (key: string): Set<string | undefined> => new Set(items.map(({ metadata }) => metadata.labels[key]));
      expect(items).toHaveLength(5);
      expect(labels('topology.kubernetes.io/zone').size).toBe(3);
      expect(labels('node.kubernetes.io/instance-type')).toEqual(new Set(['e2-standard-4', 'n2-standard-8']));
      expect(labels('cloud.google.com/gke-provisioning')).toEqual(new Set(['standard', 'spot']));
      const body = { metadata: { name: 'one' }, spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] } };
      await api.expect({ method: 'POST', path: '/api/v1/namespaces/default/pods', body });
      await eventually('the pod runs: kwok starts what is scheduled', HANG_MS, async () => {
        const { status } = await api.expect<{ status: { phase: string } }>({ path: '/api/v1/namespaces/default/pods/one' });
        return status.phase === 'Running';
      });
      const version = await api.expect<{ gitVersion: string }>({ path: '/version' });
      expect(version.gitVersion).toMatch(/^v1\.36\./);
    } finally {
      api.close();
    }
  });

  test('restarts a component that has exited, on its port and with its data', async () => {
    const layout = new Layout(NAME);
    const { 'kube-scheduler': scheduler } = layout.read()!.processes;
    process.kill(scheduler!.pid, 'SIGKILL');
    await eventually('the scheduler has exited: it was killed', HANG_MS, () => !isRunning(scheduler!));
    expect(await hackCluster(['status', '--name', NAME])).toMatchObject({ code: 1 });
    expect((await hackCluster(['up', '--name', NAME, '--nodes', '5'])).code).toBe(0);
    expect((await hackCluster(['status', '--name', NAME])).code).toBe(0);
  });

  test('leaves no process and no file behind', async () => {
    const processes = processesOf(NAME);
    expect(await hackCluster(['down', '--name', NAME])).toMatchObject({ code: 0 });
    expect(processes.filter(isRunning)).toEqual([]);
    const leftFiles = readdirSync(dirname(clusterFolder(NAME))).filter((entry) => entry === NAME || entry.startsWith(`${NAME}.`));
    expect(leftFiles).toEqual([]);
    expect(await hackCluster(['down', '--name', NAME])).toMatchObject({ code: 0 });
  });

  test('removes its processes when it is interrupted during a start', async () => {
    const child = spawn(join(ROOT, 'hack/cluster'), ['up', '--name', INTERRUPTED], { stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const processes = await eventually('two processes are recorded: a start records six', HANG_MS, () => {
      const processes = processesOf(INTERRUPTED);
      return processes.length >= 2 && processes;
    });
    child.kill('SIGINT');
    expect(await ended).not.toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(clusterFolder(INTERRUPTED))).toBe(false);
  });

  test('removes at the next command what was left by a start that was killed', async () => {
    const child = spawn(join(ROOT, 'hack/cluster'), ['up', '--name', INTERRUPTED], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const processes = await eventually('a process is recorded: a start records six', HANG_MS, () => {
      const processes = processesOf(INTERRUPTED);
      return processes.length >= 1 && processes;
    });
    child.kill('SIGKILL');
    await ended;
    expect((await hackCluster(['down', '--name', INTERRUPTED])).code).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(clusterFolder(INTERRUPTED))).toBe(false);
  });

  const wrong: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['an unknown command', ['upp'], 2, /unknown command: upp[\s\S]*--help/],
    ['an unknown option', ['up', '--node', '3'], 2, /--node/],
    ['an invalid number of nodes', ['up', '--nodes', 'many'], 2, /--nodes many: give a whole number/],
    [
      'an unknown machine type',
      ['up', '--name', INTERRUPTED, '--machine-types', 'z9'],
      1,
      /machine type z9 is not known; choose one such as e2-/,
    ],
    ['a name that is not valid for a folder', ['up', '--name', '../x'], 1, /use up to 40 lower-case letters/],
    [
      'a cluster that does not exist',
      ['kubeconfig', '--name', 'missing'],
      2,
      /there is no cluster missing: start it with hack\/cluster up/,
    ],
  ];
  test.each(wrong)('%s is refused with a remedy', async (_what, args, code, words) => {
    const result = await hackCluster(args);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(words);
  });

  const toolchains: readonly (readonly [string, string, RegExp])[] = [
    ['no Go', '#!/bin/sh\nexit 127\n', /built with Go 1\.26 or later, and there is no usable go: install it/],
    ['an old Go', '#!/bin/sh\necho go1.22.3\n', /built with Go 1\.26 or later, and go is go1\.22\.3: install it/],
  ];
  test.each(toolchains)('with %s it names the required version', async (what, script, words) => {
    const folder = join(scratch, what.replace(' ', '-'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'go'), script, { mode: 0o755 });
    const result = await hackCluster(['up', '--name', INTERRUPTED], { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(words);
  });
});
