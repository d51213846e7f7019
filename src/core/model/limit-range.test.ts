import { expect, test } from '@jest/globals';
import type { LimitRangeRecord } from './cluster-records.ts';
import { containerCaps, maxOfContainer, isWithinBounds, tightestCap, type LimitBounds } from './limit-range.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';

const range = (name: string, cpuMillicores: number | null): LimitRangeRecord => ({
  namespace: 'shop',
  name,
  min: UNSET_RESOURCES,
  max: { cpuMillicores, memoryBytes: null },
  maxLimitRequestRatio: { cpu: null, memory: null },
});
const ranges = [range('wide', 4_000), range('open', null), range('tight', 2_000)];

test('the lowest maximum of all LimitRanges bounds a container', () => {
  expect(containerCaps(ranges, 'cpuMillicores').map(({ what }) => what)).toEqual(['LimitRange wide', 'LimitRange tight']);
  expect(tightestCap(containerCaps(ranges, 'cpuMillicores'))).toEqual({ value: 2_000, what: 'LimitRange tight' });
  expect(maxOfContainer(ranges, 'cpuMillicores')).toBe(2_000);
});

test('without a maximum a resource is unbounded', () => {
  expect(tightestCap(containerCaps(ranges, 'memoryBytes'))).toBeNull();
  expect(maxOfContainer(ranges, 'memoryBytes')).toBe(Infinity);
});

test.each<[string, number | null, number | null, Partial<LimitBounds>, boolean]>([
  ['without bounds any value is admitted', null, null, {}, true],
  ['a request below the minimum is refused', 90, 200, { min: 100 }, false],
  ['a limit below the minimum is refused', null, 90, { min: 100 }, false],
  ['an unset value is not below the minimum', null, null, { min: 100 }, true],
  ['the minimum is admitted', 100, 100, { min: 100 }, true],
  ['a limit above the maximum is refused', 100, 201, { max: 200 }, false],
  ['a request above the maximum is refused', 201, 200, { max: 200 }, false],
  ['a maximum requires a limit', 100, null, { max: 200 }, false],
  ['the maximum is admitted', 200, 200, { max: 200 }, true],
  ['a limit within the ratio is admitted', 100, 250, { ratio: 2.5 }, true],
  ['a limit above the ratio is refused', 100, 251, { ratio: 2.5 }, false],
  ['a ratio requires a limit', 100, null, { ratio: 2 }, false],
  ['a ratio requires a request', 0, 200, { ratio: 2 }, false],
])('%s', (_, request, limit, bounds, admitted) => {
  expect(isWithinBounds(request, limit, { min: null, max: null, ratio: null, ...bounds })).toBe(admitted);
});
