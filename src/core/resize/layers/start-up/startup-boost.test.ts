import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  aContainer,
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  pods,
  resized,
  T0,
  NO_OVERRIDES,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { decideWorkload } from '../decide-workload.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../../model/situation.ts';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';
import { writeBoostAtCreation } from './boost-at-creation.ts';

const startup = { boostRatio: 3, durationMs: 2 * MINUTE_MS };
const policy = autoPolicy({ startup });
/** Advice without a due change. */
const content = [anAdvice({ cpu: '500m', memory: '512Mi' })];
const lastApplied: ResizeMemory['lastApplied'] = {
  at: T0 - DAY_MS,
  by: 'evenkeel',
  reason: 'over-provisioned',
  pods: 3,
  values: new Map([['main', { requests: amounts('200m', '512Mi'), limits: amounts(null, null) }]]),
};

/** A pod that started 20 seconds ago and is not ready. */
function starting(traits: Parameters<typeof aPodRecord>[0] = {}): PodRecord {
  const record = { startedAt: T0 - 20 * SECOND_MS, ready: false, ...traits.container?.record };
  return aPodRecord({
    createdAt: T0 - 25 * SECOND_MS,
    ready: false,
    readySince: null,
    ...traits,
    container: { ...traits.container, record },
  });
}

function cpusOf(decision: WorkloadDecision): readonly (number | null)[] {
  return decision.steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores ?? null);
}

function decide(situation: Partial<WorkloadSituation>): WorkloadDecision {
  return decideWorkload(aSituation({ policy, advice: content, ...situation }));
}

describe('a start-up boost', () => {
  test.each<[string, Partial<WorkloadSituation>, readonly number[]]>([
    ['is given to a pod that is not ready yet', { pods: [starting()] }, [1500]],
    ['to none that started long ago', { pods: pods(2) }, []],
    ['to one that became ready a moment ago', { pods: [starting({ ready: true, readySince: T0 - 5 * SECOND_MS })] }, [1500]],
    [
      'not for the last seconds',
      { pods: [starting({ ready: true, readySince: T0 - 115 * SECOND_MS, container: { record: { startedAt: T0 - 2 * MINUTE_MS } } })] },
      [],
    ],
    [
      'to one whose container has restarted',
      { pods: [starting({ container: { record: { restarts: 1 } }, createdAt: T0 - DAY_MS })] },
      [1500],
    ],
    [
      'not to a crash loop',
      {
        pods: [
          starting({
            container: {
              record: {
                restarts: 3,
                lastTermination: { reason: 'Error', exitCode: 1, startedAt: T0 - 3 * MINUTE_MS, finishedAt: T0 - MINUTE_MS },
              },
            },
          }),
        ],
      },
      [],
    ],
    ['not to a pod that ends by itself', { pods: [starting({ restartPolicy: 'Never' })] }, []],
    ['not without spec.startup in the policy', { policy: autoPolicy(), pods: [starting()] }, []],
    ['not in mode Recommend', { policy: { ...DEFAULT_POLICY_RULES, startup }, pods: [starting()] }, []],
    ['not in mode Approve before anything was approved', { policy: autoPolicy({ startup, mode: 'Approve' }), pods: [starting()] }, []],
    ['not while the workload is held', { overrides: { ...NO_OVERRIDES, heldUntil: T0 + HOUR_MS }, pods: [starting()] }, []],
    ['not while paused', { gateState: { ...aSituation().gateState, paused: { reason: 'incident', until: null } }, pods: [starting()] }, []],
    ['within the ceiling', { overrides: { ...NO_OVERRIDES, ceiling: new Map([['*', amounts('800m', null)]]) }, pods: [starting()] }, [800]],
    ['within what the node has', { freeOnNodes: new Map([['n1', { cpuMillicores: 300, memoryBytes: 0 }]]), pods: [starting()] }, [800]],
    ['not on a node that is full', { freeOnNodes: new Map([['n1', { cpuMillicores: 0, memoryBytes: 0 }]]), pods: [starting()] }, []],
    [
      'within the quota, which pods share',
      {
        quotas: [
          {
            namespace: 'shop',
            name: 'q',
            hardRequests: amounts('2', null),
            usedRequests: amounts('800m', null),
            hardLimits: amounts(null, null),
            usedLimits: amounts(null, null),
          },
        ],
        pods: [starting({ name: 'web-1' }), starting({ name: 'web-2' })],
      },
      [1500, 700],
    ],
    [
      'within the LimitRange',
      {
        limitRanges: [
          {
            namespace: 'shop',
            name: 'l',
            min: amounts(null, null),
            max: amounts('1', null),
            maxLimitRequestRatio: { cpu: null, memory: null },
          },
        ],
        pods: [starting()],
      },
      [1000],
    ],
    [
      'beside what is in force, which it never had',
      { memory: { ...NO_MEMORY, lastApplied }, advice: [anAdvice({ cpu: '200m', memory: '512Mi' })], pods: [starting()] },
      [600],
    ],
  ])('%s', (_, situation, expected) => {
    expect(cpusOf(decide(situation))).toEqual(expected);
  });

  test.each([
    ['Guaranteed: limit and request move together', amounts('500m', '512Mi'), 1500, 1500],
    ['Burstable: the limit keeps its distance', amounts('1', '1Gi'), 1500, 3000],
    ['without a limit none is invented', amounts(null, null), 1500, null],
  ])('%s', (_, limits, request, limit) => {
    const [step] = decide({ advice: [], pods: [starting({ container: { limits } })] }).steps;
    const to = step?.containers[0]?.to;
    expect([to?.requests.cpuMillicores, to?.limits.cpuMillicores]).toEqual([request, limit]);
    expect([to?.requests.memoryBytes, to?.limits.memoryBytes]).toEqual([amounts(null, '512Mi').memoryBytes, limits.memoryBytes]);
  });

  test('is stored with the pod’s usual values before it is granted', () => {
    const { memory, steps } = decide({ pods: [starting()] });
    expect(steps).toMatchObject([{ kind: 'start-up', lowers: false }]);
    expect(memory.boosts).toMatchObject([{ pod: 'web-1', uid: 'uid-web-1', since: T0 }]);
    expect(memory.boosts[0]?.values.get('main')?.requests).toEqual(amounts('500m', '512Mi'));
  });

  test('is granted to no more pods than the schema permits', () => {
    const { steps, memory } = decide({ pods: Array.from({ length: 80 }, (_, index) => starting({ name: `web-${index}` })) });
    expect([steps.length, memory.boosts.length]).toEqual([64, 64]);
  });
});

