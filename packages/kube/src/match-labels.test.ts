import { describe, expect, test } from '@jest/globals';
import { isLabelSelectorMatch, isEveryRequirementMet, parseLabelQuery } from './match-labels.ts';

const labels = { app: 'web', tier: 'front', level: '3' };

describe('label selectors', () => {
  test.each([
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'db' } }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['db', 'web'] }] }, true],
    [{ matchExpressions: [{ key: 'missing', operator: 'NotIn' as const, values: ['x'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' as const }] }, false],
    [{ matchExpressions: [{ key: 'constructor', operator: 'DoesNotExist' as const }] }, true],
    [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' as const }] }, true],
  ])('%j: %s', (selector, expected) => {
    expect(isLabelSelectorMatch(selector, labels)).toBe(expected);
  });

  test.each([
    ['', true],
    ['app=web', true],
    ['app == web, tier!=back', true],
    ['app in (db, web),tier', true],
    ['app notin (web)', false],
    ['!missing', true],
    ['toString', false],
    ['missing!=x', true],
    ['app=', false],
    ['level>2', true],
    ['level<3', false],
    ['app>2', false],
  ])('query %j: %s', (text, expected) => {
    const query = parseLabelQuery(text);
    if (!query.ok) throw new Error(query.message);
    expect(isEveryRequirementMet(query.value, labels)).toBe(expected);
  });

  test.each(['app=web,', 'a b', 'app in web', 'app in (web', '=web', 'app=we b', 'level>x', '-a=b', 'a/b/c=d', 'app=-x'])(
    'refuses %j',
    (text) => {
      expect(parseLabelQuery(text)).toEqual({ ok: false, message: expect.stringContaining('label selector') });
    },
  );
});
