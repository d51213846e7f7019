import { expect, test } from '@jest/globals';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { leftByQuota } from './remaining-quota.ts';

const quota = {
  namespace: 'shop',
  name: 'team',
  hardRequests: { cpuMillicores: 4_000, memoryBytes: null },
  usedRequests: { cpuMillicores: 1_500, memoryBytes: 7 },
  hardLimits: { cpuMillicores: 1_000, memoryBytes: 64 },
  usedLimits: { cpuMillicores: 3_000, memoryBytes: null },
};

test.each([
  ['what is not used', 'requests', 'cpuMillicores', 2_500],
  ['everything of what it does not bound', 'requests', 'memoryBytes', Infinity],
  ['less than nothing where it was lowered below what is used', 'limits', 'cpuMillicores', -2_000],
  ['all of it while no use is reported', 'limits', 'memoryBytes', 64],
] as const)('a quota leaves %s', (_, part, field, left) => {
  expect(leftByQuota(quota, part, field)).toBe(left);
});

test('a quota that bounds neither CPU nor memory leaves everything', () => {
  const open = { ...quota, hardRequests: UNSET_RESOURCES, hardLimits: UNSET_RESOURCES };
  expect(leftByQuota(open, 'limits', 'cpuMillicores')).toBe(Infinity);
});
