import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, pods, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { Pace } from '../../recommender/advice.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { decideInPlace } from './decide-in-place.ts';

/** Advised CPU request of each pace at night; by day both are equal. */
const ADVISED: Readonly<Record<Pace, string>> = { Daily: '1', Hourly: '200m' };

/** A workload whose pods have the request of pace Daily. */
function aWorkload(): WorkloadSituation {
  return aSituation({
    policy: autoPolicy({ pace: 'Hourly' }),
    pods: pods(3, { container: { requests: amounts(ADVISED.Daily, '512Mi'), limits: amounts(null, null) } }),
  });
}

/** Decides every 15 minutes and applies the steps at once. @returns the CPU request after each decision */
function lived(start: WorkloadSituation, hours: number, paceAt: (hour: number) => Pace, advised = ADVISED) {
  const requests: { readonly at: number; readonly cpu: number }[] = [];
  let situation = start;
  for (let minutes = 0; minutes < hours * 60; minutes += 15) {
    const now = start.now + minutes * MINUTE_MS;
    const pace = paceAt(minutes / 60);
    const { memory, steps } = decideInPlace({ ...situation, now, pace, advice: [anAdvice({ cpu: advised[pace], memory: '512Mi' })] });
    situation = { ...situation, now, memory, pods: resized(situation.pods, steps) };
    const cpu = Math.min(...situation.pods.map(({ containers }) => containers[0]?.requests.cpuMillicores ?? 0));
    requests.push({ at: minutes / 60, cpu });
  }
  const falls = requests.filter(({ cpu }, index) => cpu < (requests[index - 1]?.cpu ?? 1000)).map(({ at }) => at);
  return { requests, falls, situation };
}

describe('a change of the pace in force', () => {
  test('lowers no CPU request within 24 hours: of Hourly the first fall comes a day after the lease', () => {
    const { falls } = lived(aWorkload(), 30, (hour) => (hour < 1 ? 'Daily' : 'Hourly'));
    expect(falls).toEqual([25]);
  });

  test('a lease that alternates every hour lowers nothing', () => {
    const { falls, requests } = lived(aWorkload(), 72, (hour) => (Math.floor(hour) % 2 === 0 ? 'Daily' : 'Hourly'));
    expect(falls).toEqual([]);
    expect(new Set(requests.map(({ cpu }) => cpu))).toEqual(new Set([1000]));
  });

  test('on loss of the lease requests rise to the base of pace Daily at once, and stay there for a day when it comes back', () => {
    const { falls, requests } = lived(aWorkload(), 60, (hour) => (hour < 30 || hour >= 31 ? 'Hourly' : 'Daily'));
    expect(falls).toEqual([24, 55]);
    expect(requests.find(({ at }) => at === 29.75)?.cpu).toBe(200);
    expect(requests.find(({ at }) => at === 30)?.cpu).toBe(1000);
  });

  test('on loss of the lease a request above the base of pace Daily stays for a day', () => {
    const advised = { Daily: '600m', Hourly: '1' };
    const { falls } = lived(aWorkload(), 30, (hour) => (hour < 2 ? 'Hourly' : 'Daily'), advised);
    expect(falls).toEqual([26]);
  });

  test('is forgotten after a day of pace Daily', () => {
    const paceAt = (hour: number): Pace => (hour < 1 ? 'Hourly' : 'Daily');
    expect(lived(aWorkload(), 24, paceAt).situation.memory.pace).toEqual({ effective: 'Daily', since: T0 + HOUR_MS });
    expect(lived(aWorkload(), 26, paceAt).situation.memory.pace).toBeNull();
  });

  test('delays no reduction of memory', () => {
    const pace = { effective: 'Hourly' as const, since: T0 };
    const start = aWorkload();
    const advice = [anAdvice({ cpu: '1', memory: '128Mi' })];
    const { steps } = decideInPlace({ ...start, pace: 'Hourly', memory: { ...start.memory, pace }, advice });
    expect(steps).toHaveLength(1);
  });
});

test('at pace Hourly CPU falls again after an hour, memory after a day', () => {
  const start = aWorkload();
  const reductions = new Map([['main', { cpu: T0 - HOUR_MS, memory: T0 - HOUR_MS, memoryLimit: null }]]);
  const memory = { ...start.memory, pace: { effective: 'Hourly' as const, since: T0 - 2 * DAY_MS }, reductions };
  const decided = (pace: Pace, cpu: string, bytes: string) =>
    decideInPlace({
      ...start,
      pace,
      memory: { ...memory, pace: { ...memory.pace, effective: pace } },
      advice: [anAdvice({ cpu, memory: bytes })],
    });
  expect(decided('Hourly', '200m', '512Mi').steps).toHaveLength(1);
  expect(decided('Daily', '200m', '512Mi')).toMatchObject({ reason: 'cooldown', steps: [] });
  expect(decided('Hourly', '1', '128Mi')).toMatchObject({ reason: 'cooldown', steps: [] });
});
