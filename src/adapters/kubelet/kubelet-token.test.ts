import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeTransport, status } from '../../../test/fakes/fake-transport.ts';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { ApiResponse } from '#kube/api-transport';
import { KubeletToken } from './kubelet-token.ts';

type Answer = Pick<ApiResponse, 'body'> & Partial<ApiResponse>;

/** An API server that answers requests for tokens, one after the other. */
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

describe('The token that kubelets are sent', () => {
  test('is of the ServiceAccount that reads them, for ten minutes', async () => {
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

  test('is asked for once by all who want it at the same time, and replaced before it ends', async () => {
    const { token, timer, asked } = tokens(600);
    await Promise.all([token.headers(), token.headers(), token.headers()]);
    await timer.advance(8 * MINUTE_MS - 1);
    expect([await token.headers(), asked()]).toEqual([bearer('t1'), 1]);
    await timer.advance(1);
    expect([await token.headers(), asked()]).toEqual([bearer('t2'), 2]);
  });

  test('is replaced in ten minutes even where the API server grants more', async () => {
    const { token, timer } = tokens(86_400);
    await token.headers();
    await timer.advance(8 * MINUTE_MS);
    expect(await token.headers()).toEqual(bearer('t2'));
  });

  test('is kept while the next is not to be had, until it ends; that is asked for twice a minute at most', async () => {
    const { token, timer, asked } = tokens(600, status(500, 'InternalError', 'no'));
    await token.headers();
    await timer.advance(8 * MINUTE_MS);
    for (let times = 0; times < 5; times += 1) expect(await token.headers()).toEqual(bearer('t1'));
    expect(asked()).toBe(2);
    await timer.advance(2 * MINUTE_MS);
    await expect(token.headers()).rejects.toThrow('asking for a token of ServiceAccount evenkeel-system/evenkeel-kubelet-reader');
    await expect(token.headers()).rejects.toThrow('no (500 InternalError)');
    expect([asked(), token.refusal()]).toEqual([3, null]);
  });

  test('that a kubelet refuses is replaced, but not sooner than in half a minute: a node may refuse each one', async () => {
    const { token, timer, asked } = tokens(600);
    await token.headers();
    expect(await token.headers({ fresh: true })).toEqual(bearer('t1'));
    await timer.advance(30 * SECOND_MS);
    expect(await token.headers({ fresh: true })).toEqual(bearer('t2'));
    expect([await token.headers({ fresh: true }), asked()]).toEqual([bearer('t2'), 2]);
  });

  test.each([
    ['the ServiceAccount is missing', 404, 'NotFound'],
    ['it may not be asked for', 403, 'Forbidden'],
  ])('is refused, with the remedy, where %s, until that changes', async (_case, code, reason) => {
    const { token, timer } = tokens(status(code, reason, 'words of the API server'), 600);
    await expect(token.headers()).rejects.toThrow('words of the API server');
    expect(token.refusal()).toMatch(/evenkeel-kubelet-reader .*words of the API server.*config\/rbac.*kubelet\.viaProxy: true/);
    await timer.advance(30 * SECOND_MS);
    expect([await token.headers(), token.refusal()]).toEqual([bearer('t2'), null]);
  });
});
