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

test('the tightest LimitRange says how much a container may have', () => {
  expect(containerCaps(ranges, 'cpuMillicores').map(({ what }) => what)).toEqual(['LimitRange wide', 'LimitRange tight']);
  expect(tightestCap(containerCaps(ranges, 'cpuMillicores'))).toEqual({ value: 2_000, what: 'LimitRange tight' });
  expect(maxOfContainer(ranges, 'cpuMillicores')).toBe(2_000);
});

test('without one that bounds a resource, a container may have any amount of it', () => {
  expect(tightestCap(containerCaps(ranges, 'memoryBytes'))).toBeNull();
  expect(maxOfContainer(ranges, 'memoryBytes')).toBe(Infinity);
});

test.each<[string, number | null, number | null, Partial<LimitBounds>, boolean]>([
  ['no bound admits anything', null, null, {}, true],
  ['a request below the least is refused', 90, 200, { least: 100 }, false],
  ['a limit below the least is refused', null, 90, { least: 100 }, false],
  ['what is not set is not below the least', null, null, { least: 100 }, true],
  ['the least itself is admitted', 100, 100, { least: 100 }, true],
  ['a limit above the greatest is refused', 100, 201, { greatest: 200 }, false],
  ['a request above the greatest is refused', 201, 200, { greatest: 200 }, false],
  ['a greatest amount asks for a limit', 100, null, { greatest: 200 }, false],
  ['the greatest itself is admitted', 200, 200, { greatest: 200 }, true],
  ['a limit within the ratio is admitted', 100, 250, { ratio: 2.5 }, true],
  ['a limit past the ratio is refused', 100, 251, { ratio: 2.5 }, false],
  ['a ratio asks for a limit', 100, null, { ratio: 2 }, false],
  ['a ratio asks for a request', 0, 200, { ratio: 2 }, false],
])('%s', (_, request, limit, bounds, admitted) => {
  expect(isWithinBounds(request, limit, { least: null, greatest: null, ratio: null, ...bounds })).toBe(admitted);
});
