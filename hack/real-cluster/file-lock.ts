import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './daemons.ts';

const LOOK_EVERY_MS = 250;
/** Far longer than it takes to write a name: who made the lock died in between. */
const UNNAMED_AFTER_MS = 10_000;

/** Runs the work while no other process holds the same lock file; a lock whose holder has died is taken over. */
export async function whileLocked<T>(path: string, onWait: (pid: number) => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!take(path)) {
    const holder = holderOf(path);
    if (holder !== null && isRunning(holder)) {
      if (!told) onWait(holder.pid);
      told = true;
    } else if (holder !== null || isLeftUnnamed(path)) rmSync(path, { force: true });
    await pause(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, JSON.stringify(identify(process.pid)), { flag: 'wx' });
    return true;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw err;
  }
}

function isLeftUnnamed(path: string): boolean {
  const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return modifiedMs !== undefined && Date.now() - modifiedMs > UNNAMED_AFTER_MS;
}

/** null while the holder is just writing its name, or has just let go. */
function holderOf(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
