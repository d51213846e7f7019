import { describe, expect, test } from '@jest/globals';
import { aContainer, aPodRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { MINUTE_MS } from '#kube/units';
import { stripStartUp } from './start-up.ts';

const sample = { at: T0, cpuMillicores: 900, memoryBytes: 2 ** 30, cpuPeakMillicores: 950, throttledRatio: 0.5 };
const bare = { ...sample, cpuMillicores: null, cpuPeakMillicores: null, throttledRatio: null };
const started = (minutesAgo: number) => [aContainer({ record: { startedAt: T0 - minutesAgo * MINUTE_MS } })];

describe('CPU of the start-up', () => {
  test.each([
    ['is removed while the pod is not ready', { containers: started(3), ready: false, readySince: null }, bare],
    ['is removed until two minutes after readiness', { containers: started(5), readySince: T0 - MINUTE_MS }, bare],
    ['is removed from the mean of the minute that includes it', { containers: started(5), readySince: T0 - 2.5 * MINUTE_MS }, bare],
    ['has ended two minutes after readiness', { containers: started(5), readySince: T0 - 3 * MINUTE_MS }, sample],
    ['has ended after ten minutes without readiness', { containers: started(11), ready: false, readySince: null }, sample],
    ['does not exist for a pod that runs to completion', { containers: started(1), restartPolicy: 'Never' as const }, sample],
    ['of another container does not count', { containers: [aContainer({ name: 'other', record: { startedAt: T0 } })] }, sample],
  ])('%s', (_, traits, expected) => {
    expect(stripStartUp(aPodRecord(traits), 'main', sample)).toEqual(expected);
  });

  test('ends by the clock of the node, like the times of pod statuses', () => {
    const ended = aPodRecord({ containers: started(5), readySince: T0 - 3 * MINUTE_MS });
    const begun = aPodRecord({ containers: started(5), readySince: T0 - MINUTE_MS });
    for (const clockOffsetMs of [6 * MINUTE_MS, -6 * MINUTE_MS]) {
      const corrected = { ...sample, at: T0 + clockOffsetMs, clockOffsetMs };
      expect(stripStartUp(ended, 'main', corrected)).toBe(corrected);
      expect(stripStartUp(begun, 'main', corrected)).toMatchObject({ cpuMillicores: null });
    }
  });

  test('a sample that has only CPU is dropped', () => {
    expect(stripStartUp(aPodRecord({ containers: started(1), ready: false }), 'main', { ...sample, memoryBytes: null })).toBeNull();
  });

  test('samples of an unknown pod are not changed', () => {
    expect(stripStartUp(undefined, 'main', sample)).toBe(sample);
  });
});
