// The controller's process as users start it, with the probe of its event loop.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { boundedFetch } from '../../bounded-fetch.ts';
import { eventually, HANG_MS } from '../../eventually.ts';
import type { RunningProcess, TestFixture } from '../../e2e/processes.ts';
import type { LoopReport } from './measure/loop-ticks.ts';
import { type ProcessTimes, readProcessTimes } from './measure/proc-times.ts';
import type { StartTimes } from './scale-figures.ts';
import type { PlayedProcesses } from './played-processes.ts';

export interface PhaseReport extends LoopReport {
  /** Heap of the main thread after a garbage collection. */
  readonly heapUsed: number;
  /** What the heap occupies, and memory outside of it that belongs to its objects. The rest of `rss` is that of workers and of native code. */
  readonly heapTotal: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
}

export interface StartOptions {
  /** Name of its files. */
  readonly name: string;
  /** Free ports. */
  readonly dashboard: number;
  readonly metrics: number;
  /** Workloads of the cluster. */
  readonly workloads: number;
  /** Folder for CPU profiles; null: none. */
  readonly profiles: string | null;
}

export interface Started extends StartTimes {
  readonly controller: MeasuredController;
}

/** NODE_OPTIONS of config/controller/deployment.yaml, without the bound of the heap: it is a share of the container's memory. */
const DEPLOYED_OPTIONS = '--max-semi-space-size=16';
/** Of config/controller/deployment.yaml, too. */
const DEPLOYED_ARENAS = { MALLOC_ARENA_MAX: '2' };
/** A user who is not root may not mount; the controller then uses a kubeconfig, whose library takes about 90 MB. */
const IS_ROOT = process.getuid?.() === 0;
const POLL_MS = 50;
/** Part of a log line that is printed. */
const MAX_LINE = 800;
const LOST_LEASE = /"message":"(?:Lease was taken|Lease was not renewed|No longer leader)/;

/** A command that starts a program where its ServiceAccount is mounted as in a pod. */
function asInPod(serviceAccount: string): readonly string[] {
  const parent = '/run/secrets/kubernetes.io';
  const mount = `mount -t tmpfs tmpfs /run && mkdir -p ${parent} && ln -s "$0" ${parent}/serviceaccount && exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', mount, serviceAccount];
}

export class MeasuredController {
  readonly process: RunningProcess;
  readonly dashboard: string;
  readonly metrics: string;
  readonly #reports: string;
  #seen = 0;

  private constructor(process: RunningProcess, reports: string, dashboard: string, metrics: string) {
    this.process = process;
    this.#reports = reports;
    this.dashboard = dashboard;
    this.metrics = metrics;
  }

  /** Starts the controller and resolves when it reads from all workloads and has started. */
  static async start(fixture: TestFixture, played: PlayedProcesses, options: StartOptions): Promise<Started> {
    const { name, dashboard, metrics, workloads, profiles } = options;
    const reports = join(fixture.folder, `${name}.probe`);
    const settings = {
      ...(IS_ROOT ? {} : { 'kubernetes.kubeconfig': played.kubeconfig }),
      'kubelet.port': String(played.kubeletPort),
      'dashboard.addr': `127.0.0.1:${dashboard}`,
      'controller.probeAddr': '127.0.0.1:0',
      'controller.metricsAddr': `127.0.0.1:${metrics}`,
      'history.url': `sqlite:${join(fixture.folder, `history-${played.kubeletPort}.sqlite`)}`,
    };
    const args = Object.entries(settings).map(([path, value]) => `--${path}=${value}`);
    const environment = {
      NODE_OPTIONS: `${DEPLOYED_OPTIONS} --import=${join(import.meta.dirname, 'measure/loop-probe.ts')}`,
      ...DEPLOYED_ARENAS,
      SCALE_BENCH_PROBE: reports,
      ...(IS_ROOT
        ? { HOME: fixture.folder, KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(played.apiServerPort) }
        : {}),
      ...(profiles === null ? {} : { SCALE_BENCH_PROFILE: join(profiles, name) }),
    };
    const startedMs = performance.now();
    const launcher = IS_ROOT ? asInPod(played.serviceAccount) : [];
    const process = fixture.startProcess('dist/cmd/evenkeel-controller.js', args, { environment, launcher });
    const origin = `http://127.0.0.1:${dashboard}`;
    const controller = new MeasuredController(process, reports, origin, `http://127.0.0.1:${metrics}/metrics`);
    let readyMs = NaN;
    const started = process.line('stderr', /"message":"Evenkeel started"/).then(() => void (readyMs = performance.now() - startedMs));
    const readsReadyMs = await controller.#untilReadsReady(workloads, startedMs);
    await started;
    return { controller, readsReadyMs, readyMs, cpuSeconds: controller.times().cpuSeconds };
  }

  /** Resolves with the time until a list has all workloads. Rejects where the process ends. */
  async #untilReadsReady(workloads: number, startedMs: number): Promise<number> {
    while (performance.now() - startedMs < HANG_MS) {
      const total = await fetch(`${this.dashboard}/api/v1/recommendations?limit=1`)
        .then(async (response) => ((await response.json()) as { readonly meta?: { readonly total?: number } }).meta?.total)
        .catch(() => undefined);
      if (total !== undefined && total >= workloads) return performance.now() - startedMs;
      if (!this.process.isRunning) throw new Error(`the controller ended during its start\n${this.process.recentOutput()}`);
      await wait(POLL_MS);
    }
    throw new Error(`the reads do not have ${workloads} workloads: the informers sync\n${this.process.recentOutput()}`);
  }

  times(): ProcessTimes {
    return readProcessTimes(this.process.pid);
  }

  /** The event loop since the last report, and the heap now. */
  async report(): Promise<PhaseReport> {
    process.kill(this.process.pid, 'SIGUSR2');
    const lines = await eventually('a report of the probe: it writes one at each SIGUSR2', HANG_MS, () => {
      const found = existsSync(this.#reports) ? readFileSync(this.#reports, 'utf8').trim().split('\n') : [];
      return found.length > this.#seen ? found : undefined;
    });
    this.#seen = lines.length;
    return JSON.parse(lines.at(-1) ?? '{}') as PhaseReport;
  }

  /** Time from SIGTERM to the exit, and the exit code. */
  async stop(): Promise<{ readonly ms: number; readonly code: number | null }> {
    const startedMs = performance.now();
    this.process.signal('SIGTERM');
    const { code } = await this.process.exit();
    return { ms: performance.now() - startedMs, code };
  }

  /** Value of a counter of `/metrics` with these labels: `evenkeel_resize_cycles_total{policy="everything"}`. */
  async counter(series: string): Promise<number> {
    const { text } = await boundedFetch(this.metrics, 'the metrics of the controller');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length));
  }

  /** How often the log says that the lease was lost, before the stop. */
  lostLeases(): number {
    return this.process.stderr.filter((line) => LOST_LEASE.test(line)).length;
  }

  /** Warnings and errors of the log by message, with the first of each. */
  problems(): Readonly<Record<string, { readonly count: number; readonly first: string }>> {
    const problems: Record<string, { count: number; readonly first: string }> = {};
    for (const line of this.process.stderr) {
      if (!/"level":"(?:warn|error)"/.test(line)) continue;
      const message = /"message":"([^"]*)"/.exec(line)?.[1] ?? line;
      const problem = (problems[message] ??= { count: 0, first: line.slice(0, MAX_LINE) });
      problem.count += 1;
    }
    return problems;
  }
}
