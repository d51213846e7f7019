import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ClusterClient } from './cluster-client.ts';
import { read } from './dashboard.ts';
import { startDemo } from './demo-process.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

const MAX_BYTES = 400e6;
/** Bounded, because the reads would otherwise be most of the demo's work. */
const MAX_LOOKS = 40;
/** On Linux `resourceUsage()` includes the peak of the parent process; /proc has that of this process. */
const REPORT_PEAK = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync } from 'node:fs';
  process.on('exit', () => {
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const kib = /VmHWM:[^0-9]+([0-9]+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
    process.stderr.write('peak memory: ' + kib + ' kB\\n');
  });
`)}`;

describe('The demo', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  // Garbage accumulates fastest at full speed. The process reports its own peak at its end, so that no moment is missed.
  test(
    'stays below 400 MB for three virtual days, served over HTTPS and read',
    async () => {
      const demo = await startDemo(fixture, ['--speed', 'max', '--for', '3d'], { NODE_OPTIONS: `--import=${REPORT_PEAK}` });
      const cluster = await ClusterClient.connect(fixture, demo.kubeconfig);
      let looks = 0;
      for (let look = 0; look < MAX_LOOKS && demo.process.isRunning; look++) {
        const reads = [cluster.recommendations(), cluster.get('/openapi/v3/apis/apps/v1'), read(demo.dashboard, 'cluster')];
        // Waits for all reads, so that none is pending when the test ends: the demo may end in between.
        if ((await Promise.allSettled<unknown>(reads)).every(({ status }) => status === 'fulfilled')) looks += 1;
      }
      expect(await demo.process.exit()).toEqual({ code: 0, signal: null });
      expect(looks).toBeGreaterThan(0);
      const peaks = demo.process.stderr.flatMap((line) => /^peak memory: (\d+) kB$/.exec(line)?.[1] ?? []).map((kib) => Number(kib) * 1024);
      expect(Math.max(...peaks)).toBeGreaterThan(50e6);
      expect(Math.max(...peaks)).toBeLessThan(MAX_BYTES);
    },
    HANG_TEST_MS,
  );
});
