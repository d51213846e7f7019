import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, pods, T0, NO_OVERRIDES } from '../../../../test/builders/rightsizing.ts';
import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS, MiB } from '#kube/units';
import { omitEmpty } from '../../model/encoding/omit-empty.ts';
import { DEFAULT_POLICY_RULES } from '../policy/policy-rules.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import { readMemory } from './memory-codec.ts';
import { decidedPart, recommendationStatus } from './recommendation-status.ts';
import { isWorthWriting } from './status-change.ts';
import { riskOf } from '../plan/risk.ts';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../model/situation.ts';
import { workloadMoney } from '../plan/workload-money.ts';

const facts = { now: T0, generation: 1, replicas: 3, savingsPerMonthUsd: 12.345, costPerMonthUsd: 40, source: 'kubelet' };
const statusOf = (situation: Partial<WorkloadSituation> = {}) =>
  recommendationStatus(decideWorkload(aSituation(situation)), facts, undefined);

describe('the status of a Recommendation', () => {
  test('is no larger than an API server takes, on the worst day of the largest DaemonSet', () => {
    const values = new Map(
      Array.from({ length: 4 }, (_, at) => [`container-${at}`, { requests: amounts('100m', '128Mi'), limits: amounts('1', '160Mi') }]),
    );
    const failures = Array.from({ length: 60 }, (_, at) => ({
      pod: `${'agent'.repeat(40)}-${at}`,
      uid: `${at}`.padStart(36, '0'),
      pool: null,
      resource: null,
      state: 'error' as const,
      since: T0 - at,
      code: 'quota' as const,
      message: 'admission webhook said no, at length; '.repeat(40),
      values,
    }));
    const own: ResizeMemory = { ...NO_MEMORY, failures };
    const decision = decideWorkload(aSituation());
    const classes = new Map(Array.from({ length: 32 }, (_, at) => [`${at}cpu-8Gi`, own]));
    const status = recommendationStatus({ ...decision, memory: { ...own, classes } }, facts, undefined);
    expect(JSON.stringify(status).length).toBeLessThan(1.4 * 2 ** 20);
    const kept = readMemory(status).classes?.get('0cpu-8Gi')?.failures ?? [];
    expect(kept).toHaveLength(32);
    expect(Math.min(...kept.map(({ since }) => since))).toBe(T0 - 31);
  });

  test('memory survives being written and read', () => {
    const values = new Map([['main', { requests: amounts('100m', '128Mi'), limits: amounts(null, '160Mi') }]]);
    const memory: ResizeMemory = {
      apply: {
        startedAt: T0,
        stage: 'Half',
        stageStartedAt: T0 + 1,
        throttledRatioBefore: 0.1,
        errorRateBefore: 0.02,
        endsIncrease: false,
        reason: 'over-provisioned',
        by: 'ops',
        values,
      },
      lastApplied: { at: T0 - 5, by: 'evenkeel', reason: 'x', pods: 2, values },
      previous: { at: T0 - 6, values },
      template: values,
      endedApprovalAt: T0,
      rolledBack: {
        at: T0 - 7,
        reason: 'restarts',
        message: 'm',
        heldUntil: T0 - 1,
        userHeldUntil: T0 - 2,
        count: 2,
        requestedAt: null,
        values,
      },
      lastRollbackRequestAt: T0 - 8,
      observedReductions: [{ since: T0 - 9, until: T0 + 9, comparedHours: 3, before: values }],
      failures: [
        {
          pod: 'web-1',
          uid: 'uid-web-1',
          pool: 'blue/4cpu-16Gi',
          resource: 'memory',
          state: 'infeasible',
          attempts: 1,
          since: T0,
          code: 'node-capacity',
          message: 'no',
          values,
        },
      ],
      evictions: {
        requests: { cpuMillicores: 500, memoryBytes: MiB },
        count: 2,
        lastAt: T0 - 4,
        refused: { at: T0 - 3, message: 'budget' },
      },
      boosts: [{ pod: 'web-2', uid: 'uid-web-2', since: T0 - 8, values }],
      autoscalers: [
        {
          name: 'web',
          targets: [{ resource: 'cpu', container: null, percent: 60, request: 500, set: 85 }],
          issuedAt: T0 - 12,
          reverts: 1,
          revertedAt: T0 - 10,
          revertedBy: 'argocd-controller',
          isReverted: true,
          refusedAt: T0 - 11,
          refusal: 'no',
        },
      ],
      limitExceptions: [
        {
          container: 'main',
          resource: 'memory',
          type: 'usage-over-limit',
          state: 'approved',
          bound: 'limit',
          limit: 256 * MiB,
          observed: 250 * MiB,
          proposed: 320 * MiB,
          evidence: 'e',
          openedAt: T0 - 20,
          lastSeenAt: T0 - 19,
          occurrences: 2,
          clearSince: T0 - 18,
          openCount: [T0 - 30, T0 - 20],
          closedAt: T0 - 17,
          decided: { at: T0 - 17, by: 'ops', value: 320 * MiB },
          inEffect: true,
          approvedBaseline: { value: 1, at: T0 },
          overage: { before: 256 * MiB, value: 320 * MiB, since: T0 - 20, until: T0 + 5, returnedAt: T0 - 16 },
          leakApprovedAt: null,
          ceilingReached: true,
        },
      ],
      idle: {
        since: T0 - 10_000,
        natural: values,
        sizes: new Map([['main', { requests: amounts('10m', '64Mi'), limits: amounts(null, null) }]]),
        floor: new Map([['main', { requests: amounts('50m', '64Mi'), limits: amounts(null, null) }]]),
        activeMs: 60_000,
        replicas: 3,
        idleReplicas: 1,
        autoscaler: { name: 'web', minReplicas: 2 },
        scaled: true,
        waking: { since: T0 - 11, reason: 'load', by: 'load' },
        wakeTriggers: 'CPU',
      },
      lastIdle: { since: T0 - 30_000, wokenAt: T0 - 20_000, reason: 'load', shortIdlePeriods: 2, activeMs: 5000, floor: new Map() },
      externalResizes: { by: 'kubectl', pod: 'web-1', at: T0 - 12, count: 2, until: T0 + 12 },
      oomBumps: [{ container: 'main', pod: 'web-1', uid: 'uid-web-1', at: T0 - 7, limit: 640 * 2 ** 20, request: null }],
      largestNode: { cpuMillicores: 8000, cpuSeenAt: T0 - 4, memoryBytes: 2 ** 35, memorySeenAt: T0 - 3 },
      hotReplicas: [{ container: 'main', pod: 'web-1', uid: 'u1', at: T0 - 5, cpu: 900 }],
      pace: { effective: 'Hourly', since: T0 - 8 },
      nodeOoms: new Map([['main', T0 - 6]]),
      reductions: new Map([['main', { cpu: T0 - 11, memory: T0 - 10, memoryLimit: null }]]),
      cpuBeforeIncrease: new Map([['main', 300]]),
      cpuLimitRaises: new Map([['main', [T0 - 11, T0 - 10]]]),
    };
    const decision = { ...decideWorkload(aSituation()), memory };
    expect(readMemory(recommendationStatus(decision, facts, undefined))).toEqual(memory);
  });

  test('invalid fields count as absent', () => {
    const nonsense = { apply: { startedAt: 'soon', stage: 'All', stageStartedAt: '', containers: [] }, lastApplied: { at: 'x' } } as const;
    expect(readMemory(nonsense)).toMatchObject({ apply: null, lastApplied: null });
  });

  test('is worth writing when a state, a value outside the dead band, or an hour has passed', () => {
    const policy = DEFAULT_POLICY_RULES;
    const before = statusOf({ policy });
    const at = (situation: Partial<WorkloadSituation>, later = 60_000) =>
      isWorthWriting(before, statusOf({ policy, ...situation }), T0 + later);
    expect(at({})).toBe(false);
    expect(at({ advice: [anAdvice({ cpu: '104m' })] })).toBe(false);
    expect(at({ advice: [anAdvice({ cpu: '110m' })] })).toBe(true);
    expect(at({ overrides: { ...NO_OVERRIDES, excluded: true } })).toBe(true);
    expect(at({}, HOUR_MS)).toBe(true);
    expect(isWorthWriting(undefined, before, T0)).toBe(true);
  });

  test('is not worth writing again as the API server returns it: in another order of fields, without empty maps', () => {
    const policy = DEFAULT_POLICY_RULES;
    const container = { name: 'main', requests: { cpu: '100m' }, limits: {} };
    const lastApplied = { at: isoTime(T0), by: 'evenkeel', reason: 'under-provisioned', pods: 1, containers: [container] };
    const written = { ...statusOf({ policy }), lastApplied, limitExceptions: [AN_EXCEPTION] };
    const { evidence, ...others } = AN_EXCEPTION;
    const stored = omitEmpty({ ...written, limitExceptions: [{ evidence, ...others }] });
    expect(JSON.stringify(stored)).not.toBe(JSON.stringify(written));
    expect(isWorthWriting(stored, written, T0 + 60_000)).toBe(false);
    expect(isWorthWriting({ ...stored, limitExceptions: [] }, written, T0 + 60_000)).toBe(true);
  });

  test('is worth writing or not by its decided part alone', () => {
    const policy = DEFAULT_POLICY_RULES;
    const before = statusOf({ policy });
    const situations: Partial<WorkloadSituation>[] = [
      {},
      { advice: [anAdvice({ cpu: '104m' })] },
      { advice: [anAdvice({ cpu: '110m' })] },
      { overrides: { ...NO_OVERRIDES, excluded: true } },
      { pods: pods(1) },
    ];
    for (const situation of situations) {
      const decision = decideWorkload(aSituation({ policy, ...situation }));
      const whole = isWorthWriting(before, recommendationStatus(decision, facts, before), T0 + 60_000);
      expect(isWorthWriting(before, decidedPart(decision, facts), T0 + 60_000)).toBe(whole);
    }
  });

  test('money is rounded to the cent', () => {
    expect(statusOf().savingsPerMonthUsd).toBe(12.35);
  });
});

