import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport } from '../../../test/fakes/clients/fake-transport.ts';
import { ApiServerHealth } from './api-server-health.ts';

describe('the health of the API server', () => {
  test('reports the version, a problem while it lasts, and its start', async () => {
    const clock = new FakeClock();
    const startedAt = clock.now();
    const transport = new FakeTransport(() => ({ body: { gitVersion: 'v1.36.0' } }));
    const health = new ApiServerHealth(transport, clock, clock);
    await health.start();
    expect([health.isReachable(), health.version(), health.status().status]).toEqual([true, 'v1.36.0', 'ok']);

    transport.answer = () => Promise.reject(new Error('connection refused'));
    await clock.advance(6_000);
    expect(health.status()).toEqual({
      status: 'failed',
      message: 'does not respond: connection refused',
      since: startedAt + 5_000,
      latencyMs: null,
    });
    await clock.advance(30_000);
    expect(health.status().since).toBe(startedAt + 5_000);
    expect(health.version()).toBe('v1.36.0');

    transport.answer = () => ({ body: { gitVersion: 'v1.36.1' } });
    await clock.advance(2_000);
    expect([health.isReachable(), health.version()]).toEqual([true, 'v1.36.1']);
    health.stop();
    expect(clock.waiting).toBe(0);
  });

  test('reports the status of a refusal', async () => {
    const clock = new FakeClock();
    const health = new ApiServerHealth(new FakeTransport(() => ({ status: 503 })), clock, clock);
    await health.start();
    expect(health.status().message).toBe('/version returned HTTP 503');
    health.stop();
  });
});
