import { describe, expect, test } from '@jest/globals';
import { addressMatcher, isAddressRange } from './address-ranges.ts';

describe('a range of addresses', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['10.1.2.3', ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '0:0:0:0:0:FFFF:10.1.2.3'], ['10.1.2.4', '::10.1.2.3', '', 'x']],
    ['10.1.2.0/24', ['10.1.2.0', '10.1.2.255', '::ffff:10.1.2.9'], ['10.1.3.0', '10.1.1.255', '2001:db8::1']],
    ['10.1.2.7/24', ['10.1.2.200'], ['10.1.3.7']],
    ['::ffff:10.1.2.3', ['10.1.2.3', '::ffff:10.1.2.3'], ['10.1.2.4']],
    ['2001:db8::/32', ['2001:db8:1::9', '2001:DB8::1%eth0'], ['2001:db9::1', '10.1.2.3']],
    ['::/1', ['::1'], ['10.1.2.3', '::ffff:10.1.2.3', '8000::1']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
  ])('%s', (range, inside, outside) => {
    expect(isAddressRange(range)).toBe(true);
    const isInside = addressMatcher([range]);
    expect([inside.map(isInside), outside.map(isInside)]).toEqual([inside.map(() => true), outside.map(() => false)]);
  });

  test.each([
    '',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.*',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0',
    'loopback',
    'proxy.example.com',
    ' 10.0.0.1',
  ])('%j is none', (text) => {
    expect(isAddressRange(text)).toBe(false);
    expect(() => addressMatcher([text])).toThrow('is no IP address or range');
  });

  test('of none has no address', () => {
    expect(addressMatcher([])('127.0.0.1')).toBe(false);
  });
});
