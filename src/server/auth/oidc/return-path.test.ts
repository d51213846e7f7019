import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSafeReturnPath } from './return-path.ts';

describe('a return path', () => {
  test.each([
    '/',
    '/?show=open&q=web',
    '/#/workloads/shop/web',
    '/ui/?q=100%25',
    '/recommendations/shop/caf%C3%A9',
    '/?next=https://example.com/',
    '/?q=//example.com',
  ])('of the dashboard is followed: %s', (path) => {
    expect(isSafeReturnPath(path)).toBe(true);
  });

  test.each([
    '',
    'https://example.com/',
    'javascript:alert(1)',
    'example.com',
    '?q=1',
    '//example.com',
    '///example.com',
    '/\\example.com',
    '\\\\example.com',
    '/\t/example.com',
    '/\n/example.com',
    '/\u0000/example.com',
    '/%2Fexample.com',
    '/%2fexample.com',
    '/%5Cexample.com',
    '/%252Fexample.com',
    '/%25252Fexample.com',
    '/%09/example.com',
    '/.//example.com',
    '/x/..//example.com',
    '/%2e/%2fexample.com',
    '/path\r\nSet-Cookie: a=b',
    '/auth/logout',
    '/ui/auth/login?returnTo=/',
    '/%61uth/logout',
    `/${'x'.repeat(1024)}`,
    `/${'é'.repeat(512)}`,
  ])('to another site or in a loop is refused: %j', (path) => {
    expect(isSafeReturnPath(path)).toBe(false);
  });

  test('that is accepted resolves to the dashboard’s origin', () => {
    const part = fc.constantFrom('/', '\\', '//', '%2F', '%5C', '%252F', '.', '..', '@', ':', '?', '#', '\t', 'example.com', 'http:', 'a');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
        (text) => {
          if (!isSafeReturnPath(text)) return;
          expect(new URL(text, 'https://keel.example.com').origin).toBe('https://keel.example.com');
          expect(text).toMatch(/^\/(?!\/)/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
