import { describe, expect, test } from '@jest/globals';
import { hasFormat } from './formats.ts';
import { compileRe2 } from './cel/re2.ts';

describe('hasFormat', () => {
  test.each([
    ['ipv4', '10.0.0.1', true],
    ['ipv4', '10.0.0.256', false],
    ['ipv4', '10.0.0', false],
    ['ipv6', '::1', true],
    ['ipv6', '2001:db8::8a2e:370:7334', true],
    ['ipv6', '::ffff:10.0.0.1', true],
    ['ipv6', '1::2::3', false],
    ['ipv6', '1:2:3:4:5:6:7', false],
    ['cidr', '10.0.0.0/8', true],
    ['cidr', '10.0.0.0/33', false],
    ['cidr', 'fd00::/64', true],
    ['date-time', '2026-03-01T10:00:00Z', true],
    ['date-time', '2026-03-01T10:00:00.123456+02:00', true],
    ['date-time', '2026-13-01T10:00:00Z', false],
    ['date', '2026-03-01', true],
    ['duration', '1h30m', true],
    ['duration', '5 minutes', false],
    ['byte', 'aGk=', true],
    ['byte', 'a', false],
    ['hostname', 'a.b-c.d', true],
    ['hostname', '-a', false],
    ['uuid', '6f9619ff-8b86-d011-b42d-00cf4fc964ff', true],
    ['uri', 'https://example.org/x', true],
    ['uri', 'no uri', false],
    ['of-our-own', 'anything', true],
  ])('%s: %s %s', (format, text, expected) => {
    expect(hasFormat(text, format)).toBe(expected);
  });
});

describe('compileRe2', () => {
  test.each([
    ['(?i)^abc$', 'ABC', true],
    ['^[[:alpha:]]+\\z', 'abc', true],
    ['^(?P<name>a)$', 'a', true],
    ['^[a-z\\-]+$', 'a-b', true],
    ['(?=a)', 'a', undefined],
    ['(a)\\1', 'aa', undefined],
    ['(', '', undefined],
  ])('%s on %s', (pattern, text, expected) => {
    expect(compileRe2(pattern)?.test(text)).toBe(expected);
  });
});