describe('the end of a start-up boost comes', () => {
  const boosted = decide({ pods: [starting()] });
  const [pod] = resized([starting()], boosted.steps);
  const later = (minutes: number, traits: Partial<PodRecord> = {}): Partial<WorkloadSituation> => ({
    now: T0 + minutes * MINUTE_MS,
    memory: boosted.memory,
    pods: [{ ...pod!, ...traits }],
  });

  test.each<[string, Partial<WorkloadSituation>, readonly number[]]>([
    ['not while it starts', later(3), []],
    ['not before it has been ready for the duration', later(3, { ready: true, readySince: T0 + 2 * MINUTE_MS }), []],
    ['when it has been', later(4, { ready: true, readySince: T0 + 2 * MINUTE_MS }), [500]],
    ['when it does not become ready for very long', later(12), [500]],
    ['during the warm-up, too', { ...later(12), gateState: { ...aSituation().gateState, warmUpUntil: T0 + DAY_MS } }, [500]],
    ['when the policy gives no more', { ...later(1), policy: autoPolicy() }, [500]],
    ['when the mode becomes Recommend', { ...later(1), policy: { ...DEFAULT_POLICY_RULES, startup } }, [500]],
    ['when the workload is to be left alone', { ...later(1), overrides: { ...NO_OVERRIDES, excluded: true } }, [500]],
    [
      'to what it was created with, where it is not ready for what is in force',
      { ...later(12), memory: { ...boosted.memory, lastApplied }, advice: [anAdvice({ cpu: '200m', memory: '512Mi' })] },
      [500],
    ],
    ['at once where the node cannot give it', later(1, { resize: { state: 'deferred', message: 'no room', since: T0 } }), [500]],
  ])('%s', (_, situation, expected) => {
    expect(cpusOf(decide(situation))).toEqual(expected);
  });

  test('a boost that the node refused is not requested again', () => {
    const refused = decide(later(1, { resize: { state: 'deferred', message: 'no room', since: T0 } }));
    expect(refused.state).toBe('optimal');
    const again = decide({ now: T0 + 2 * MINUTE_MS, memory: refused.memory, pods: [starting()] });
    expect(again.steps).toEqual([]);
  });

  test('a boost is stored until the informers show it, and removed after its end', () => {
    const notSeenYet = decide({
      now: T0 + MINUTE_MS,
      memory: boosted.memory,
      pods: [starting({ ready: true, readySince: T0 - DAY_MS, container: { record: { startedAt: T0 - DAY_MS } } })],
    });
    expect(notSeenYet.memory.boosts).toHaveLength(1);
    const back = decide({ now: T0 + 20 * MINUTE_MS, memory: boosted.memory, pods: pods(1) });
    expect(back.memory.boosts).toEqual([]);
    expect(decide({ ...later(1), pods: [] }).memory.boosts).toEqual([]);
  });

  test('the next decision is at the end of the start', () => {
    expect(decide(later(3, { ready: true, readySince: T0 + 2 * MINUTE_MS })).reconcileAfterMs).toBe(MINUTE_MS);
  });

  test('a boost from creation ends without stored memory', () => {
    const base = new Map([['main', { requests: amounts('500m', null), limits: amounts(null, null) }]]);
    const more = new Map([['main', { requests: amounts('1500m', null), limits: amounts(null, null) }]]);
    const annotations = { 'evenkeel.io/start-up': writeBoostAtCreation(base, more) };
    const created = aPodRecord({ annotations, container: { requests: amounts('1500m', '512Mi') } });
    expect(cpusOf(decide({ pods: [created] }))).toEqual([500]);
    const young = starting({ annotations, container: { requests: amounts('1500m', '512Mi') } });
    const onRestart = autoPolicy({ startup, apply: 'OnRestart' });
    expect(cpusOf(decide({ policy: onRestart, pods: [young] }))).toEqual([]);
    expect(cpusOf(decide({ policy: onRestart, now: T0 + 12 * MINUTE_MS, pods: [young] }))).toEqual([500]);
    expect(cpusOf(decide({ policy: onRestart, pods: [starting()] }))).toEqual([]);
    const resizedSince = aPodRecord({ annotations, container: { requests: amounts('1200m', '512Mi') } });
    expect(decide({ pods: [resizedSince] }).memory.boosts).toEqual([]);
  });
});

