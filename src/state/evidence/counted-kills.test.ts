import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, aPodRecord, T0, type ContainerTraits } from '../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { classifyKill } from '../../core/recommender/memory/oom-log.ts';
import { CountedKills } from './counted-kills.ts';

function aPod(container: ContainerTraits = {}, pod: Partial<PodRecord> = {}): PodRecord {
  return aPodRecord({ containers: [aContainer({ limits: amounts(null, '100Mi'), ...container })], ...pod });
}

const POD = aPod();

function sampleAt(at: number, mib: number, oomEvents: number | null = null): UsageSample {
  return { at, cpuMillicores: 10, memoryBytes: mib * MiB, oomEvents, throttledSpanMs: HOUR_MS };
}

/** Cause of a kill that is counted at T0, after earlier samples. */
function causeAfter(samples: readonly (readonly [minutesBefore: number, mib: number])[], pod = POD): string | null {
  const kills = new CountedKills();
  for (const [minutes, mib] of samples) kills.observe(pod, 'main', sampleAt(T0 - minutes * MINUTE_MS, mib));
  const kill = kills.observe(pod, 'main', sampleAt(T0, 20, 1));
  return kill === null ? null : classifyKill(kill.memoryLimitBytes, kill.workingSetBytes);
}

describe('an increase of the OOM counter', () => {
  test.each([
    ['the limit if the working set was at 70 % of it within the hour', [[50, 70]], 'limit'],
    [
      'the limit by the highest working set of the hour',
      [
        [50, 60],
        [40, 90],
        [30, 72],
      ],
      'limit',
    ],
    ['the node if it was below', [[50, 69]], 'node'],
    [
      'the node if it was at 70 % earlier',
      [
        [61, 95],
        [30, 69],
      ],
      'node',
    ],
    [
      'the limit if a lower working set within the hour was also at 70 %',
      [
        [61, 95],
        [59, 80],
      ],
      'limit',
    ],
    ['the node without samples', [], 'node'],
  ] as const)('is a kill by %s', (_case, samples, cause) => {
    expect(causeAfter(samples)).toBe(cause);
  });

  test('is a kill by the node if the container has no limit', () => {
    expect(causeAfter([[50, 1000]], aPod({ limits: amounts(null, null) }))).toBe('node');
  });

  test.each([
    ['the limit before, which was also in force in that time', HOUR_MS, 100],
    ['the raised limit, the only one in force since the reading before', 5 * MINUTE_MS, 120],
  ])('after the limit was raised is a kill at the %s', (_case, throttledSpanMs, limitMib) => {
    const kills = new CountedKills();
    const raised = aPod({ limits: amounts(null, '120Mi') });
    kills.observe(POD, 'main', sampleAt(T0 - 40 * MINUTE_MS, 95));
    for (let minutes = 30; minutes > 0; minutes -= 1) kills.observe(raised, 'main', sampleAt(T0 - minutes * MINUTE_MS, 110));
    const kill = kills.observe(raised, 'main', { ...sampleAt(T0, 50, 1), throttledSpanMs });
    expect([kill?.memoryLimitBytes, kill?.workingSetBytes]).toEqual([limitMib * MiB, (limitMib === 100 ? 95 : 110) * MiB]);
  });

  test.each([
    ['has no increase', POD, 0],
    ['is not read', POD, null],
    ['is for a container that does not run', aPod({ record: { state: 'waiting' } }), 1],
    [
      'is the kill of the last termination',
      aPod({ record: { lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: T0 - HOUR_MS } } }),
      1,
    ],
  ])('is no kill if it %s', (_case, pod, oomEvents) => {
    expect(new CountedKills().observe(pod, 'main', sampleAt(T0, 90, oomEvents))).toBeNull();
  });

  test('is a kill if the last OOM kill of the container was before that time', () => {
    const lastTermination = { reason: 'OOMKilled', exitCode: 137, finishedAt: T0 - 2 * HOUR_MS };
    expect(new CountedKills().observe(aPod({ record: { lastTermination } }), 'main', sampleAt(T0, 90, 3))).not.toBeNull();
  });

  test('is stored for a day, and not for a new pod of the same name', () => {
    const kills = new CountedKills();
    kills.observe(POD, 'main', sampleAt(T0, 90, 1));
    expect(kills.of(POD)).toEqual([{ container: 'main', at: T0 }]);
    expect([kills.hasCounted(POD, 'main', T0 - MINUTE_MS), kills.hasCounted(POD, 'main', T0 + 1)]).toEqual([true, false]);
    expect(kills.of(aPod({}, { uid: 'uid-2' }))).toEqual([]);
    kills.observe(POD, 'main', sampleAt(T0 + 25 * HOUR_MS, 90, 1));
    expect(kills.of(POD)).toEqual([{ container: 'main', at: T0 + 25 * HOUR_MS }]);
    kills.forgetPod('shop/web-1');
    expect(kills.of(POD)).toEqual([]);
  });
});