const AN_EXCEPTION = {
  container: 'main',
  resource: 'memory',
  type: 'usage-over-limit',
  state: 'resolved',
  bound: 'limit',
  limit: '416Mi',
  observed: '404Mi',
  proposed: '505Mi',
  applied: false,
  openedAt: isoTime(T0),
  lastSeenAt: isoTime(T0),
  occurrences: 1,
  openCount: [isoTime(T0)],
  evidence: 'its working set reached 404Mi, 97 % of the limit of 416Mi',
} as const;

describe('risk', () => {
  const risk = (situation: Partial<WorkloadSituation>) => riskOf(decideWorkload(aSituation(situation)));
  test('is none where nothing changes, low for a sure reduction, medium for a doubtful one, high where memory kills', () => {
    expect(risk({ advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] })).toBe('none');
    expect(risk({})).toBe('low');
    expect(risk({ advice: [anAdvice({ confidence: 0.5 })] })).toBe('medium');
    expect(risk({ advice: [anAdvice({ cpu: '2' })] })).toBe('medium');
    expect(risk({ advice: [anAdvice({ memory: '2Gi', oomKills: 1 })] })).toBe('high');
  });
});

describe('money', () => {
  test('is what is freed at the prices of the nodes, per month of 730 hours', () => {
    const [plans] = decideWorkload(aSituation()).containers;
    const price = { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 };
    const priced = pods(2).map((pod) => ({ price, containers: pod.containers }));
    const template = [{ name: 'main', requests: amounts('1', '512Mi') }];
    const money = workloadMoney(priced, [plans!], template);
    expect(money.potentialPerMonthUsd).toBeCloseTo(2 * (0.4 * 0.03 + 0.375 * 0.004) * 730);
    expect(money.costPerMonthUsd).toBeCloseTo(2 * (0.5 * 0.03 + 0.5 * 0.004) * 730);
    expect(money.reclaimedPerMonthUsd).toBeCloseTo(2 * 0.5 * 0.03 * 730);
    expect(workloadMoney([], [plans!], template).costPerMonthUsd).toBeNull();
  });

  test('counts by pod: what an init container requests anyway is not freed', () => {
    const [plans] = decideWorkload(aSituation()).containers;
    const price = { perCoreHourUsd: 0.03, perGiBHourUsd: 0.004 };
    const initContainers = [{ requests: amounts('450m', '512Mi'), sidecarsBefore: 0 }];
    const priced = pods(1).map((pod) => ({ price, containers: pod.containers, initContainers, overhead: amounts('100m', '0') }));
    const money = workloadMoney(priced, [plans!], [{ name: 'main', requests: amounts('1', '512Mi') }]);
    expect(money.costPerMonthUsd).toBeCloseTo((0.6 * 0.03 + 0.5 * 0.004) * 730);
    expect(money.potentialPerMonthUsd).toBeCloseTo(0.05 * 0.03 * 730);
    expect(money.reclaimedPerMonthUsd).toBeCloseTo(0.5 * 0.03 * 730);
  });
});
