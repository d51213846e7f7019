// `evenkeel demo` as a child process, with its output.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import type { RunningProcess, TestFixture } from './processes.ts';

const CLI = 'src/demo/main.ts';

export interface Demo {
  readonly process: RunningProcess;
  readonly kubeconfig: string;
  /** Folder for its temporary files. */
  readonly temporary: string;
  /** Address of the controller's dashboard; empty with `--no-controller`. */
  readonly dashboard: string;
  readonly metrics: string;
  readonly probes: string;
}

/** One side of the last line of a demo with an end. */
export interface DemoSide {
  readonly requestedCpuMillicores: number;
  readonly requestedMemoryBytes: number;
  readonly usedCpuMillicores: number;
  readonly usedMemoryBytes: number;
  readonly costPerMonthUsd: number;
  readonly nodes: number;
}

/** The last line of a demo with an end. */
export interface DemoSummary {
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly start: DemoSide;
  readonly end: DemoSide;
  readonly oomKills: number;
  readonly throttledRatio: number;
  readonly resizes: number;
  readonly evictions: number;
  readonly unmetCpuRatio: number;
}

/** Runs a demo to its end and returns the last line of its standard output. Rejects when it fails. */
export async function demoToItsEnd(fixture: TestFixture, args: readonly string[]): Promise<unknown> {
  const demo = fixture.startProcess(CLI, ['demo', '--log-file', join(fixture.folder, 'demo.log'), ...args]);
  const { code } = await demo.exit();
  if (code !== 0) throw new Error(`the demo ended with ${code}\n${demo.recentOutput()}`);
  return JSON.parse(demo.stdout.at(-1) ?? '');
}

/** Starts a demo that runs until the fixture ends. Resolves when the API server and the dashboard, if any, respond. */
export async function startDemo(
  fixture: TestFixture,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  name = 'demo',
): Promise<Demo> {
  const kubeconfig = join(fixture.folder, `${name}.kubeconfig`);
  const alone = args.includes('--no-controller');
  const [dashboardPort, metricsPort, probePort] = await freePorts(3);
  const ports = alone
    ? []
    : ['--dashboard-port', String(dashboardPort), '--metrics-port', String(metricsPort), '--probe-port', String(probePort)];
  const temporary = join(fixture.folder, `${name}.tmp`);
  mkdirSync(temporary);
  const child = fixture.startProcess(
    CLI,
    ['demo', '--kubeconfig', kubeconfig, '--log-file', join(fixture.folder, `${name}.log`), ...ports, ...args],
    { environment: { TMPDIR: temporary, ...environment } },
  );
  await child.line('stdout', /^export KUBECONFIG=/);
  const dashboard = alone ? '' : ((await child.line('stdout', /^Dashboard {2}(\S+)\/$/))[1] ?? '');
  return {
    process: child,
    kubeconfig,
    temporary,
    dashboard,
    metrics: alone ? '' : `http://127.0.0.1:${String(metricsPort)}/metrics`,
    probes: alone ? '' : `http://127.0.0.1:${String(probePort)}`,
  };
}
