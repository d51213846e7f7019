import { describe, expect, test } from '@jest/globals';
import { aPodRecord } from '../../../test/builders/records.ts';
import { FakeActivity, FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../test/fakes/clients/fake-transport.ts';
import type { UsageReading } from '../../ports/usage/usage-source.ts';
import { MetricsServerUsageSource } from './metrics-server-usage-source.ts';

const T = Date.parse('2026-01-01T00:00:00Z');

function running(transport: FakeTransport): {
  clock: FakeClock;
  readings: UsageReading[];
  failures: string[];
  dropped: string[];
  stop: AbortController;
} {
  const clock = new FakeClock(T);
  const readings: UsageReading[] = [];
  const failures: string[] = [];
  const dropped: string[] = [];
  const stop = new AbortController();
  const reader = { findPod: (_: string, name: string) => (name === 'gone' ? undefined : aPodRecord({ name, node: 'n1' })) };
  const source = new MetricsServerUsageSource({ transport, reader, clock, activity: new FakeActivity() });
  void source.run(
    {
      onUsage: (reading) => readings.push(reading),
      onSummary: () => undefined,
      onFailure: (failure) => failures.push(failure.message),
      onDropped: (reason, count) => dropped.push(`${count} ${reason}`),
    },
    60_000,
    stop.signal,
  );
  return { clock, readings, failures, dropped, stop };
}

function podMetrics(name: string, cpu: unknown): object {
  return {
    metadata: { name, namespace: 'a' },
    timestamp: '2026-01-01T00:00:00Z',
    window: '30s',
    containers: [{ name: 'app', usage: { cpu, memory: '2Ki' } }],
  };
}

describe('MetricsServerUsageSource', () => {
  test('reports pods by node and nodes, to the nanocore; drops pods of unknown nodes and malformed entries', async () => {
    const transport = new FakeTransport((request) =>
      request.path.endsWith('/pods')
        ? { body: { items: [podMetrics('p', '1500000n'), podMetrics('gone', '1'), podMetrics('bad', 'much')] } }
        : { body: { items: [{ metadata: { name: 'n1' }, timestamp: '2026-01-01T00:00:00Z', usage: { cpu: '2', memory: '1Mi' } }] } },
    );
    const { clock, readings, dropped, stop } = running(transport);
    await clock.advance(0);
    expect(readings).toEqual([
      {
        node: 'n1',
        containers: [{ namespace: 'a', pod: 'p', container: 'app', at: T, cpuMillicores: 1.5, memoryBytes: 2048 }],
        nodeUsage: { node: 'n1', at: T, cpuMillicores: 2_000, memoryBytes: 1_048_576 },
      },
    ]);
    expect(dropped).toEqual(['1 nan', '1 unknown-pod']);
    await clock.advance(120_000);
    expect(readings).toHaveLength(3);
    stop.abort();
  });

  test('reports the remedy where it is not installed', async () => {
    const { clock, failures, stop } = running(
      new FakeTransport(() => status(404, 'NotFound', 'the server could not find the requested resource')),
    );
    await clock.advance(0);
    expect(failures[0]).toContain('metrics-server is not installed');
    stop.abort();
  });
});
