import { expect, test } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { sessionLimits } from './session-limit-settings.ts';

test('each limit of sessions has its setting', () => {
  const limits = sessionLimits({ 'auth.session.lifetime': 2 * HOUR_MS, 'auth.session.idleTimeout': 30 * MINUTE_MS });
  expect(limits).toEqual({ lifetimeMs: 2 * HOUR_MS, idleMs: 30 * MINUTE_MS });
});
