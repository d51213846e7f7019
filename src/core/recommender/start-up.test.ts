import { describe, expect, test } from '@jest/globals';
import { aContainer, aPodRecord, T0 } from '../../../test/builders/rightsizing.ts';
import { MINUTE_MS } from '#kube/units';
import { withoutStartUp } from './start-up.ts';

const sample = { at: T0, cpuMillicores: 900, memoryBytes: 2 ** 30, cpuPeakMillicores: 950, throttledRatio: 0.5 };
const bare = { ...sample, cpuMillicores: null, cpuPeakMillicores: null, throttledRatio: null };
const started = (minutesAgo: number) => [aContainer({ record: { startedAt: T0 - minutesAgo * MINUTE_MS } })];

describe('CPU used to start', () => {
  test.each([
    ['counts not while the pod is not ready', { containers: started(3), ready: false, readySince: null }, bare],
    ['counts not until two minutes after', { containers: started(5), readySince: T0 - MINUTE_MS }, bare],
    ['is still in the mean of the minute that ends then', { containers: started(5), readySince: T0 - 2.5 * MINUTE_MS }, bare],
    ['is over two minutes after', { containers: started(5), readySince: T0 - 3 * MINUTE_MS }, sample],
    ['is over after ten minutes, ready or not', { containers: started(11), ready: false, readySince: null }, sample],
    ['is no such thing for a pod that runs to its end', { containers: started(1), restartPolicy: 'Never' as const }, sample],
    ['of another container is not this one’s', { containers: [aContainer({ name: 'other', record: { startedAt: T0 } })] }, sample],
  ])('%s', (_, traits, expected) => {
    expect(withoutStartUp(aPodRecord(traits), 'main', sample)).toEqual(expected);
  });

  test('is over by the clock of the node, as its pods’ statuses are', () => {
    const ended = aPodRecord({ containers: started(5), readySince: T0 - 3 * MINUTE_MS });
    const begun = aPodRecord({ containers: started(5), readySince: T0 - MINUTE_MS });
    for (const clockOffsetMs of [6 * MINUTE_MS, -6 * MINUTE_MS]) {
      const corrected = { ...sample, at: T0 + clockOffsetMs, clockOffsetMs };
      expect(withoutStartUp(ended, 'main', corrected)).toBe(corrected);
      expect(withoutStartUp(begun, 'main', corrected)).toMatchObject({ cpuMillicores: null });
    }
  });

  test('a sample of CPU alone is nothing without it', () => {
    expect(withoutStartUp(aPodRecord({ containers: started(1), ready: false }), 'main', { ...sample, memoryBytes: null })).toBeNull();
  });

  test('of a pod that is not known nothing is left out', () => {
    expect(withoutStartUp(undefined, 'main', sample)).toBe(sample);
  });
});
