import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  pods,
  resized,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import type { LimitRangeRecord } from '../../model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import { MiB, MINUTE_MS } from '#kube/units';
import { NO_MEMORY, type WorkloadSituation } from '../model/situation.ts';
import { decideWorkload } from './decide-workload.ts';

const VALID = { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') };
const INVALID = [
  ['CPU', { requests: amounts('500m', '512Mi'), limits: amounts('250m', '1Gi') }],
  ['memory', { requests: amounts('500m', '512Mi'), limits: amounts('1', '256Mi') }],
] as const;

describe.each(INVALID)('a template with a limit of %s below its request', (resource, container) => {
  const workload = aWorkloadRecord({}, container);
  const message = `container main of the template: the ${resource === 'CPU' ? 'cpu' : 'memory'} limit is below the request`;

  test.each<[string, Partial<WorkloadSituation>]>([
    ['without pods', { pods: [] }],
    ['with pods that have it, too', { pods: pods(3, { container }) }],
    ['with pods of a revision before', { pods: pods(3, { container: VALID }) }],
    ['whose pods need more', { pods: pods(3, { container: VALID }), advice: [anAdvice({ cpu: '900m', memory: '1Gi' })] }],
    [
      'whose pods are starting',
      {
        pods: [aPodRecord({ container: VALID, createdAt: T0, ready: false, readySince: null, unreadySince: T0 })],
        policy: autoPolicy({ startup: { boostRatio: 2, durationMs: 2 * MINUTE_MS } }),
      },
    ],
    [
      'with a size in force',
      {
        pods: pods(3, { container: VALID }),
        memory: {
          ...NO_MEMORY,
          lastApplied: {
            at: T0,
            by: 'evenkeel',
            reason: '',
            pods: 3,
            values: new Map([['main', { ...VALID, requests: amounts('300m', '256Mi') }]]),
          },
        },
      },
    ],
  ])('%s is reported and never resized', (_case, more) => {
    const decision = decideWorkload(aSituation({ workload, ...more }));
    expect([decision.state, decision.reason, decision.message]).toEqual(['blocked', 'invalid-template', expect.stringContaining(message)]);
    expect([decision.steps, decision.evict]).toEqual([[], null]);
  });
});

describe('while a template has a limit below its request', () => {
  const workload = aWorkloadRecord({}, INVALID[0][1]);
  const crashed = (pod: PodRecord): PodRecord => {
    const lastTermination = { reason: 'Error', exitCode: 1, finishedAt: T0 + MINUTE_MS };
    const containers = pod.containers.map((container) => ({ ...container, lastTermination, restarts: 1 }));
    return { ...pod, containers };
  };
  /** A canary of the previous revision, lowered before the template became invalid. */
  const afterCanary = (more: Partial<WorkloadSituation>, become: (pod: PodRecord) => PodRecord) => {
    const before = aSituation({ pods: pods(3, { container: VALID }), workload: aWorkloadRecord({}, VALID) });
    const first = decideWorkload(before);
    const after = resized(before.pods, first.steps).map((pod, index) => (index === 0 ? become(pod) : pod));
    return decideWorkload({ ...before, pods: after, memory: first.memory, workload, now: T0 + 5 * MINUTE_MS, ...more });
  };

  test('a change with a regression in pods of the previous revision is rolled back', () => {
    const { reason, memory, steps } = afterCanary({}, crashed);
    expect([reason, memory.rolledBack?.reason]).toEqual(['invalid-template', 'restarts']);
    expect(steps.map(({ pod, isRollBack, containers }) => [pod.name, isRollBack, containers[0]?.to.requests])).toEqual([
      ['web-1', true, VALID.requests],
    ]);
  });

  test('a change without a regression is not advanced', () => {
    const { reason, memory, steps } = afterCanary({}, (pod) => pod);
    expect([reason, memory.rolledBack, steps]).toEqual(['invalid-template', null, []]);
  });

  test.each<[string, Partial<WorkloadSituation>]>([
    ['in mode Recommend', { policy: { ...autoPolicy(), mode: 'Recommend' } }],
    ['where the status of pods is stale', { gateState: { ...aSituation().gateState, stale: { source: 'informers', message: 'old' } } }],
  ])('nothing is rolled back %s', (_case, more) => {
    expect(afterCanary(more, crashed).steps).toEqual([]);
  });
});

test('no limit range, bound or ratio makes a limit that is below its request', () => {
  const cpu = fc.integer({ min: 10, max: 4000 });
  const memory = fc.integer({ min: 16, max: 4096 }).map((mib) => mib * MiB);
  const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const pair = fc.record({ cpuMillicores: some(cpu), memoryBytes: some(memory) });
  const rule = fc.record({
    rule: fc.constantFrom('Keep' as const, 'Ratio' as const),
    ratio: some(fc.double({ min: 1, max: 4, noNaN: true })),
  });
  fc.assert(
    fc.property(
      fc.record({
        cpu,
        memory,
        needs: fc.tuple(cpu, memory),
        least: pair,
        most: pair,
        floor: pair,
        ceiling: pair,
        cpuRule: rule,
        memoryRule: rule,
      }),
      (given) => {
        const container = {
          requests: { cpuMillicores: given.cpu, memoryBytes: given.memory },
          limits: { cpuMillicores: given.cpu * 2, memoryBytes: given.memory * 2 },
        };
        const limitRanges: readonly LimitRangeRecord[] = [
          { namespace: 'shop', name: 'range', min: given.least, max: given.most, maxLimitRequestRatio: { cpu: null, memory: null } },
        ];
        const base = autoPolicy();
        const policy = {
          ...base,
          container: {
            ...base.container,
            cpu: { ...base.container.cpu, limit: given.cpuRule },
            memory: { ...base.container.memory, limit: given.memoryRule },
          },
        };
        const overrides = {
          ...aSituation().overrides,
          floor: new Map([['main', given.floor]]),
          ceiling: new Map([['main', given.ceiling]]),
        };
        const advice = [anAdvice({ cpu: `${given.needs[0]}m`, memory: `${given.needs[1]}` })];
        const decision = decideWorkload(
          aSituation({ pods: pods(3, { container }), workload: aWorkloadRecord({}, container), limitRanges, policy, overrides, advice }),
        );
        const results = [
          decision.containers[0]?.target ?? container,
          ...decision.steps.flatMap((step) => step.containers.map(({ to }) => to)),
        ];
        for (const { requests, limits } of results) {
          expect(limits.cpuMillicores).toBeGreaterThanOrEqual(requests.cpuMillicores!);
          expect(limits.memoryBytes).toBeGreaterThanOrEqual(requests.memoryBytes!);
        }
      },
    ),
    { numRuns: 500 },
  );
});
