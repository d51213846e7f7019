import { expect, test } from '@jest/globals';
import { aNodeRecord, aPodRecord } from '../../../test/builders/records.ts';
import { PrometheusCounters } from './prometheus-counters.ts';

const T = Date.UTC(2026, 0, 5);
const SIGNAL = new AbortController().signal;
const WEB = { namespace: 'shop', pod: 'web-0', container: 'app', id: '/kubepods/pod1/a' };

function answering(samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]) {
  const queries: string[] = [];
  const client = {
    instant: async (query: string, at: number) => {
      expect(at).toBe(T);
      queries.push(query);
      return samples;
    },
  };
  const pods = [aPodRecord({ namespace: 'shop', name: 'web-0' }), aPodRecord({ namespace: 'shop', name: 'db.v2-0' })];
  return { queries, source: new PrometheusCounters(client, (node) => (node === 'n1' ? pods : []), { now: () => T }) };
}

test('queries the counters of a node’s pods, and returns each container once even if it is scraped twice', async () => {
  const sample = (name: string, value: number, job = 'kubelet') => ({ labels: { __name__: name, job, ...WEB }, value });
  const { queries, source } = answering([
    sample('container_cpu_cfs_periods_total', 100),
    sample('container_cpu_cfs_periods_total', 98, 'kubelet-again'),
    sample('container_cpu_cfs_throttled_periods_total', 25),
    sample('container_oom_events_total', Number.NaN),
  ]);
  expect(await source.containerCounters(aNodeRecord({ name: 'n1' }), SIGNAL)).toEqual([
    {
      namespace: 'shop',
      pod: 'web-0',
      container: 'app',
      instance: '/kubepods/pod1/a',
      at: null,
      cpuPeriods: 100,
      throttledPeriods: 25,
      oomEvents: null,
    },
  ]);
  expect(queries).toEqual([
    '{__name__=~"container_cpu_cfs_periods_total|container_cpu_cfs_throttled_periods_total|container_oom_events_total",' +
      'namespace=~"shop",pod=~"web-0|db\\\\.v2-0",container!="",container!="POD"}',
  ]);
});

test('sends no query for a node without pods', async () => {
  const { queries, source } = answering([]);
  expect(await source.containerCounters(aNodeRecord({ name: 'n2' }), SIGNAL)).toEqual([]);
  expect(queries).toEqual([]);
});
