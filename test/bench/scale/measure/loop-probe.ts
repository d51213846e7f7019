// Loaded into the controller by `--import`: measures its event loop, and appends a report to a file at each SIGUSR2.
//
// A timer is due every 10 ms. How late it fires is the delay of the event loop, in which other processes of the machine count too; the CPU
// time of the main thread between two ticks beyond that interval is the controller's own share.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { LoopTicks } from './loop-ticks.ts';

const PROBE_FILE = 'SCALE_BENCH_PROBE';
/** Prefix of the files of CPU profiles, one for each report. Unset: none, because profiling costs CPU time itself. */
const PROFILE_FILES = 'SCALE_BENCH_PROFILE';

const file = process.env[PROBE_FILE];
if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc');
  measureLoop(file, runInNewContext('gc') as () => void);
  const profiles = process.env[PROFILE_FILES];
  if (profiles !== undefined) await profilePhases(profiles);
}

async function profilePhases(prefix: string): Promise<void> {
  mkdirSync(dirname(prefix), { recursive: true });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  let count = 0;
  process.on('SIGUSR2', () => {
    void session.post('Profiler.stop').then(async ({ profile }) => {
      count += 1;
      writeFileSync(`${prefix}-${count}.cpuprofile`, JSON.stringify(profile));
      await session.post('Profiler.start');
    });
  });
}

function measureLoop(reports: string, collectGarbage: () => void): void {
  let ticks = new LoopTicks();
  let lastMs = performance.now();
  let last = process.threadCpuUsage();
  const restart = (): void => {
    lastMs = performance.now();
    last = process.threadCpuUsage();
  };
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(last);
    ticks.add(now - lastMs, (user + system) / 1000);
    restart();
  }, LoopTicks.INTERVAL_MS).unref();
  process.on('SIGUSR2', () => {
    const report = ticks.report();
    collectGarbage();
    const { heapUsed, heapTotal, external, arrayBuffers, rss } = process.memoryUsage();
    appendFileSync(reports, `${JSON.stringify({ ...report, heapUsed, heapTotal, external, arrayBuffers, rss })}\n`);
    ticks = new LoopTicks();
    restart();
  });
}
