// evenkeel-controller as a child process.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type RunningProcess, type TestFixture } from './processes.ts';

/** The controller that follows the clock of an embedded cluster. */
const BINARY = 'src/demo/controller.ts';
/** Versions that lack it follow that clock with the binary that is shipped. */
const OLDER_BINARY = 'src/cmd/evenkeel-controller.ts';

export interface Controller {
  readonly process: RunningProcess;
  readonly dashboard: string;
  readonly metrics: string;
  readonly probes: string;
}

/**
 * Starts the binary with these settings, by their paths, and does not wait for it. @param root checkout of the controller; this one when
 * left out
 */
export function runController(
  fixture: TestFixture,
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  root = ROOT,
): RunningProcess {
  const all = {
    'dashboard.addr': '127.0.0.1:0',
    'controller.probeAddr': '127.0.0.1:0',
    'controller.metricsAddr': '127.0.0.1:0',
    'history.url': 'sqlite::memory:',
    ...settings,
  };
  return fixture.startProcess(
    existsSync(join(root, BINARY)) ? BINARY : OLDER_BINARY,
    Object.entries(all).map(([path, value]) => `--${path}=${value}`),
    { environment, root },
  );
}

/** Resolves when the log reports that all servers listen. */
export async function startController(
  fixture: TestFixture,
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Controller> {
  const process = runController(fixture, settings, environment);
  const { input } = await process.line('stderr', /"message":"Evenkeel started"/);
  const { dashboardPort, metricsPort, probePort } = JSON.parse(input) as Ports;
  return {
    process,
    dashboard: `http://127.0.0.1:${dashboardPort}`,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    probes: `http://127.0.0.1:${probePort}`,
  };
}

interface Ports {
  readonly dashboardPort: number;
  readonly metricsPort: number;
  readonly probePort: number;
}

/** Log lines so far with this message. */
export function logged(process: RunningProcess, message: string): readonly Readonly<Record<string, unknown>>[] {
  return process.stderr
    .filter((line) => line.includes(`"message":${JSON.stringify(message)}`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
