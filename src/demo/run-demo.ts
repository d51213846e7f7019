import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Instant } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import { PACKAGE_ROOT } from '../cmd/version.ts';
import { createLogger } from '../runtime/logging.ts';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { type CounterDifferences, type ClusterSummary, subtractCounters } from '#embedded-cluster/nodes/cluster-summary';
import type { Terminal } from '../cli/command.ts';
import { buildDemoCluster, FIELD_MANAGER, type DemoCluster } from './demo-cluster.ts';
import { type DemoController, startDemoController } from './demo-controller.ts';
import { moneyOf } from './money.ts';
import type { DemoOptions } from './options.ts';
import { applyOwnKinds, installCrds } from './own-kinds.ts';
import { readManifests } from '../cli/read-manifests.ts';
import { beforeAndNow, clusterTime, progressLine, type Reading } from './report.ts';
import { type ServedCluster, serveCluster } from '#embedded-cluster/serve-cluster';

/** Summary of a run with `--for`, its last line of output. */
export interface DemoSummary extends CounterDifferences {
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly start: ClusterSummary;
  readonly end: ClusterSummary;
}

/** Interval of progress lines in machine time. */
const REPORT_EVERY_MS = 5_000;

export interface DemoRun {
  readonly options: DemoOptions;
  readonly withController: boolean;
  readonly terminal: Terminal;
  readonly timer: MachineTimer;
  readonly now: Instant;
}

/**
 * Runs one cluster until `--for` has passed or it is interrupted; null when interrupted before `--for` has passed. Everything started is
 * stopped, also after an error.
 */
export async function runDemo(run: DemoRun): Promise<DemoSummary | null> {
  const { terminal } = run;
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-demo-'));
  const cleanups: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    return await runIn(folder, run, cleanups);
  } catch (err) {
    // An interrupted start throws.
    if (terminal.interrupted.aborted) return null;
    throw err;
  } finally {
    for (const end of cleanups.reverse()) await end().catch((err: unknown) => terminal.err(`stopping: ${String(err)}`));
  }
}

async function runIn(folder: string, run: DemoRun, cleanups: (() => Promise<void>)[]): Promise<DemoSummary | null> {
  const { options, terminal, timer } = run;
  const isInterrupted = (): boolean => terminal.interrupted.aborted;
  const startedMs = timer.nowMs();
  const logger = createLogger({ level: 'warn', stream: process.stderr });
  terminal.err(
    `Building a cluster of ${options.nodes} ${options.nodes === 1 ? 'node' : 'nodes'} and running it for 14 days without Evenkeel …`,
  );
  const parts = { timer, logger, packageRoot: PACKAGE_ROOT, now: run.now };
  const { cluster, notes, ownKinds } = await buildDemoCluster(options, parts, terminal.interrupted);
  cleanups.push(async () => cluster.close());
  for (const note of notes) terminal.err(`  ${note}`);
  const served = await serve(cluster, folder, run, cleanups);
  const before = readingOf(cluster);
  const counters = cluster.nodes.counters();
  const openedAt = cluster.clock.now();
  const controller = run.withController ? await startWithPolicy({ cluster, ownKinds }, folder, run, cleanups) : null;
  if (controller === null && ownKinds.length > 0) {
    await installCrds(cluster.transport(FIELD_MANAGER), PACKAGE_ROOT, FIELD_MANAGER);
    await applyOwnKinds(cluster.transport(FIELD_MANAGER), ownKinds, FIELD_MANAGER);
  }
  if (isInterrupted()) return null;
  announce(run, served, controller);
  if (served !== null) explainClock(run, openedAt);
  await live(cluster, run, { openedAt, before, resizesBefore: counters.resizes });
  if (isInterrupted() && options.for !== null) return null;
  const end = readingOf(cluster);
  for (const line of beforeAndNow(before, end)) terminal.err(line);
  return {
    virtualSeconds: Math.round((cluster.clock.now() - openedAt) / 1000),
    wallSeconds: Math.round(timer.nowMs() - startedMs) / 1000,
    start: before.summary,
    end: end.summary,
    ...subtractCounters(counters, cluster.nodes.counters()),
  };
}

