import { expect, test } from '@jest/globals';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { getRemainingQuota } from './remaining-quota.ts';

const quota = {
  namespace: 'shop',
  name: 'team',
  hardRequests: { cpuMillicores: 4_000, memoryBytes: null },
  usedRequests: { cpuMillicores: 1_500, memoryBytes: 7 },
  hardLimits: { cpuMillicores: 1_000, memoryBytes: 64 },
  usedLimits: { cpuMillicores: 3_000, memoryBytes: null },
};

test.each([
  ['hard minus used', 'requests', 'cpuMillicores', 2_500],
  ['an unbounded amount of a resource that it does not limit', 'requests', 'memoryBytes', Infinity],
  ['a negative amount after it was lowered below the usage', 'limits', 'cpuMillicores', -2_000],
  ['the hard value while no usage is reported', 'limits', 'memoryBytes', 64],
] as const)('a quota leaves %s', (_, part, field, left) => {
  expect(getRemainingQuota(quota, part, field)).toBe(left);
});

test('a quota that limits neither CPU nor memory leaves an unbounded amount', () => {
  const open = { ...quota, hardRequests: UNSET_RESOURCES, hardLimits: UNSET_RESOURCES };
  expect(getRemainingQuota(open, 'limits', 'cpuMillicores')).toBe(Infinity);
});
