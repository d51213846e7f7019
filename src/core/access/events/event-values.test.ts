import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { storedText, storedValue } from './event-values.ts';

const KEY = `ek_k3v9x0q2m7ab_${'s3cretS'.repeat(7)}`;

describe('A value of an access event', () => {
  test('is stored as it is', () => {
    const value = { floor: { app: { cpu: '250m' } }, list: [1, null, true], name: 'token-service' };
    expect(storedValue(value)).toEqual(value);
    expect([storedValue(undefined), storedValue(null)]).toEqual([null, null]);
  });

  test.each(['password', 'clientSecret', 'token', 'Authorization', 'session-cookie', 'key', 'passwordHash'])('has no %s', (name) => {
    expect(JSON.stringify(storedValue({ deep: [{ [name]: 'hunter2' }] }))).not.toContain('hunter2');
  });

  test('has the entries of addresses and domains, whatever these are called', () => {
    const value = { 'secretary@example.com': 'admin', 'tokens@example.com': 'viewer in shop', '@hash.example': 'viewer in *' };
    expect(storedValue(value)).toEqual(value);
  });

  test('has no API key and no bearer token in any text', () => {
    const stored = JSON.stringify(storedValue({ reason: `use ${KEY}`, list: [`Authorization: Bearer abc.def`] }));
    expect(stored).toContain('ek_[redacted]');
    expect(stored).not.toMatch(/s3cret|abc\.def/);
    expect(storedText(`GET /x/${KEY}`)).toBe('GET /x/ek_[redacted]');
  });

  test('has at most 4,096 characters of JSON, whatever is given', () => {
    expect(storedValue('x'.repeat(5_000))).toMatchObject({ length: 5_002 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), fc.nat(3_000), (value, times) => {
        const many = Array.from({ length: times }, () => value);
        return JSON.stringify(storedValue(many)).length <= 4_200;
      }),
    );
  });
});

test('a text of an access event has no control characters, which PostgreSQL and terminals refuse', () => {
  expect(storedText('a\0b\u001b[31m\ud800')).toBe('a\u{fffd}b\u{fffd}[31m\u{fffd}');
  expect(storedText('x'.repeat(1_000))).toHaveLength(512);
});