describe('the annotation of a boost at creation, which any user of the namespace can write,', () => {
  const cpu = (request: string): Map<string, RequestsAndLimits> =>
    new Map([['main', { requests: amounts(request, null), limits: amounts(null, null) }]]);
  const annotated = (from: string, to: string): PodRecord =>
    aPodRecord({
      annotations: { 'evenkeel.io/start-up': writeBoostAtCreation(cpu(to), cpu(from)) },
      container: { requests: amounts(from, '512Mi') },
    });
  const atLeast800 = { ...policy.container, cpu: { ...policy.container.cpu, min: 800 } };

  test.each<[string, Partial<WorkloadSituation>]>([
    ['raises no pod', { pods: [annotated('100m', '2500m')], advice: [] }],
    ['raises no pod in mode Recommend', { pods: [annotated('100m', '2500m')], advice: [], policy: { ...policy, mode: 'Recommend' } }],
    ['lowers no pod in mode Observe', { pods: [annotated('1500m', '500m')], policy: { ...policy, mode: 'Observe' } }],
    ['lowers no pod in mode Recommend', { pods: [annotated('1500m', '500m')], policy: { ...policy, mode: 'Recommend' } }],
    ['lowers no pod before a size was approved', { pods: [annotated('1500m', '500m')], policy: { ...policy, mode: 'Approve' } }],
    ['lowers no pod of an excluded workload', { pods: [annotated('1500m', '500m')], overrides: { ...NO_OVERRIDES, excluded: true } }],
  ])('%s', (_, situation) => {
    const decision = decide(situation);
    expect(decision.memory.boosts).toEqual([]);
    expect(decision.steps).toEqual([]);
  });

  test('lowers a pod no further than the policy’s minimum', () => {
    expect(cpusOf(decide({ pods: [annotated('1500m', '500m')], advice: [], policy: { ...policy, container: atLeast800 } }))).toEqual([800]);
  });

  test('removes no request', () => {
    const none = new Map([['main', { requests: amounts(null, null), limits: amounts(null, null) }]]);
    const annotations = { 'evenkeel.io/start-up': writeBoostAtCreation(none, cpu('1500m')) };
    const pod = aPodRecord({ annotations, container: { requests: amounts('1500m', '512Mi') } });
    expect(decide({ pods: [pod], advice: [] }).steps).toEqual([]);
  });
});

