import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import type { PrometheusClient } from './client/prometheus-client.ts';
import { PrometheusErrorRates } from './prometheus-error-rates.ts';

type Instant = PrometheusClient['instant'];

function query(instant: Instant, timer = new FakeClock(), signal = new AbortController().signal): Promise<number | null> {
  return new PrometheusErrorRates({ instant }, timer, SILENT_LOGGER).query('errors', 0, signal);
}

const answering =
  (...values: number[]): Instant =>
  async () =>
    values.map((value) => ({ labels: {}, at: 0, value }));

describe('an error rate', () => {
  test.each<[string, readonly number[], number | null]>([
    ['is the sum of all series', [0.1, 0.2], 0.3],
    ['is none where a ratio divides by nothing', [Number.NaN], 0],
    ['is not known where there is no series', [], null],
  ])('%s', async (_, values, rate) => {
    const answer = await query(answering(...values));
    if (rate === null) expect(answer).toBeNull();
    else expect(answer).toBeCloseTo(rate);
  });

  test('is unknown while Prometheus is unavailable or slow', async () => {
    expect(await query(() => Promise.reject(new Error('connection refused')))).toBeNull();
    const timer = new FakeClock();
    const slow: Instant = (_, __, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const answer = query(slow, timer);
    await timer.advance(10_000);
    expect(await answer).toBeNull();
  });

  test('is not awaited after a shutdown', async () => {
    const stop = new AbortController();
    const slow: Instant = (_, __, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const answer = query(slow, new FakeClock(), stop.signal);
    stop.abort(new Error('stopping'));
    await expect(answer).rejects.toThrow('stopping');
  });
});
