import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readOverrides } from '../resize/policy/workload-overrides.ts';
import { mergeBounds, type BoundsChange } from './merge-bounds.ts';

const CONTAINERS = new Set(['app', 'istio-proxy']);
const storedBounds = (floor: object | null, ceiling: object | null = null): Record<string, string> => ({
  ...(floor === null ? {} : { 'evenkeel.io/floor': JSON.stringify(floor) }),
  ...(ceiling === null ? {} : { 'evenkeel.io/ceiling': JSON.stringify(ceiling) }),
});
const merge = (annotations: Record<string, string>, change: BoundsChange) => mergeBounds(annotations, change, CONTAINERS);

describe('bounds are merged by container and resource', () => {
  test.each<[string, Record<string, string>, BoundsChange, string | null]>([
    ['a first bound', {}, { floor: { '*': { cpu: '250m' } } }, '{"*":{"cpu":"250m"}}'],
    [
      'the other resource is kept',
      storedBounds({ app: { cpu: '250m' } }),
      { floor: { app: { memory: '1Gi' } } },
      '{"app":{"cpu":"250m","memory":"1Gi"}}',
    ],
    [
      'the other container is kept',
      storedBounds({ app: { cpu: '1' } }),
      { floor: { '*': { cpu: '2' } } },
      '{"*":{"cpu":"2"},"app":{"cpu":"1"}}',
    ],
    [
      'null removes one value',
      storedBounds({ app: { cpu: '1', memory: '1Gi' } }),
      { floor: { app: { cpu: null } } },
      '{"app":{"memory":"1Gi"}}',
    ],
    ['the last value removes the annotation', storedBounds({ app: { cpu: '1' } }), { floor: { app: { cpu: null } } }, null],
    ['null removes a container', storedBounds({ app: { cpu: '1' }, '*': { cpu: '2' } }), { floor: { app: null } }, '{"*":{"cpu":"2"}}'],
    ['null removes all containers', storedBounds({ app: { cpu: '1' }, '*': { cpu: '2' } }), { floor: null }, null],
    [
      'bounds that the change does not name are kept',
      storedBounds({ app: { cpu: '1' } }),
      { ceiling: { app: { cpu: '2' } } },
      '{"app":{"cpu":"1"}}',
    ],
    [
      'a number becomes a quantity',
      storedBounds({ app: { cpu: 1 } }),
      { floor: { app: { memory: '1Gi' } } },
      '{"app":{"cpu":"1","memory":"1Gi"}}',
    ],
    ['the bound of a deleted container can be removed', storedBounds({ old: { cpu: '1' } }), { floor: { old: null } }, null],
  ])('%s', (_, annotations, change, floor) => {
    expect(merge(annotations, change)).toMatchObject({ kind: 'merged', floor });
  });
});

describe('an invalid change is refused with the field', () => {
  test.each<[string, Record<string, string>, BoundsChange, string, RegExp]>([
    [
      'a floor above its ceiling',
      {},
      { floor: { app: { cpu: '2' } }, ceiling: { app: { cpu: '1' } } },
      '/floor/app/cpu',
      /floor 2 .* ceiling 1/,
    ],
    [
      'above the stored ceiling',
      storedBounds(null, { app: { memory: '1Gi' } }),
      { floor: { app: { memory: '2Gi' } } },
      '/floor/app/memory',
      /above the ceiling 1Gi/,
    ],
    [
      'a ceiling below the stored floor',
      storedBounds({ '*': { cpu: '500m' } }),
      { ceiling: { app: { cpu: '100m' } } },
      '/ceiling/app/cpu',
      /floor 500m/,
    ],
    [
      'a floor of all containers above the ceiling of one',
      storedBounds(null, { app: { cpu: '1' } }),
      { floor: { '*': { cpu: '2' } } },
      '/floor/app/cpu',
      /container app/,
    ],
    ['an invalid quantity', {}, { floor: { app: { cpu: 'lots' } } }, '/floor/app/cpu', /lots/],
    ['a tenth of a byte', {}, { floor: { app: { memory: '100m' } } }, '/floor/app/memory', /100m is a tenth of a byte; write 100Mi/],
    ['a negative quantity', {}, { floor: { app: { memory: '-1Gi' } } }, '/floor/app/memory', /./],
    ['zero', {}, { ceiling: { app: { cpu: '0' } } }, '/ceiling/app/cpu', /greater than 0/],
    ['an unknown container', {}, { floor: { ap: { cpu: '1' } } }, '/floor/ap', /its containers are app, istio-proxy/],
  ])('%s', (_, annotations, change, path, message) => {
    const merged = merge(annotations, change);
    expect(merged).toMatchObject({ kind: 'invalid', faults: [{ path, message: expect.stringMatching(message) }] });
  });

  test('reports all faults', () => {
    const merged = merge({}, { floor: { app: { cpu: 'x', memory: 'y' } }, ceiling: { nope: { cpu: '1' } } });
    expect(merged.kind === 'invalid' && merged.faults.map(({ path }) => path)).toEqual([
      '/floor/app/cpu',
      '/floor/app/memory',
      '/ceiling/nope',
    ]);
  });
});

describe('an invalid annotation', () => {
  const broken = { 'evenkeel.io/floor': '{"app":' };
  test('is not merged with', () => {
    expect(merge(broken, { floor: { app: { cpu: '1' } } })).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining('evenkeel.io/floor'),
    });
    expect(merge(broken, { ceiling: { app: { cpu: '1' } } }).kind).toBe('unreadable');
  });
  test('can be removed', () => {
    expect(merge(broken, { floor: null })).toEqual({ kind: 'merged', floor: null, ceiling: null });
  });
});

const amount = fc.option(fc.integer({ min: 1, max: 4000 }).map((millis) => `${millis}m`));
const bounds = fc.option(
  fc.dictionary(fc.constantFrom('*', 'app', 'istio-proxy'), fc.option(fc.record({ cpu: amount }, { requiredKeys: [] }))),
);

test('a merged annotation is valid, and merging it again changes nothing', () => {
  fc.assert(
    fc.property(bounds, bounds, bounds, bounds, (floor, ceiling, laterFloor, laterCeiling) => {
      let annotations: Record<string, string> = {};
      for (const change of [
        { floor, ceiling },
        { floor: laterFloor, ceiling: laterCeiling },
      ]) {
        const merged = merge(annotations, change);
        if (merged.kind !== 'merged') continue;
        const next = { 'evenkeel.io/floor': merged.floor, 'evenkeel.io/ceiling': merged.ceiling };
        annotations = Object.fromEntries(Object.entries(next).filter((entry): entry is [string, string] => entry[1] !== null));
        expect(readOverrides(annotations).problems).toEqual([]);
        expect(merge(annotations, change)).toEqual(merged);
      }
    }),
  );
});