describe('a boost never counts as a value in force', () => {
  const boosted = decide({ pods: [starting()] });
  const [pod] = resized([starting()], boosted.steps);

  test('in plans and due changes', () => {
    const { containers, state } = decide({ memory: boosted.memory, pods: [pod!] });
    expect(containers[0]?.current.requests).toEqual(amounts('500m', '512Mi'));
    expect(state).toBe('optimal');
  });

  test('a change continues beside it, and the pod does not count as verified before its end', () => {
    const long = autoPolicy({ startup: { ...startup, durationMs: 5 * MINUTE_MS } });
    const less = { advice: [anAdvice({ cpu: '100m', memory: '512Mi' })], policy: long };
    const startedAt = T0 - 3 * MINUTE_MS;
    const containers = pod!.containers.map((container) => ({ ...container, startedAt }));
    const one = { ...pod!, ready: true, readySince: T0 - 2 * MINUTE_MS, containers };
    const begun = decide({ ...less, memory: boosted.memory, pods: [one] });
    expect(cpusOf(begun)).toEqual([300]);
    expect(begun.memory.boosts[0]?.values.get('main')?.requests.cpuMillicores).toBe(100);
    const on = { ...less, memory: begun.memory, pods: resized([one], begun.steps) };
    expect(decide({ ...on, now: T0 + MINUTE_MS })).toMatchObject({ state: 'applying', steps: [] });
    const over = decide({ ...on, now: T0 + 3 * MINUTE_MS });
    expect(cpusOf(over)).toEqual([100]);
  });

  test('the ratio applies to the values in force: a pod that is created large enough gets no boost', () => {
    const settled = { memory: { ...NO_MEMORY, lastApplied }, advice: [anAdvice({ cpu: '200m', memory: '512Mi' })], pods: [starting()] };
    expect(cpusOf(decide(settled))).toEqual([600]);
    expect(decide({ ...settled, policy: autoPolicy({ startup: { ...startup, boostRatio: 2 } }) }).steps).toEqual([]);
  });

  test('an OOM kill during the start raises memory at once', () => {
    const advice = [anAdvice({ cpu: '500m', memory: '1Gi', lastOomAt: T0 - MINUTE_MS })];
    const { steps } = decide({ advice, memory: boosted.memory, pods: [pod!] });
    expect(steps[0]?.containers[0]?.to.requests).toEqual(amounts('1500m', '1Gi'));
  });
});

test('after any sequence of events no pod that has been ready for long exceeds the values in force', () => {
  const event = fc.record({
    minutes: fc.integer({ min: 1, max: 6 }),
    ready: fc.boolean(),
    restarts: fc.boolean(),
    forgets: fc.boolean(),
    ratio: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      let situation = aSituation({ policy, advice: content, pods: [starting()] });
      const step = (forMs: number): void => {
        const decision = decideWorkload(situation);
        // A crash between storing and acting: the memory is stored, and no step was taken.
        situation = { ...situation, now: situation.now + forMs, memory: decision.memory, pods: resized(situation.pods, decision.steps) };
      };
      for (const { minutes, ready, restarts, forgets, ratio } of events) {
        const [one] = situation.pods;
        const container = one!.containers[0]!;
        const next = {
          ...one!,
          ready,
          readySince: ready ? situation.now : null,
          containers: [restarts ? { ...container, startedAt: situation.now, restarts: container.restarts + 1 } : container],
        };
        const decision = forgets ? decideWorkload({ ...situation, pods: [next] }) : null;
        situation = {
          ...situation,
          pods: [next],
          policy: autoPolicy({ startup: { ...startup, boostRatio: ratio } }),
          memory: decision?.memory ?? situation.memory,
        };
        step(minutes * MINUTE_MS);
      }
      for (let minute = 0; minute < 15; minute += 1) step(MINUTE_MS);
      expect(situation.pods[0]?.containers[0]?.requests).toEqual(aContainer().requests);
    }),
  );
});
