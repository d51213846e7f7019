import { expect, test } from '@jest/globals';
import { openDashboardHealth, openDashboardWarning } from './open-dashboard.ts';

const OPEN = { 'auth.enabled': false, 'dashboard.addr': ':9090', 'dashboard.anonymousWrites': true } as const;

test.each<[string, Partial<Parameters<typeof openDashboardWarning>[0]>, RegExp | null]>([
  ['that accepts changes of everyone', {}, /may read everything and make changes, without a credential: set auth.enabled/],
  [
    'that accepts changes from loopback',
    { 'dashboard.anonymousWrites': false },
    /changes are accepted from loopback alone\. Set auth.enabled/,
  ],
  ['on an address of the machine', { 'dashboard.addr': '10.0.0.7:9090' }, /without a credential/],
  ['on loopback', { 'dashboard.addr': '127.0.0.1:9090' }, null],
  ['on loopback by IPv6', { 'dashboard.addr': '[::1]:9090' }, null],
  ['that requires a credential', { 'auth.enabled': true }, null],
])('a dashboard without authentication %s is reported', (_what, settings, expected) => {
  const warning = openDashboardWarning({ ...OPEN, ...settings });
  const health = openDashboardHealth(warning, 0).map((source) => ({ name: source.name, ...source.status() }));
  if (expected === null) expect([warning, health]).toEqual([null, []]);
  else {
    const message = expect.stringMatching(expected);
    expect(warning).toEqual({ code: 'authentication_disabled', message });
    expect(health).toEqual([{ name: 'authentication', status: 'degraded', message, since: 0, latencyMs: null }]);
  }
});
