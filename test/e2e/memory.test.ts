import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ClusterClient } from './cluster-client.ts';
import { read } from './dashboard.ts';
import { startDemo } from './demo-process.ts';
import { eventually } from './eventually.ts';
import { Workshop } from './processes.ts';

const MOST_MS = 420_000;
const MOST_BYTES = 400e6;

describe('The demo', () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  // At full speed garbage comes fastest; the peak is kept by the kernel, so that no moment is missed.
  test(
    'stays below 400 MB for three virtual days, served over HTTPS and looked at',
    async () => {
      const demo = await startDemo(workshop, ['--speed', 'max', '--for', '3d']);
      const cluster = await ClusterClient.connect(workshop, demo.kubeconfig);
      let peakBytes = 0;
      let looks = 0;
      await eventually('the end of the demo', MOST_MS, async () => {
        if (!demo.process.running) return true;
        peakBytes = Math.max(peakBytes, await residentPeak(demo.process.pid, demo.metrics));
        const asked = [cluster.recommendations(), cluster.get('/openapi/v3/apis/apps/v1'), read(demo.dashboard, 'cluster')];
        // All of them, so that none is still trying when the test is over: the demo may end in between.
        if ((await Promise.allSettled<unknown>(asked)).every(({ status }) => status === 'fulfilled')) looks += 1;
        return false;
      });
      expect(await demo.process.exit(30_000)).toEqual({ code: 0, signal: null });
      expect(looks).toBeGreaterThan(10);
      expect(peakBytes).toBeGreaterThan(50e6);
      expect(peakBytes).toBeLessThan(MOST_BYTES);
    },
    MOST_MS + 10_000,
  );
});

/** Where there is no /proc, what the process says of itself at this moment. */
async function residentPeak(pid: number, metrics: string): Promise<number> {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    const text = await (await fetch(metrics)).text();
    return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1] ?? 0);
  }
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
