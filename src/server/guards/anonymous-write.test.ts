import { expect, test } from '@jest/globals';
import { isReadOrLocal, type RequestSource } from './anonymous-write.ts';

const LOCAL: RequestSource = { method: 'POST', peer: '127.0.0.1', client: '127.0.0.1', isForwarded: false, isProxyTrusted: false };
const POD = '10.0.0.7';

test.each<[string, Partial<RequestSource>, boolean]>([
  ['from loopback', {}, true],
  ['from loopback by IPv6', { peer: '::1', client: '::1' }, true],
  ['from loopback by IPv4 mapped into IPv6', { peer: '::ffff:127.0.0.1', client: '::ffff:127.0.0.1' }, true],
  ['from a pod', { peer: POD, client: POD }, false],
  ['that only reads, from a pod', { method: 'GET', peer: POD, client: POD }, true],
  ['from a pod that names a loopback client', { peer: POD, client: '127.0.0.1', isForwarded: true, isProxyTrusted: true }, false],
  ['from a proxy on this machine that nobody trusts', { isForwarded: true }, false],
  ['from a trusted proxy on this machine for a pod', { client: POD, isForwarded: true, isProxyTrusted: true }, false],
  ['from a trusted proxy on this machine for itself', { isForwarded: true, isProxyTrusted: true }, true],
  ['of a connection that is closed', { peer: undefined }, false],
])('a request %s', (_case, given, isAllowed) => {
  expect(isReadOrLocal({ ...LOCAL, ...given })).toBe(isAllowed);
});
