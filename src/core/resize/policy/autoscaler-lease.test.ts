import { describe, expect, test } from '@jest/globals';
import { autoscalerLeaseOf, NO_AUTOSCALER_LEASE } from './autoscaler-lease.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const held = { holder: 'evenkeel-autoscaler-0_1', leaseDurationSeconds: 15, renewTime: '2026-11-20T11:59:50.000000Z' };

describe('the lease of evenkeel-autoscaler', () => {
  test.each([
    ['renewed within its duration', held],
    ['renewed a little ahead of our clock', { ...held, renewTime: '2026-11-20T12:00:10Z' }],
  ])('is held: %s', (_, lease) => {
    expect(autoscalerLeaseOf(lease, NOW)).toEqual({ isHeld: true });
  });

  test.each([
    ['absent', undefined],
    ['released', { ...held, holder: '' }],
    ['expired', { ...held, renewTime: '2026-11-20T11:59:45Z' }],
    ['never renewed', { ...held, renewTime: '' }],
    ['without a duration', { ...held, leaseDurationSeconds: 0 }],
  ])('is not held: %s', (_, lease) => {
    expect(autoscalerLeaseOf(lease, NOW)).toEqual(NO_AUTOSCALER_LEASE);
  });

  test('is not held where it was renewed further ahead of our clock than its duration, which would never expire', () => {
    expect(autoscalerLeaseOf({ ...held, renewTime: '2036-11-20T12:00:00Z' }, NOW)).toEqual({
      isHeld: false,
      reason: expect.stringContaining('in the future'),
    });
  });
});
