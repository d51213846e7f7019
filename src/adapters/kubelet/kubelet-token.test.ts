import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport, status } from '../../../test/fakes/clients/fake-transport.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { ApiResponse } from '#kube/api-transport';
import { KubeletToken } from './kubelet-token.ts';

type Answer = Pick<ApiResponse, 'body'> & Partial<ApiResponse>;

/** An API server that answers TokenRequests with these results in order. */
function tokens(...answers: readonly (number | Answer)[]) {
  let asked = 0;
  const timer = new FakeClock(0);
  const transport = new FakeTransport(() => {
    const answer = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    if (typeof answer !== 'number') return answer;
    return { status: 201, body: { spec: { expirationSeconds: answer }, status: { token: `t${asked}` } } };
  });
  const token = new KubeletToken({ transport, namespace: 'evenkeel-system', timer });
  return { token, timer, transport, asked: () => asked };
}

const bearer = (token: string): object => ({ authorization: `Bearer ${token}` });

describe('the token sent to kubelets', () => {
  test('belongs to the ServiceAccount that reads kubelets, and is valid for ten minutes', async () => {
    const { token, transport } = tokens(600);
    expect(await token.headers()).toEqual(bearer('t1'));
    expect(transport.requests).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/namespaces/evenkeel-system/serviceaccounts/evenkeel-kubelet-reader/token',
        body: { kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
      },
    ]);
  });

  test('is requested once for concurrent callers, and renewed before it expires', async () => {
    const { token, timer, asked } = tokens(600);
    await Promise.all([token.headers(), token.headers(), token.headers()]);
    await timer.advance(8 * MINUTE_MS - 1);
    expect([await token.headers(), asked()]).toEqual([bearer('t1'), 1]);
    await timer.advance(1);
    expect([await token.headers(), asked()]).toEqual([bearer('t2'), 2]);
  });

  test('is renewed within ten minutes even where the API server grants a longer lifetime', async () => {
    const { token, timer } = tokens(86_400);
    await token.headers();
    await timer.advance(8 * MINUTE_MS);
    expect(await token.headers()).toEqual(bearer('t2'));
  });

  test('is used until it expires while renewal fails; renewal is retried at most twice a minute', async () => {
    const { token, timer, asked } = tokens(600, status(500, 'InternalError', 'no'));
    await token.headers();
    await timer.advance(8 * MINUTE_MS);
    for (let times = 0; times < 5; times += 1) expect(await token.headers()).toEqual(bearer('t1'));
    expect(asked()).toBe(2);
    await timer.advance(2 * MINUTE_MS);
    await expect(token.headers()).rejects.toThrow('requesting a token of ServiceAccount evenkeel-system/evenkeel-kubelet-reader');
    await expect(token.headers()).rejects.toThrow('no (500 InternalError)');
    expect([asked(), token.refusal()]).toEqual([3, null]);
  });

  test('is renewed when a kubelet rejects it, at most once in 30 seconds: a node may reject every token', async () => {
    const { token, timer, asked } = tokens(600);
    await token.headers();
    expect(await token.headers({ fresh: true })).toEqual(bearer('t1'));
    await timer.advance(30 * SECOND_MS);
    expect(await token.headers({ fresh: true })).toEqual(bearer('t2'));
    expect([await token.headers({ fresh: true }), asked()]).toEqual([bearer('t2'), 2]);
  });

  test.each([
    ['the ServiceAccount is missing', 404, 'NotFound'],
    ['its creation is forbidden', 403, 'Forbidden'],
  ])('is unavailable, with the remedy, where %s, until that changes', async (_case, code, reason) => {
    const { token, timer } = tokens(status(code, reason, 'words of the API server'), 600);
    await expect(token.headers()).rejects.toThrow('words of the API server');
    expect(token.refusal()).toMatch(/evenkeel-kubelet-reader .*words of the API server.*config\/rbac.*kubelet\.viaProxy: true/);
    await timer.advance(30 * SECOND_MS);
    expect([await token.headers(), token.refusal()]).toEqual([bearer('t2'), null]);
  });
});
