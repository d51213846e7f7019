// Processes that outlive the command that started them. A process is identified by its id and start time, because an id may be reused.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in kernel clock ticks since boot. */
  readonly startTicks: string;
}

export interface DaemonSpec {
  readonly program: string;
  readonly args: readonly string[];
  /** Both output streams are appended to this file. */
  readonly logFile: string;
  readonly folder: string;
}

const LOOK_EVERY_MS = 20;
/** Go collects garbage at five times the live heap instead of twice: collection took a fifth of all CPU time, and memory is sufficient. */
const GO_GARBAGE_PERCENT = '400';
/** Field numbers in /proc/PID/stat, from 1 (man proc_pid_stat). */
const STATE_FIELD = 3;
const THREADS_FIELD = 20;
const START_TICKS_FIELD = 22;

export function startDaemon(spec: DaemonSpec): ProcessIdentity {
  const log = openSync(spec.logFile, 'a');
  try {
    const env = { GOGC: GO_GARBAGE_PERCENT, ...process.env };
    const child = spawn(spec.program, spec.args, { cwd: spec.folder, detached: true, stdio: ['ignore', log, log], env });
    child.on('error', () => undefined); // reported by the missing pid
    child.unref();
    if (child.pid === undefined) throw new Error(`${spec.program} could not be started`);
    return identify(child.pid);
  } finally {
    closeSync(log);
  }
}

/** @throws when there is no such process */
export function identify(pid: number): ProcessIdentity {
  const startTicks = startTicksOf(pid);
  if (startTicks === null) throw new Error(`process ${pid} ended at once`);
  return { pid, startTicks };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return startTicksOf(identity.pid) === identity.startTicks;
}

/** Sends the signal if the id still belongs to the started process. */
export function signalDaemon(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}

/** Sends SIGTERM, then SIGKILL after `patienceMs`. Resolves when the process is gone. */
export async function stopDaemon(identity: ProcessIdentity, patienceMs: number): Promise<void> {
  signalDaemon(identity, 'SIGTERM');
  // A suspended process handles no other signal.
  signalDaemon(identity, 'SIGCONT');
  if (await endedWithin(identity, patienceMs)) return;
  signalDaemon(identity, 'SIGKILL');
  if (!(await endedWithin(identity, 30_000))) throw new Error(`process ${identity.pid} does not end after SIGKILL`);
}

/** Processes with exactly this command line; its ports and folders belong to one cluster only. */
export function findByCommandLine({ program, args }: Pick<DaemonSpec, 'program' | 'args'>): readonly ProcessIdentity[] {
  const wanted = [program, ...args, ''].join('\0');
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && commandLineOf(entry) === wanted)
    .flatMap((entry) => {
      const startTicks = startTicksOf(Number(entry));
      return startTicks === null ? [] : [{ pid: Number(entry), startTicks }];
    });
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // exited, or a kernel thread
  }
}

async function endedWithin(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

function startTicksOf(pid: number): string | null {
  try {
    return startTicksIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Start time from the text of /proc/PID/stat. null for a process that only waits to be reaped; while it has other running threads, it still
 * holds its ports.
 */
export function startTicksIn(stat: string): string | null {
  // The second field is the program's name in parentheses, which may contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (place: number): string | undefined => fields[place - STATE_FIELD];
  return field(STATE_FIELD) === 'Z' && Number(field(THREADS_FIELD)) <= 1 ? null : (field(START_TICKS_FIELD) ?? null);
}
