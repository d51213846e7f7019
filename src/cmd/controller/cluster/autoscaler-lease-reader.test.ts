import { beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { NO_AUTOSCALER_LEASE } from '../../../core/resize/policy/autoscaler-lease.ts';
import type { LeaseRecord } from '../../../ports/cluster/lease-store.ts';
import { SILENT_LOGGER } from '../../../runtime/logging.ts';
import { AutoscalerLeaseReader } from './autoscaler-lease-reader.ts';

let clock: FakeClock;
/** The response to a read; by default a lease that the autoscaler renews. */
let answer: () => Promise<LeaseRecord | undefined>;
let reads: number;
let reader: AutoscalerLeaseReader;
let changes: boolean[];

const renewed = async (): Promise<LeaseRecord> => {
  const renewTime = new Date(clock.now() - 1000).toISOString();
  return { resourceVersion: '1', holder: 'autoscaler-0', leaseDurationSeconds: 10, acquireTime: renewTime, renewTime, transitions: 0 };
};

beforeEach(() => {
  clock = new FakeClock();
  answer = renewed;
  reads = 0;
  changes = [];
  const store = { read: () => ((reads += 1), answer()) };
  reader = new AutoscalerLeaseReader({ store, timer: clock, logger: SILENT_LOGGER, wallMs: () => clock.now() });
  reader.onChange(({ isHeld }) => void changes.push(isHeld));
});

describe('the reader of the lease of evenkeel-autoscaler', () => {
  test('reads once before the first decision, then every 10 s', async () => {
    expect(reader.lease).toEqual(NO_AUTOSCALER_LEASE);
    await reader.start();
    expect([reader.lease, reads]).toEqual([{ isHeld: true }, 1]);
    await clock.advance(60_000);
    expect([reader.lease, reads, changes]).toEqual([{ isHeld: true }, 7, [true]]);
    reader.stop();
    expect(clock.waiting).toBe(0);
  });

  test('reports once that the lease is lost, and that it is held again', async () => {
    await reader.start();
    answer = async () => undefined;
    await clock.advance(30_000);
    expect([reader.lease, changes]).toEqual([NO_AUTOSCALER_LEASE, [true, false]]);
    answer = renewed;
    await clock.advance(10_000);
    expect(changes).toEqual([true, false, true]);
    reader.stop();
  });

  test('a lease that cannot be read within 5 s is not held', async () => {
    await reader.start();
    answer = () => Promise.reject(new Error('403 Forbidden'));
    await clock.advance(10_000);
    expect(reader.lease).toEqual({ isHeld: false, reason: 'the lease of evenkeel-autoscaler cannot be read: 403 Forbidden' });
    answer = renewed;
    await clock.advance(10_000);
    answer = () => new Promise(() => undefined);
    await clock.advance(14_999);
    expect(reader.lease.isHeld).toBe(true);
    await clock.advance(1);
    expect(reader.lease).toMatchObject({ isHeld: false, reason: expect.stringContaining('no response in 5 s') });
    reader.stop();
  });
});
