import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeTransport } from '../../../test/fakes/fake-transport.ts';
import { ApiServerHealth } from './api-server-health.ts';

describe('the health of the API server', () => {
  test('tells its version, what is wrong while it is, and since when', async () => {
    const clock = new FakeClock();
    const begun = clock.now();
    const transport = new FakeTransport(() => ({ body: { gitVersion: 'v1.36.0' } }));
    const health = new ApiServerHealth(transport, clock, clock);
    await health.start();
    expect([health.reachable(), health.version(), health.status().status]).toEqual([true, 'v1.36.0', 'ok']);

    transport.answer = () => Promise.reject(new Error('connection refused'));
    await clock.advance(6_000);
    expect(health.status()).toEqual({
      status: 'failed',
      message: 'does not answer: connection refused',
      since: begun + 5_000,
      latencyMs: null,
    });
    await clock.advance(30_000);
    expect(health.status().since).toBe(begun + 5_000);
    expect(health.version()).toBe('v1.36.0');

    transport.answer = () => ({ body: { gitVersion: 'v1.36.1' } });
    await clock.advance(2_000);
    expect([health.reachable(), health.version()]).toEqual([true, 'v1.36.1']);
    health.stop();
    expect(clock.waiting).toBe(0);
  });

  test('a refusal is told by its status', async () => {
    const clock = new FakeClock();
    const health = new ApiServerHealth(new FakeTransport(() => ({ status: 503 })), clock, clock);
    await health.start();
    expect(health.status().message).toBe('answered HTTP 503 to /version');
    health.stop();
  });
});
