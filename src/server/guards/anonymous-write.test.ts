import { expect, test } from '@jest/globals';
import { isLocal, isRead, type RequestSource } from './anonymous-write.ts';

const LOCAL: RequestSource = { peer: '127.0.0.1', isForwarded: false };
const POD = '10.0.0.7';

test.each<[string, Partial<RequestSource>, boolean]>([
  ['from loopback', {}, true],
  ['from loopback by IPv6', { peer: '::1' }, true],
  ['from loopback by IPv4 mapped into IPv6', { peer: '::ffff:127.0.0.1' }, true],
  ['from a pod', { peer: POD }, false],
  ['that a sidecar of a service mesh passes on', { peer: '127.0.0.6' }, false],
  ['that a proxy on this machine passes on', { isForwarded: true }, false],
  ['of a connection that is closed', { peer: undefined }, false],
])('a request %s is local: %j: %j', (_case, given, expected) => {
  expect(isLocal({ ...LOCAL, ...given })).toBe(expected);
});

test('a request by GET, HEAD or OPTIONS changes nothing', () => {
  expect(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(isRead)).toEqual(['GET', 'HEAD', 'OPTIONS']);
});
