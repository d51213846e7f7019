import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideInPlace } from '../decide-in-place.ts';
import { NO_MEMORY, type HotReplica, type WorkloadSituation } from '../../model/situation.ts';

/** The clock is set back by five hours; samples are accepted again at the old time. */
const setBack = (situation: WorkloadSituation): WorkloadSituation => ({ ...situation, now: T0 - 5 * HOUR_MS });

const LAST_APPLIED = {
  at: T0 - 9 * HOUR_MS,
  by: 'evenkeel',
  reason: '',
  pods: 3,
  values: new Map([['main', { requests: amounts('100m', '128Mi'), limits: amounts(null, null) }]]),
};

describe('while samples are dropped because the clock was set back', () => {
  test('no reduction begins', () => {
    const { state, reason, message, until, steps, memory } = decideInPlace(setBack(aSituation()));
    expect([state, reason, until, steps, memory.apply]).toEqual(['awaiting', 'stale-data', T0, [], null]);
    expect(message).toContain('the clock was set back, so samples of main are dropped until 2026-11-20T12:00:00.000Z');
    expect(decideInPlace({ ...aSituation(), now: T0 - MINUTE_MS }).steps).toHaveLength(1);
  });

  test('no reduction goes on', () => {
    const now = T0 - 6 * HOUR_MS;
    const start = aSituation({ now, advice: [anAdvice({ lastSampleAt: now })] });
    const begun = decideInPlace(start);
    const situation = { ...start, memory: begun.memory, pods: resized(start.pods, begun.steps) };
    expect(decideInPlace({ ...situation, now: T0 - 5 * HOUR_MS }).steps).toHaveLength(1);
    expect(decideInPlace(setBack({ ...situation, advice: [anAdvice()] })).steps).toEqual([]);
  });

  test('no new pod and no hot replica is lowered to the common values', () => {
    const hot: HotReplica = { container: 'main', pod: 'web-1', uid: 'uid-web-1', at: T0 - 9 * HOUR_MS, cpu: 500 };
    const memory = { ...NO_MEMORY, lastApplied: LAST_APPLIED, hotReplicas: [hot] };
    expect(decideInPlace(aSituation({ memory })).steps.length).toBeGreaterThan(0);
    expect(decideInPlace(setBack(aSituation({ memory }))).steps).toEqual([]);
  });

  test('no reduction begins at the old time before samples are accepted again', () => {
    const { steps, reason, message } = decideInPlace(aSituation({ advice: [anAdvice({ isUsageLeftOut: true })] }));
    expect([steps, reason]).toEqual([[], 'stale-data']);
    expect(message).toContain('samples of main are dropped because they are older than recorded ones: the clock of a node is behind');
  });

  test('a shortage is raised', () => {
    const { steps } = decideInPlace(setBack(aSituation({ advice: [anAdvice({ cpu: '2', memory: '1Gi' })] })));
    expect(steps).toHaveLength(3);
  });
});