// At full speed a browser could not follow: ports are opened only on request.
async function serve(
  cluster: EmbeddedCluster,
  folder: string,
  run: DemoRun,
  cleanups: (() => Promise<void>)[],
): Promise<ServedCluster | null> {
  const { options } = run;
  if (options.speed === 'max' && options['api-port'] === null && options.kubeconfig === null) return null;
  const logger = createLogger({ level: 'warn', stream: process.stderr });
  const served = await serveCluster(cluster, {
    port: options['api-port'] ?? 0,
    kubeconfig: options.kubeconfig ?? join(folder, 'kubeconfig'),
    logger,
  });
  cleanups.push(() => served.close());
  return served;
}

/** A policy in the manifests replaces the demo's policy, which would govern the remaining workloads. */
async function startWithPolicy(
  { cluster, ownKinds }: Pick<DemoCluster, 'cluster' | 'ownKinds'>,
  folder: string,
  run: DemoRun,
  cleanups: (() => Promise<void>)[],
): Promise<DemoController> {
  const logFile =
    run.options['log-file'] ?? join(run.options.kubeconfig === null ? folder : dirname(run.options.kubeconfig), 'evenkeel-demo.log');
  const started = await startDemoController(cluster, run.options, {
    folder,
    logFile,
    timer: run.timer,
    interrupted: run.terminal.interrupted,
  });
  cleanups.push(() => started.stop());
  const builtIn = join(PACKAGE_ROOT, 'config', 'demo', 'policy.yaml');
  const policies = ownKinds.some(({ object }) => object.kind === 'PodResizePolicy') ? [] : await readManifests(builtIn);
  await applyOwnKinds(cluster.transport(FIELD_MANAGER), [...policies, ...ownKinds], FIELD_MANAGER);
  run.terminal.err(`  log of the controller: ${logFile}`);
  for (const note of started.notes) run.terminal.err(`  ${note}`);
  return started;
}

function announce({ terminal, options }: DemoRun, served: ServedCluster | null, controller: DemoController | null): void {
  if (controller !== null && (options.speed !== 'max' || options['dashboard-port'] !== null))
    terminal.out(`Dashboard  http://127.0.0.1:${controller.controller.dashboardPort}/`);
  if (served === null) return;
  terminal.out(`API server ${served.url}`);
  terminal.out(`export KUBECONFIG=${served.kubeconfig}`);
  if (controller === null)
    terminal.out(`Start the controller separately:  npm run -s controller:embedded -- --kubernetes.kubeconfig ${served.kubeconfig}`);
}

function explainClock({ terminal, options }: DemoRun, openedAt: Instant): void {
  const speed = options.speed === 'max' ? 'as fast as it can' : `${options.speed} times as fast as yours`;
  terminal.err(
    `The cluster’s clock starts at ${clusterTime(openedAt)} and runs ${speed}. These lines, the log, the dashboard and kubectl get`,
  );
  terminal.err('are in its time. kubectl describe counts ages by your clock, and prints <invalid> for what is ahead of it.');
}

interface Opening {
  readonly openedAt: Instant;
  readonly before: Reading;
  readonly resizesBefore: number;
}

async function live(cluster: EmbeddedCluster, { options, terminal, timer }: DemoRun, opening: Opening): Promise<void> {
  const { clock } = cluster;
  const stopReporting = reportEvery(
    timer,
    () => progressLine(clock.now(), opening.before, readingOf(cluster), cluster.nodes.counters().resizes - opening.resizesBefore),
    (line) => terminal.err(line),
  );
  const interrupted = new Promise<void>((resolve) => {
    if (terminal.interrupted.aborted) resolve();
    terminal.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    if (options.for === null) {
      clock.start();
      await interrupted;
    } else {
      await Promise.race([clock.runUntil(opening.openedAt + options.for), interrupted]);
    }
  } finally {
    stopReporting();
    clock.stop();
  }
}

/** Prints a line at each interval unless it is unchanged. Returns the stop function. */
function reportEvery(timer: MachineTimer, line: () => string, print: (line: string) => void): () => void {
  let last = '';
  const scheduleNext = (): (() => void) =>
    timer.setTimer(REPORT_EVERY_MS, () => {
      const now = line();
      if (now !== last) print(now);
      last = now;
      cancel = scheduleNext();
    });
  let cancel = scheduleNext();
  return () => cancel();
}

function readingOf(cluster: EmbeddedCluster): Reading {
  const summary = cluster.nodes.summary();
  return { summary, money: moneyOf(cluster) };
}
