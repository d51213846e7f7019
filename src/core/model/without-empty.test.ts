import { describe, expect, test } from '@jest/globals';
import { withoutEmpty } from './without-empty.ts';

describe('withoutEmpty', () => {
  test('leaves out maps and lists of nothing, and what is left empty by that', () => {
    const status = { awaiting: {}, savings: { deep: { deeper: [] } }, resizes: [], ready: 0, reason: '', until: null };
    expect(withoutEmpty(status)).toEqual({ ready: 0, reason: '', until: null });
  });

  test('keeps items of lists', () => {
    expect(withoutEmpty({ containers: [{ name: 'app', limits: {} }, {}] })).toEqual({ containers: [{ name: 'app' }, {}] });
  });
});
