import { describe, expect, test } from '@jest/globals';
import { HmacSigner } from './hmac-signer.ts';

const OF = { kind: 'Deployment', uid: 'u1', field: 'evenkeel.io/idle' };
const signer = new HmacSigner(() => Buffer.alloc(32, 1));
const record = signer.sign(OF, '{"replicas":3}');

describe('A record', () => {
  test('stays JSON, with its signature as another field', () => {
    expect(JSON.parse(record)).toEqual({ replicas: 3, signature: expect.stringMatching(/^[\w-]{43}$/) });
    expect(signer.isAuthentic(OF, record)).toBe(true);
  });

  test.each([
    ['of another object', { ...OF, uid: 'u2' }, record],
    ['of another kind', { ...OF, kind: 'StatefulSet' }, record],
    ['of another field', { ...OF, field: 'evenkeel.io/original' }, record],
    ['that was changed', OF, record.replace('3', '9')],
    ['with another field', OF, record.replace('{', '{"more":1,')],
    ['without a signature', OF, '{"replicas":3}'],
    ['of another format', OF, 'no'],
  ])('%s is not valid', (_, binding, value) => {
    expect(signer.isAuthentic(binding, value)).toBe(false);
  });

  test('of another key is not valid', () => {
    expect(new HmacSigner(() => Buffer.alloc(32, 2)).isAuthentic(OF, record)).toBe(false);
  });

  test('is neither signed nor verified without a key', () => {
    const none = new HmacSigner(() => null);
    expect([none.hasKey, none.isAuthentic(OF, record)]).toEqual([false, false]);
    expect(() => none.sign(OF, '{}')).toThrow('no key');
  });
});
