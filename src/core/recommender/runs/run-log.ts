// The last runs of one container of a Job family, each with its memory peak, p95 of CPU and duration. One run is one pod.

import type { UsageSample } from '#kube/records/usage';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores } from '#kube/units';

/** Older runs are dropped. */
const MAX_RUNS = 20;
const MAX_KILLS = 20;
/** A run without samples for this long has ended. */
const OVER_AFTER_MS: DurationMs = 5 * MINUTE_MS;
/** Ratio of the buckets of CPU: 10 % is exact enough for a p95. */
const STEP = 1.1;

/** Usage of one run; null: not measured. */
export interface Run {
  readonly pod: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly samples: number;
  readonly memoryPeakBytes: Bytes | null;
  readonly cpuP95Millicores: Millicores | null;
}

/** An OOM kill of a run, with the limit in force. */
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
  /** Count of samples by bucket of CPU. */
  readonly cpu: Map<number, number>;
}

/** The last 20 runs and OOM kills. */
export class RunLog {
  #runs: LiveRun[] = [];
  #kills: RunKill[] = [];

  /** Adds a sample to the run of its pod; false: it is invalid or not newer than the last. */
  observe(pod: string, { at, cpuMillicores, memoryBytes, memoryPeakBytes }: UsageSample): boolean {
    if (!Number.isFinite(at) || at <= 0 || (cpuMillicores === null && memoryBytes === null)) return false;
    let run = this.#runs.find((known) => known.pod === pod);
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

  /** Adds an OOM kill; a kill at the same time counts once. */
  observeOom(at: Instant, limitBytes: Bytes): void {
    if (this.#kills.some((kill) => kill.at === at)) return;
    this.#kills = [...this.#kills, { at, limitBytes }].slice(-MAX_KILLS);
  }

  /** Runs that have ended at `now`, oldest first. */
  ended(now: Instant): readonly Run[] {
    return this.#runs.filter(({ lastAt }) => now - lastAt >= OVER_AFTER_MS).map(runOf);
  }

  /** All runs, those in progress included, oldest first. */
  all(): readonly Run[] {
    return this.#runs.map(runOf);
  }

  kills(): readonly RunKill[] {
    return this.#kills;
  }

  /** Time of the newest sample; 0: none. */
  get lastAt(): Instant {
    return Math.max(0, ...this.#runs.map(({ lastAt }) => lastAt));
  }

  /** Encodes the log as JSON. */
  save(): Uint8Array {
    const runs = this.#runs.map(({ cpu, ...run }) => ({ ...run, cpu: [...cpu] }));
    return new TextEncoder().encode(JSON.stringify({ runs, kills: this.#kills }));
  }

  /** Decodes a saved log; null: it is damaged. */
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

/** Upper bound of the bucket that has the 95th percentile; null: no samples. */
function percentile95(steps: ReadonlyMap<number, number>): Millicores | null {
  const sorted = [...steps].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let cumulated = 0;
  for (const [step, count] of sorted) {
    cumulated += count;
    if (cumulated >= total * 0.95) return Math.ceil(STEP ** step);
  }
  return null;
}
