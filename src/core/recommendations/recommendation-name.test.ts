import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recommendationName } from './recommendation-name.ts';

describe('recommendationName', () => {
  test('is the kind and the name in lower case', () => {
    expect(recommendationName({ kind: 'StatefulSet', name: 'db' })).toBe('statefulset-db');
  });

  test('is a valid name of at most 244 characters, and differs where names differ', () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), minLength: 1, maxLength: 251 }).map((middle) => `a${middle}z`);
    fc.assert(
      fc.property(names, names, (a, b) => {
        const [first, second] = [recommendationName({ kind: 'Deployment', name: a }), recommendationName({ kind: 'Deployment', name: b })];
        expect(first.length).toBeLessThanOrEqual(244);
        expect(first).toMatch(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/);
        if (a !== b) expect(first).not.toBe(second);
      }),
    );
    const long = 'x'.repeat(250);
    expect(recommendationName({ kind: 'Deployment', name: `${long}1` })).not.toBe(
      recommendationName({ kind: 'Deployment', name: `${long}2` }),
    );
  });
});
