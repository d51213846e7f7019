import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonPatch } from './json-patch.ts';

const anObject = () => ({ metadata: { name: 'a', finalizers: ['f', 'g'] }, data: { k: 'v' } });

describe('JSON patch', () => {
  test.each([
    [[{ op: 'add', path: '/data/x', value: '1' }], { data: { k: 'v', x: '1' } }],
    [[{ op: 'add', path: '/metadata/finalizers/-', value: 'h' }], { metadata: { finalizers: ['f', 'g', 'h'] } }],
    [[{ op: 'add', path: '/data/a~1b', value: '1' }], { data: { 'a/b': '1' } }],
    [
      [
        { op: 'test', path: '/data/k', value: 'v' },
        { op: 'remove', path: '/data/k' },
      ],
      { data: {} },
    ],
    [[{ op: 'move', from: '/data/k', path: '/data/l' }], { data: { l: 'v' } }],
    [[{ op: 'copy', from: '/metadata/name', path: '/data/k' }], { data: { k: 'a' } }],
  ])('%j', (operations, expected) => {
    expect(jsonPatch(anObject(), operations)).toMatchObject({ ok: true, value: expected });
  });

  test.each([
    [{ op: 'add', path: 'data', value: 1 }],
    [{ op: 'add', path: 5, value: 1 }],
    [{ op: 'add' }],
    [{ op: 'zap', path: '/data' }],
    [{ op: 'remove', path: '/data/none' }],
    [{ op: 'remove', path: '' }],
    [{ op: 'test', path: '/data/k', value: 'w' }],
    [{ op: 'replace', path: '/metadata/finalizers/x', value: 'w' }],
    [{ op: 'add', path: '/metadata/__proto__/polluted', value: 1 }],
    [{ op: 'add', path: '/metadata/toString/polluted', value: 1 }],
    [{ op: 'add', path: '/metadata/finalizers/push/polluted', value: 1 }],
    [{ op: 'copy', from: '/data/toString', path: '/data/x' }],
    [{ op: 'move', from: '/none', path: '/data/x' }],
  ])('%j fails', (operation) => {
    expect(jsonPatch(anObject(), [operation])).toMatchObject({ ok: false, kind: 'failed' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((Object.prototype.toString as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([[null], [{}], [[5]], [[[]]], [Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data', value: {} }))]])(
    'a patch that is not a list of operations is malformed',
    (operations) => {
      expect(jsonPatch(anObject(), operations)).toMatchObject({ ok: false, kind: 'malformed' });
    },
  );

  test('copies cannot double an object without bound', () => {
    const doubling = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/${index}` }));
    expect(jsonPatch(anObject(), doubling)).toMatchObject({ ok: false, message: expect.stringContaining('copies') });
  });

  test('returns a result for any paths', () => {
    const step = fc.constantFrom(
      '',
      'data',
      'k',
      'metadata',
      'finalizers',
      '0',
      '-',
      '9',
      '__proto__',
      'constructor',
      'toString',
      '~',
      '~2',
    );
    const path = fc.oneof(
      fc.array(step, { maxLength: 4 }).map((steps) => steps.map((one) => `/${one}`).join('')),
      fc.anything(),
    );
    const operation = fc.record(
      { op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'zap'), path, from: path, value: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(fc.array(operation), (operations) => typeof jsonPatch(anObject(), operations).ok === 'boolean'));
  });
});
