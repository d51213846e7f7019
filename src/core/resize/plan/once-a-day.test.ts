import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, pods, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/units.ts';
import { decideInPlace } from './decide-in-place.ts';
import type { WorkloadSituation } from '../model/situation.ts';

/** A change to 300m has come into force on all pods, however late the forecast's fall was carried out. */
function reducedAt(at: number): WorkloadSituation {
  let situation = aSituation({ now: at, advice: [anAdvice({ cpu: '300m', memory: '512Mi' })] });
  for (let minutes = 0; minutes < 60; minutes += 15) {
    const now = at + minutes * MINUTE_MS;
    const { memory, steps } = decideInPlace({ ...situation, now });
    situation = { ...situation, memory, pods: resized(situation.pods, steps) };
  }
  expect(situation.pods.map(({ containers }) => containers[0]?.requests)).toEqual(pods(3).map(() => amounts('300m', '512Mi')));
  return situation;
}

describe('a reduction', () => {
  const fell = { baseLoweredAt: T0 + 12 * HOUR_MS };
  const less = [anAdvice({ cpu: '150m', memory: '512Mi', cpuAdvice: fell })];

  test('is followed by the next one after 24 hours at the earliest', () => {
    const situation = { ...reducedAt(T0), advice: less };
    const soon = decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS });
    expect(soon).toMatchObject({ state: 'awaiting', reason: 'cooldown', until: T0 + DAY_MS, steps: [] });
    expect(soon.message).toBe('the cpu request of main fell within the last 24 h');
    expect(decideInPlace({ ...situation, now: T0 + DAY_MS }).steps).toHaveLength(1);
  });

  test('of memory does not wait for one of CPU', () => {
    const situation = { ...reducedAt(T0), advice: [anAdvice({ cpu: '300m', memory: '128Mi', memoryAdvice: fell })] };
    expect(decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS }).steps).toHaveLength(1);
  });

  test('that a new bound asks for does not wait', () => {
    const situation = {
      ...reducedAt(T0),
      advice: [anAdvice({ cpu: '150m', memory: '512Mi', cpuAdvice: { baseLoweredAt: null } })],
    };
    expect(decideInPlace({ ...situation, now: T0 + 13 * HOUR_MS }).steps).toHaveLength(1);
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
