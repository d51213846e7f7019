// Memory and CPU time of a process on Linux, from outside.

import { readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

export interface ProcessTimes {
  readonly atMs: number;
  /** CPU seconds of all threads. */
  readonly cpuSeconds: number;
  /** CPU seconds of the main thread. */
  readonly mainSeconds: number;
  /** Seconds that the main thread was runnable while other threads had the cores. */
  readonly mainWaitSeconds: number;
  /** CPU seconds of each other thread, by its name. */
  readonly threadSeconds: Readonly<Record<string, number>>;
  readonly residentBytes: number;
  readonly peakBytes: number;
}

const KiB = 1024;
/** Fields of `stat` after the command, which may contain spaces. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
let ticksPerSecond: number | null = null;

/** @throws Error where the process has ended */
export function readProcessTimes(pid: number): ProcessTimes {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const threadSeconds: Record<string, number> = {};
  let mainSeconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const found = threadOf(pid, thread);
    if (found === null) continue;
    if (thread === String(pid)) mainSeconds = found.seconds;
    else threadSeconds[found.name] = (threadSeconds[found.name] ?? 0) + found.seconds;
  }
  return {
    atMs: performance.now(),
    cpuSeconds: secondsOf(readFileSync(`/proc/${pid}/stat`, 'utf8')),
    mainSeconds,
    mainWaitSeconds: runDelaySeconds(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')),
    threadSeconds,
    residentBytes: statusBytes(status, 'VmRSS'),
    peakBytes: statusBytes(status, 'VmHWM'),
  };
}

/** null: the thread has ended. */
function threadOf(pid: number, thread: string): { readonly name: string; readonly seconds: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return { name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), seconds: secondsOf(stat) };
  } catch {
    return null;
  }
}

/** User and system time of a `stat` file. */
export function cpuTicksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
}

/** The run delay of a `schedstat` file: time on a run queue. */
export function runDelaySeconds(schedstat: string): number {
  return Number(schedstat.split(' ')[1]) / 1e9;
}

function secondsOf(stat: string): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return cpuTicksOf(stat) / ticksPerSecond;
}

/** A size of `/proc/PID/status`, which is in KiB. */
export function statusBytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) * KiB;
}
