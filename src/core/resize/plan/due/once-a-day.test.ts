import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideInPlace } from '../decide-in-place.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/** The situation after the advised values came into force on all pods. */
function inForceAfter(situation: WorkloadSituation, at: number, cpu: string): WorkloadSituation {
  let next: WorkloadSituation = { ...situation, advice: [anAdvice({ cpu, memory: '512Mi' })] };
  for (let minutes = 0; minutes < 60; minutes += 15) {
    const now = at + minutes * MINUTE_MS;
    const { memory, steps } = decideInPlace({ ...next, now });
    next = { ...next, memory, pods: resized(next.pods, steps) };
  }
  expect(next.pods.map(({ containers }) => containers[0]?.requests)).toEqual(pods(3).map(() => amounts(cpu, '512Mi')));
  return next;
}

/** The last pod is lowered two stages after the first. */
const LAST_LOWERED_AT = T0 + 30 * MINUTE_MS;
const reducedAt = (at: number): WorkloadSituation => inForceAfter(aSituation({ now: at }), at, '300m');

describe('a reduction', () => {
  const less = [anAdvice({ cpu: '150m', memory: '512Mi' })];

  test('is followed by the next one after 24 hours at the earliest', () => {
    const situation = { ...reducedAt(T0), advice: less };
    const soon = decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS });
    expect(soon).toMatchObject({ state: 'awaiting', reason: 'cooldown', until: LAST_LOWERED_AT + DAY_MS, steps: [] });
    expect(soon.message).toBe('the cpu request of main fell within the last 24 h');
    // The cool-down of an hour is not reported: the day would follow it.
    expect(decideInPlace({ ...situation, now: LAST_LOWERED_AT + 10 * MINUTE_MS }).until).toBe(LAST_LOWERED_AT + DAY_MS);
    expect(decideInPlace({ ...situation, now: LAST_LOWERED_AT + DAY_MS }).steps).toHaveLength(1);
  });

  test('of memory does not wait for one of CPU', () => {
    const situation = { ...reducedAt(T0), advice: [anAdvice({ cpu: '300m', memory: '128Mi' })] };
    expect(decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS }).steps).toHaveLength(1);
  });

  test('waits as long after a raise', () => {
    const situation = { ...inForceAfter(reducedAt(T0), T0 + 2 * HOUR_MS, '600m'), advice: less };
    expect(decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS }).reason).toBe('cooldown');
    expect(decideInPlace({ ...situation, now: LAST_LOWERED_AT + DAY_MS }).steps).toHaveLength(1);
  });

  test('that had to wait for its pods counts from the reduction of the last pod', () => {
    const start = aSituation({ advice: [anAdvice({ cpu: '300m', memory: '512Mi' })] });
    // The API server refuses the first step.
    const { memory } = decideInPlace(start);
    expect(memory.apply?.startedAt).toEqual(T0);
    const situation = { ...inForceAfter({ ...start, memory }, T0 + 20 * HOUR_MS, '300m'), advice: less };
    expect(decideInPlace({ ...situation, now: T0 + 30 * HOUR_MS })).toMatchObject({ reason: 'cooldown', steps: [] });
    expect(decideInPlace({ ...situation, now: T0 + 45 * HOUR_MS }).steps).toHaveLength(1);
  });

  test('delays no raise, and nothing that a user has approved', () => {
    const situation = reducedAt(T0);
    const now = T0 + 13 * HOUR_MS;
    expect(decideInPlace({ ...situation, now, advice: [anAdvice({ cpu: '600m', memory: '512Mi' })] }).steps).toHaveLength(3);
    const values = new Map([['main', { requests: amounts('150m', '512Mi'), limits: amounts(null, null) }]]);
    const userRequests = { ...situation.userRequests, approved: { at: now, by: 'ops', values } };
    expect(decideInPlace({ ...situation, now, advice: less, userRequests, policy: autoPolicy({ mode: 'Approve' }) }).steps).toHaveLength(1);
  });
});
