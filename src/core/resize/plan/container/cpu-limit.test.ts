import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  memory,
  NO_OVERRIDES,
  pods,
  resized,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { ContainerDemand } from '../../model/evidence/demand.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';
import { ThrottledPods } from '../../model/evidence/throttled-pods.ts';

const one = amounts('1', '512Mi');
const { container: DEFAULTS } = autoPolicy();

/** Request and limit after `rounds` decisions about a container that uses all of its limit, with advice of 1.2 × the limit. */
function grown(shape: RequestsAndLimits, rounds: number, policy = autoPolicy()): readonly number[] {
  let container = shape;
  for (let round = 0; round < rounds; round += 1) {
    const used = container.limits.cpuMillicores ?? 0;
    const advice = [anAdvice({ memory: '512Mi', cpu: `${Math.ceil(used * 1.2)}m`, cpuAdvice: { peak: used, recentPeak: used } })];
    const decision = decideWorkload(aSituation({ workload: aWorkloadRecord({}, shape), pods: pods(2, { container }), advice, policy }));
    container = decision.steps[0]?.containers[0]?.to ?? container;
  }
  return [container.requests.cpuMillicores ?? 0, container.limits.cpuMillicores ?? 0];
}

describe('a container that uses all CPU that it gets', () => {
  test.each([
    ['Guaranteed', { requests: one, limits: one }, autoPolicy()],
    ['Burstable', { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') }, autoPolicy()],
    [
      'Burstable under rule Ratio',
      { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') },
      autoPolicy({ container: { ...DEFAULTS, cpu: { ...DEFAULTS.cpu, limit: { rule: 'Ratio' as const, ratio: 2 } } } }),
    ],
  ])('%s: gets no more than its limit without measured throttling', (_case, shape, policy) => {
    expect(grown(shape, 20, policy)).toEqual([1000, 1000]);
  });
});

describe('a container that is throttled by its CPU limit', () => {
  const shape = { requests: amounts('800m', '512Mi'), limits: one };
  const largestNode = { cpuMillicores: 16_000, memoryBytes: memory('64Gi') };
  const throttledPods = (count: number, forMs: number, now = T0) =>
    Array.from({ length: count }, (_, index) => ({ pod: `web-${index + 1}`, since: now - forMs, until: now }));

  /** The decision about four replicas with these throttled ones. */
  function decideWith(throttled: NonNullable<ContainerDemand['throttled']> | null, given: Partial<WorkloadSituation> = {}) {
    const advice = [anAdvice({ memory: '512Mi', cpu: '1200m', cpuAdvice: { peak: 1000, recentPeak: 1000 } })];
    const demand = throttled === null ? [] : [{ container: 'main', windows: [], throttled, throttlingMeasuredAt: T0 }];
    return decideWorkload(
      aSituation({ workload: aWorkloadRecord({}, shape), pods: pods(4, { container: shape }), advice, demand, largestNode, ...given }),
    );
  }

  const limitOf = (decision: ReturnType<typeof decideWith>) => decision.containers[0]?.target?.limits.cpuMillicores;

  test.each([
    ['is raised by half where half of the replicas were throttled for an hour', throttledPods(2, HOUR_MS), {}, 1500],
    ['stays where fewer were', throttledPods(1, HOUR_MS), {}, 1000],
    ['stays where they were for less', throttledPods(4, HOUR_MS - 1), {}, 1000],
    ['stays where the counters have not been read lately', throttledPods(4, HOUR_MS, T0 - 17 * MINUTE_MS), {}, 1000],
    ['stays where throttling is not measured', null, {}, 1000],
    [
      'rises no further than 80 % of the largest node',
      throttledPods(4, HOUR_MS),
      { largestNode: { ...largestNode, cpuMillicores: 1500 } },
      1200,
    ],
    [
      'stays at the ceiling',
      throttledPods(4, HOUR_MS),
      { overrides: { ...NO_OVERRIDES, ceiling: new Map([['*', amounts('800m', null)]]) } },
      1000,
    ],
  ])('%s', (_case, throttled, given, limit) => {
    expect(limitOf(decideWith(throttled, given))).toBe(limit);
  });

  test('is raised at most once a day and three times in 7 days; then a limit exception opens', () => {
    let limit = 1000;
    let memory = NO_MEMORY;
    let replicas = pods(4, { container: shape });
    const raisedOn: number[] = [];
    let state = '';
    for (let hour = 0; hour < 6 * 24; hour += 1) {
      const now = T0 + hour * HOUR_MS;
      const windows = Array.from({ length: 14 }, (_, index) => ({
        at: now - (13 - index) * MINUTE_MS,
        memoryBytes: null,
        cpuMillicores: limit,
        throttledRatio: 0.9,
      }));
      const demand = [{ container: 'main', windows, throttled: throttledPods(4, HOUR_MS, now), throttlingMeasuredAt: now }];
      const decision = decideWith([], { now, memory, demand, pods: replicas });
      replicas = resized(replicas, decision.steps);
      const next = decision.steps[0]?.containers[0]?.to.limits.cpuMillicores ?? limit;
      if (next > limit) raisedOn.push(hour);
      limit = next;
      ({ memory, state } = decision);
    }
    expect([raisedOn, limit]).toEqual([[0, 24, 48], 3375]);
    expect([state, memory.limitExceptions.map(({ type, state: its }) => [type, its])]).toEqual(['exception', [['cpu-throttled', 'open']]]);
  });

  test('of a Guaranteed pod raises the request, too', () => {
    const guaranteed = { requests: one, limits: one };
    const decision = decideWith(throttledPods(4, HOUR_MS), {
      workload: aWorkloadRecord({}, guaranteed),
      pods: pods(4, { container: guaranteed }),
    });
    expect(decision.steps[0]?.containers[0]?.to).toMatchObject({ requests: { cpuMillicores: 1500 }, limits: { cpuMillicores: 1500 } });
  });
});

describe('a container that is throttled below the CPU limit of its template', () => {
  const deployed = { requests: amounts('6', '512Mi'), limits: amounts('6', '512Mi') };
  const reduced = { requests: amounts('600m', '512Mi'), limits: amounts('600m', '512Mi') };
  const throttledFor = (forMs: number) => ['web-1', 'web-2'].map((pod) => ({ pod, since: T0 - forMs, until: T0 }));

  function decideAfter(forMs: number, given: Partial<WorkloadSituation> = {}) {
    const lastApplied = { at: T0 - MINUTE_MS, by: 'evenkeel', reason: 'x', pods: 4, values: new Map([['main', reduced]]) };
    const situation = aSituation({
      workload: aWorkloadRecord({}, deployed),
      pods: pods(4, { container: reduced }),
      advice: [anAdvice({ cpu: '600m', memory: '512Mi', cpuAdvice: { peak: 600, recentPeak: 600, lowerBound: 500 } })],
      demand: [{ container: 'main', windows: [], throttled: throttledFor(forMs), throttlingMeasuredAt: T0 }],
      memory: { ...NO_MEMORY, lastApplied },
      policy: autoPolicy({ cooldownMs: 24 * HOUR_MS }),
      ...given,
    });
    return decideWorkload(situation);
  }
  const cpusOf = ({ steps }: ReturnType<typeof decideAfter>) => steps.map(({ containers: [main] }) => main?.to.requests.cpuMillicores);

  test('is restored in all pods after two readings, in spite of cool-down and step limits', () => {
    const decision = decideAfter(5 * MINUTE_MS);
    expect(cpusOf(decision)).toEqual([6000, 6000, 6000, 6000]);
    expect(decision.memory.cpuLimitRaises.size).toBe(0);
  });

  test('does not exceed the greatest request that the policy permits', () => {
    const overrides = { ...NO_OVERRIDES, ceiling: new Map([['*', amounts('2', null)]]) };
    expect(cpusOf(decideAfter(5 * MINUTE_MS, { overrides }))).toEqual([2000, 2000, 2000, 2000]);
  });

  test('waits for the second reading', () => {
    expect(cpusOf(decideAfter(MINUTE_MS)).every((cpu) => (cpu ?? 0) < 6000)).toBe(true);
  });
});

describe('replicas that are throttled', () => {
  const sample = (minute: number, throttledRatio: number | null, spanMinutes = 5) => ({
    at: T0 + minute * MINUTE_MS,
    cpuMillicores: 1000,
    memoryBytes: null,
    throttledRatio,
    throttledSpanMs: spanMinutes * MINUTE_MS,
  });

  test('are throttled from the start of the first reading until one below the threshold; samples without a reading are ignored', () => {
    const log = new ThrottledPods();
    log.observe('web-1', sample(60, 0.5, 60));
    log.observe('web-1', sample(63, null));
    log.observe('web-1', sample(65, 0.4));
    log.observe('web-2', sample(65, 0.3));
    log.observe('web-2', sample(100, 0.3));
    log.observe('web-3', sample(100, 0.9));
    log.observe('web-3', sample(105, 0.1));
    expect(log.list()).toEqual([
      { pod: 'web-1', since: T0, until: T0 + 65 * MINUTE_MS },
      { pod: 'web-2', since: T0 + 95 * MINUTE_MS, until: T0 + 100 * MINUTE_MS },
    ]);
    expect(log.measuredAt).toBe(T0 + 105 * MINUTE_MS);
  });
});
