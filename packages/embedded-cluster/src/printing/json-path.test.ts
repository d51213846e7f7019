import { describe, expect, test } from '@jest/globals';
import { parseJsonPath, plainPath } from './json-path.ts';

const object = {
  spec: { replicas: 3, 'a.b': 'dotted', zero: 0 },
  items: [
    { name: 'x', n: 1 },
    { name: 'y', n: 2 },
  ],
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Old', status: 'False' },
    ],
  },
};

describe('parseJsonPath', () => {
  test.each([
    ['.spec.replicas', [3]],
    ['.spec.zero', [0]],
    ['{.spec.replicas}', [3]],
    ['$.spec.replicas', [3]],
    [".spec['a.b']", ['dotted']],
    ['.spec.a\\.b', ['dotted']],
    ['.items[0].name', ['x']],
    ['.items[-1].name', ['y']],
    ['.items[*].n', [1, 2]],
    ['.items[?(@.n>1)].name', ['y']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Old')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Old']],
    ['.status.conditions[?(@.reason)].type', []],
    ['.missing.path', []],
    ['.spec.replicas.deeper', []],
  ])('%s finds %j', (path, expected) => {
    expect(parseJsonPath(path)?.(object)).toEqual(expected);
  });

  test.each(['', 'spec', '.a[', '.a[?(nothing)]x', '.a..'])('does not support %j', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });
});

describe('plainPath', () => {
  test('accepts only field names', () => {
    expect(plainPath('.spec.replicas')).toEqual(['spec', 'replicas']);
    expect(plainPath('.spec[0]')).toBeUndefined();
  });
});
