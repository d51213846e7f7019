// The last runs of one container of a Job family: of each its memory peak, what CPU it used in 95 % of its time, how long
// it took. One run is one pod.

import type { UsageSample } from '#kube/records/usage';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores } from '#kube/units';

/** More than these say nothing about the next. */
const MAX_RUNS = 20;
const MAX_KILLS = 20;
/** A run that was not heard of for so long has ended. */
const OVER_AFTER_MS: DurationMs = 5 * MINUTE_MS;
/** CPU is counted in steps of 10 %: 95 % of a run needs no more. */
const STEP = 1.1;

export interface Run {
  readonly pod: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly samples: number;
  readonly memoryPeakBytes: Bytes | null;
  readonly cpuP95Millicores: Millicores | null;
}

export interface RunKill {
  readonly at: Instant;
  readonly limitBytes: Bytes;
}

interface LiveRun {
  readonly pod: string;
  readonly firstAt: Instant;
  lastAt: Instant;
  samples: number;
  memoryPeak: Bytes | null;
  /** Samples by step of CPU. */
  readonly cpu: Map<number, number>;
}

export class RunLog {
  #runs: LiveRun[] = [];
  #kills: RunKill[] = [];

  /** False where it holds nothing new. */
  observe(pod: string, { at, cpuMillicores, memoryBytes, memoryPeakBytes }: UsageSample): boolean {
    if (!Number.isFinite(at) || at <= 0 || (cpuMillicores === null && memoryBytes === null)) return false;
    let run = this.#runs.find((each) => each.pod === pod);
    if (run !== undefined && at <= run.lastAt) return false;
    if (run === undefined) {
      run = { pod, firstAt: at, lastAt: at, samples: 0, memoryPeak: null, cpu: new Map() };
      this.#runs = [...this.#runs, run].slice(-MAX_RUNS);
    }
    run.lastAt = at;
    run.samples += 1;
    const memory = Math.max(memoryBytes ?? 0, memoryPeakBytes ?? 0);
    if (memory > 0) run.memoryPeak = Math.max(run.memoryPeak ?? 0, memory);
    if (cpuMillicores !== null) {
      const step = Math.ceil(Math.log(Math.max(1, cpuMillicores)) / Math.log(STEP));
      run.cpu.set(step, (run.cpu.get(step) ?? 0) + 1);
    }
    return true;
  }

  observeOom(at: Instant, limitBytes: Bytes): void {
    if (this.#kills.some((kill) => kill.at === at)) return;
    this.#kills = [...this.#kills, { at, limitBytes }].slice(-MAX_KILLS);
  }

  /** Those that have ended by then, the oldest first. */
  ended(now: Instant): readonly Run[] {
    return this.#runs.filter(({ lastAt }) => now - lastAt >= OVER_AFTER_MS).map(runOf);
  }

  /** All of them, the one under way included. */
  all(): readonly Run[] {
    return this.#runs.map(runOf);
  }

  kills(): readonly RunKill[] {
    return this.#kills;
  }

  get lastAt(): Instant {
    return Math.max(0, ...this.#runs.map(({ lastAt }) => lastAt));
  }

  save(): Uint8Array {
    const runs = this.#runs.map(({ cpu, ...run }) => ({ ...run, cpu: [...cpu] }));
    return new TextEncoder().encode(JSON.stringify({ runs, kills: this.#kills }));
  }

  /** null where the bytes are damaged. */
  static restore(bytes: Uint8Array): RunLog | null {
    try {
      const { runs, kills } = JSON.parse(new TextDecoder().decode(bytes)) as {
        runs: (Omit<LiveRun, 'cpu'> & { cpu: [number, number][] })[];
        kills: RunKill[];
      };
      const log = new RunLog();
      log.#runs = runs.map((run) => ({ ...run, cpu: new Map(run.cpu) }));
      log.#kills = [...kills];
      return log;
    } catch {
      return null;
    }
  }
}

function runOf({ pod, firstAt, lastAt, samples, memoryPeak, cpu }: LiveRun): Run {
  return { pod, firstAt, lastAt, samples, memoryPeakBytes: memoryPeak, cpuP95Millicores: percentile95(cpu) };
}

/** The upper end of the step that 95 % of the samples do not pass. */
function percentile95(steps: ReadonlyMap<number, number>): Millicores | null {
  const sorted = [...steps].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [step, count] of sorted) {
    seen += count;
    if (seen >= total * 0.95) return Math.ceil(STEP ** step);
  }
  return null;
}
