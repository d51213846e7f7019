import { describe, expect, test } from '@jest/globals';
import type { ApiRequest, ApiResponse, ApiTransport } from '#kube/api-transport';
import { FakeClock, settle } from '#embedded-cluster/testing/fake-clock';
import { fencedTransport, SENT_WRITE_GRACE_MS } from './fenced-transport.ts';

const RESPONSE: ApiResponse = { status: 200, headers: {}, body: {} };

/** Sends a request when the test says so, and rejects where its signal aborts first. */
class HeldTransport implements ApiTransport {
  #request: ApiRequest | null = null;
  #response = Promise.withResolvers<ApiResponse>();

  request(request: ApiRequest): Promise<ApiResponse> {
    this.#request = request;
    request.signal?.addEventListener('abort', () => this.#response.reject(request.signal?.reason as Error), { once: true });
    if (request.signal?.aborted === true) this.#response.reject(request.signal.reason as Error);
    return this.#response.promise;
  }

  stream(): Promise<never> {
    return Promise.reject(new Error('no stream'));
  }

  /** Whether the request may be sent now. */
  send(): boolean {
    return this.#request?.canSend?.() ?? true;
  }

  respond(): void {
    this.#response.resolve(RESPONSE);
  }
}

function aRequest(method: 'GET' | 'PATCH', canWrite = true) {
  const held = new HeldTransport();
  const timer = new FakeClock();
  const stop = new AbortController();
  const outcome: string[] = [];
  const transport = fencedTransport(held, () => canWrite, timer);
  void transport.request({ method, path: '/', signal: stop.signal }).then(
    ({ status }) => outcome.push(String(status)),
    (err: unknown) => outcome.push(String(err)),
  );
  return { held, timer, stop: () => stop.abort(new Error('stopped')), outcome };
}

describe('A fenced transport', () => {
  test.each(['GET', 'PATCH'] as const)('ends a %s that was not sent at once', async (method) => {
    const { stop, outcome } = aRequest(method);
    stop();
    await settle();
    expect(outcome).toEqual(['Error: stopped']);
  });

  test('ends a read at once, also when it was sent', async () => {
    const { held, stop, outcome } = aRequest('GET');
    held.send();
    stop();
    await settle();
    expect(outcome).toEqual(['Error: stopped']);
  });

  test('waits for the response to a write that was sent', async () => {
    const { held, timer, stop, outcome } = aRequest('PATCH');
    expect(held.send()).toBe(true);
    stop();
    await timer.advance(SENT_WRITE_GRACE_MS - 1);
    expect(outcome).toEqual([]);
    held.respond();
    await settle();
    expect([outcome, timer.waiting]).toEqual([['200'], 0]);
  });

  test('waits no longer than a stop permits', async () => {
    const { held, timer, stop, outcome } = aRequest('PATCH');
    held.send();
    stop();
    await timer.advance(SENT_WRITE_GRACE_MS);
    expect(outcome).toEqual(['Error: stopped']);
  });

  test('sends no second attempt after the signal', () => {
    const { held, stop } = aRequest('PATCH');
    expect(held.send()).toBe(true);
    stop();
    expect(held.send()).toBe(false);
  });

  test('sends no write that is not permitted', () => {
    expect(aRequest('PATCH', false).held.send()).toBe(false);
    expect(aRequest('GET', false).held.send()).toBe(true);
  });
});
