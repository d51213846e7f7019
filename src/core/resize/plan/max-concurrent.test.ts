import { describe, expect, test } from '@jest/globals';
import {
  aContainer,
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadSituation } from '../model/situation.ts';

const TENTH = { kind: 'percent', ratio: 0.1 } as const;
const TWO = { kind: 'count', count: 2 } as const;

/** State, reason, message and the CPU requests of the steps. */
function decide(given: Partial<WorkloadSituation>) {
  const { state, reason, message, steps } = decideWorkload(aSituation(given));
  const cpus = steps.flatMap(({ containers }) => containers.map(({ name, to }) => `${name} ${to.requests.cpuMillicores}`));
  return { state, reason, message, cpus };
}

describe('maxConcurrent', () => {
  test.each([
    ['is a count', TWO, 1, 500, 'applying'],
    ['is a count that is reached', TWO, 2, 500, 'awaiting'],
    ['is a share of the governed workloads that have pods', TENTH, 49, 500, 'applying'],
    ['is a share that is reached', TENTH, 50, 500, 'awaiting'],
    ['is at least ten where it is a percentage', TENTH, 9, 12, 'applying'],
    ['is ten where the percentage is less', TENTH, 10, 12, 'awaiting'],
  ] as const)('%s', (_case, maxConcurrent, otherWorkloadsUnderWay, governedWorkloads, state) => {
    expect(decide({ policy: autoPolicy({ maxConcurrent }), otherWorkloadsUnderWay, governedWorkloads }).state).toBe(state);
  });

  test('reports how many workloads are being resized and the value of the percentage', () => {
    const { reason, message } = decide({
      policy: autoPolicy({ maxConcurrent: TENTH }),
      otherWorkloadsUnderWay: 50,
      governedWorkloads: 500,
    });
    expect([reason, message]).toEqual(['concurrency', '50 other workloads are being resized; maxConcurrent is 10% of 500, so 50']);
  });

  const full = { policy: autoPolicy({ maxConcurrent: TWO }), otherWorkloadsUnderWay: 2 };

  test.each([
    ['that is too small', { lowerBound: 600 }],
    ['that is within its bounds', { lowerBound: 400 }],
  ])('delays no raise of a request %s', (_case, cpuAdvice) => {
    const { state, cpus } = decide({ ...full, advice: [anAdvice({ cpu: '700m', memory: '512Mi', cpuAdvice })] });
    expect([state, new Set(cpus)]).toEqual(['applying', new Set(['main 700'])]);
  });

  test('lets the raises of a change through, and its reductions wait', () => {
    const [small, large] = [aContainer(), aContainer({ name: 'proxy' })];
    const workload = aWorkloadRecord({ containers: [small, large].map((each) => ({ ...each, image: 'web:1' })) });
    const advice = [anAdvice({ cpu: '700m', memory: '512Mi' }), anAdvice({ container: 'proxy', cpu: '100m', memory: '512Mi' })];
    const pods = [aPodRecord({ containers: [small, large] })];
    const two = { workload, pods, advice, now: T0 };
    expect(decide({ ...full, ...two }).cpus).toEqual(['main 700']);
    expect(decide({ ...full, ...two, otherWorkloadsUnderWay: 1 }).cpus).toEqual(['main 700', 'proxy 100']);
  });

  test('delays drift correction no more than the raise itself', () => {
    const requests = amounts('400m', '512Mi');
    const advice = [anAdvice({ cpu: '500m', memory: '512Mi' })];
    expect(decide({ ...full, advice, pods: [aPodRecord({ container: { requests } })] }).cpus).toEqual(['main 500']);
  });
});
