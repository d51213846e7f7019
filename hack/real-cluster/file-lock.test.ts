import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tryLock, withLock } from './file-lock.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-lock-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ignoring = (): void => undefined;

/** A process that takes the lock, prints a line and holds the lock until it is killed. */
async function holder(path: string): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const script = `
    import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'file-lock.ts'))};
    await withLock(${JSON.stringify(path)}, () => undefined, () => {
      console.log('locked');
      return new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1));
    });`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    pid: child.pid ?? 0,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

test('functions with the same lock run one after the other, also within a process', async () => {
  const path = join(folder, 'one-at-a-time');
  let running = 0;
  const concurrency: number[] = [];
  const work = async (): Promise<void> => {
    concurrency.push((running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, ignoring, work)));
  expect(concurrency).toEqual(Array.from({ length: 20 }, () => 1));
});

test('locks of different names do not exclude each other', async () => {
  const inner = await withLock(join(folder, 'a'), ignoring, () => withLock(join(folder, 'b'), ignoring, async () => 'both'));
  expect(inner).toBe('both');
});

test('tryLock does not wait', async () => {
  const path = join(folder, 'tried');
  const lock = await tryLock(path);
  expect(lock).not.toBeNull();
  expect(await tryLock(path)).toBeNull();
  await lock?.release();
  const again = await tryLock(path);
  expect(again).not.toBeNull();
  await again?.release();
});

test('a lock is released when its work fails', async () => {
  const path = join(folder, 'failing');
  await expect(withLock(path, ignoring, () => Promise.reject(new Error('the work failed')))).rejects.toThrow('the work failed');
  expect(await withLock(path, ignoring, async () => 'free')).toBe('free');
});

test('a lock of another process is waited for, with its id, and is free when that process is killed', async () => {
  const path = join(folder, 'killed');
  const other = await holder(path);
  let reported: (pid: number) => void = ignoring;
  const waitedFor = new Promise<number>((resolve) => (reported = resolve));
  const order: string[] = [];
  const taken = withLock(path, reported, async () => void order.push('taken'));
  expect(await waitedFor).toBe(other.pid);
  order.push('killed');
  await other.kill();
  await taken;
  expect(order).toEqual(['killed', 'taken']);
});

test('of many processes that wait for a killed one, one at a time has the lock', async () => {
  const path = join(folder, 'many');
  const other = await holder(path);
  const waiting = Array.from({ length: 20 }, () => {
    let reported: () => void = ignoring;
    const waits = new Promise<void>((resolve) => (reported = resolve));
    return { waits, reported };
  });
  let running = 0;
  const concurrency: number[] = [];
  const all = waiting.map(({ reported }) =>
    withLock(path, reported, async () => {
      concurrency.push((running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    }),
  );
  await Promise.all(waiting.map(({ waits }) => waits));
  await other.kill();
  await Promise.all(all);
  expect(concurrency).toEqual(Array.from({ length: 20 }, () => 1));
});
