import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isSameSet, pathsOf, sortedSet, union, withoutBranches } from './field-set.ts';

/** Any set of fields, in wire form: built from paths, so that it is well formed. */
const sets: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"'), { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => paths.reduce<FieldSet>((set, path) => union(set, nest(path)), {}));

function nest(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((inner, element) => ({ [element]: inner }), {});
}

function members(set: FieldSet): Set<string> {
  return new Set(pathsOf(set));
}

describe('field sets', () => {
  test('behave as sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [inA, inB] = [members(a), members(b)];
        expect(members(union(a, b))).toEqual(new Set([...inA, ...inB]));
        expect(members(intersection(a, b))).toEqual(new Set([...inA].filter((path) => inB.has(path))));
        expect(members(difference(a, b))).toEqual(new Set([...inA].filter((path) => !inB.has(path))));
      }),
    );
  });

  test('survive a round trip through the wire format', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const back = JSON.parse(JSON.stringify(sortedSet(set))) as FieldSet;
        expect(isSameSet(back, set)).toBe(true);
        expect(members(back)).toEqual(members(set));
      }),
    );
  });

  test('remove a branch with everything below it', () => {
    const set: FieldSet = { 'f:metadata': { '.': {}, 'f:name': {}, 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': {} };
    expect(withoutBranches(set, { 'f:metadata': { 'f:labels': {} } })).toEqual({ 'f:metadata': { '.': {}, 'f:name': {} }, 'f:spec': {} });
  });

  test('print paths in Kubernetes’ notation', () => {
    const set: FieldSet = {
      'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } }, 'f:finalizers': { 'v:"a"': {} } },
    };
    expect(pathsOf(set)).toEqual([
      '.spec.finalizers[="a"]',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].port',
    ]);
  });
});
