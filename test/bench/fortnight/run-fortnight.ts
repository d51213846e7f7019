// Runs the cluster once: the same seed gives the same workloads, usage and deploys. Pods are sized by the manifests alone, by Evenkeel with
// default settings, or by VPA's rule.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyManifests } from '../../../src/demo/apply-manifests.ts';
import { startDemoController, type DemoController } from '../../../src/demo/demo-controller.ts';
import { OWN_NAMESPACE } from '../../../src/demo/demo-cluster.ts';
import { parseDemoOptions } from '../../../src/demo/options.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import type { MachineTimer } from '../../../src/ports/clock.ts';
import { createLogger } from '../../../src/runtime/logging.ts';
import { SeededRandom } from '../../../src/runtime/random.ts';
import { SystemTimer } from '../../../src/runtime/system-clock.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { planDeploys } from './deploys.ts';
import { isFullAt, planFullMornings } from './full-mornings.ts';
import { Ledger, type FortnightFigures } from './ledger.ts';
import { startVpa } from './vpa-controller.ts';
import { fortnightInput } from './workloads.ts';

export type Sizer = 'original' | 'evenkeel' | 'vpa' | 'vpa-in-place';
export const SIZERS: readonly Sizer[] = ['original', 'evenkeel', 'vpa', 'vpa-in-place'];

/** `hard`: every workload is deployed each day, and the nodes are full each morning. */
export type Circumstances = 'usual' | 'hard';

export interface FortnightOptions {
  readonly seed: number;
  readonly workloads: number;
  readonly days: number;
  /** Days of history with the original sizes before the sizer starts; the sizer has their usage, as from Prometheus. */
  readonly pastDays: number;
  /** Machine timer; that of the system when left out. */
  readonly timer?: MachineTimer;
  /** `usual` when left out. */
  readonly circumstances?: Circumstances;
}

/** A Monday. */
const START = Date.UTC(2026, 0, 5);
/** Time for all pods to start before the first figure. */
const SETTLE_MS = HOUR_MS;
/** Leaves capacity for each workload's pods with the sizes of the manifests, and for its deploys. */
const WORKLOADS_A_NODE = 4;

const EVERY_FEW_DAYS = [2.5, 7] as const;
const DAILY = [1, 1] as const;

/** Runs the cluster and resolves with the figures. Rejects when the API server refuses an object or a component fails. */
export async function runFortnight(sizer: Sizer, options: FortnightOptions): Promise<FortnightFigures> {
  const { seed, workloads: count, days, pastDays, timer = new SystemTimer() } = options;
  const input = fortnightInput(seed, count);
  const cluster = new EmbeddedCluster({
    startAt: START,
    seed,
    random: (of) => new SeededRandom(of),
    speed: 'max',
    nodes: { count: Math.max(3, Math.ceil(count / WORKLOADS_A_NODE)), machineTypes: ['n2-standard-8'] },
    timer,
    logger: createLogger({ level: 'warn', stream: process.stderr }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-fortnight-'));
  let controller: DemoController | null = null;
  try {
    await apply(cluster, [{ source: 'the fortnight', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN_NAMESPACE } } }]);
    await apply(cluster, input.manifests);
    await cluster.live(SETTLE_MS);
    const until = cluster.clock.now() + (pastDays + days) * DAY_MS;
    const isHard = options.circumstances === 'hard';
    planDeploys(cluster, input.workloads, { seed, until, everyDays: isHard ? DAILY : EVERY_FEW_DAYS });
    if (isHard) planFullMornings(cluster, until);
    await cluster.live(pastDays * DAY_MS);
    const ledger = new Ledger(cluster, (at) => isHard && isFullAt(at));
    if (sizer === 'vpa' || sizer === 'vpa-in-place') startVpa(cluster, input.workloads, sizer === 'vpa' ? 'evict' : 'in-place');
    if (sizer === 'evenkeel') controller = await startEvenkeel(cluster, folder, seed, timer);
    await cluster.clock.runFor(days * DAY_MS);
    return ledger.figures(count);
  } catch (err) {
    throw controller === null ? err : new Error(`${String(err)}; the controller's log ends:\n${await tail(folder)}`, { cause: err });
  } finally {
    await controller?.stop();
    cluster.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the controller with its defaults, and one policy with `mode: Auto` only. */
async function startEvenkeel(cluster: EmbeddedCluster, folder: string, seed: number, timer: MachineTimer): Promise<DemoController> {
  const parsed = parseDemoOptions(['--speed', 'max', '--for', '1d', '--seed', String(seed)]);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  const controller = await startDemoController(cluster, parsed.options, {
    folder,
    logFile: logFileIn(folder),
    timer,
    interrupted: new AbortController().signal,
  });
  const policy = { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name: 'auto' }, spec: { mode: 'Auto' } };
  await apply(cluster, [{ source: 'the fortnight', object: policy }]);
  return controller;
}

async function apply(cluster: EmbeddedCluster, manifests: Parameters<typeof applyManifests>[1]): Promise<void> {
  const applied = await applyManifests(cluster.transport('fortnight'), manifests, 'fortnight');
  if (applied.refused.length > 0) throw new Error(`the cluster refused:\n${applied.refused.join('\n')}`);
  if (applied.skipped.size > 0) throw new Error(`the cluster does not serve ${[...applied.skipped.keys()].join(', ')}`);
}

function logFileIn(folder: string): string {
  return join(folder, 'controller.log');
}

async function tail(folder: string): Promise<string> {
  const text = await readFile(logFileIn(folder), 'utf8').catch(() => '');
  return text.split('\n').slice(-20).join('\n');
}
