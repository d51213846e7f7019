import { describe, expect, test } from '@jest/globals';
import { PrometheusMetrics } from './metrics.ts';

describe('PrometheusMetrics', () => {
  test('exports metrics with help and labels', async () => {
    const metrics = new PrometheusMetrics();
    metrics.counter({ name: 'evenkeel_tries_total', help: 'Tries.', labels: ['result'] }).add(2, { result: 'ok' });
    metrics.gauge({ name: 'evenkeel_leader', help: '1 while leading.' }).set(1);
    const text = await metrics.expose();
    expect(text).toContain('# HELP evenkeel_tries_total Tries.\n# TYPE evenkeel_tries_total counter\nevenkeel_tries_total{result="ok"} 2');
    expect(text).toContain('# TYPE evenkeel_leader gauge\nevenkeel_leader 1');
  });

  test('returns the same metric for the same name', async () => {
    const metrics = new PrometheusMetrics();
    const spec = { name: 'evenkeel_tries_total', help: 'Tries.' };
    metrics.counter(spec).add();
    metrics.counter(spec).add();
    expect(await metrics.expose()).toContain('evenkeel_tries_total 2');
  });

  test('lists its metrics with their types', () => {
    const metrics = new PrometheusMetrics();
    metrics.histogram({ name: 'evenkeel_wait_seconds', help: 'Waiting.', buckets: [1] });
    expect(metrics.exported()).toEqual([{ type: 'histogram', name: 'evenkeel_wait_seconds', help: 'Waiting.', buckets: [1] }]);
  });

  test('exports process metrics, without gauges that are named like counters', async () => {
    const metrics = new PrometheusMetrics();
    metrics.collectProcessMetrics();
    const text = await metrics.expose();
    expect(text).toContain('# TYPE process_resident_memory_bytes gauge');
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    expect(types.filter(({ name, type }) => name.endsWith('_total') && type !== 'counter')).toEqual([]);
  });
});
