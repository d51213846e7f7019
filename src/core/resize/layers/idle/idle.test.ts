import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation, autoPolicy, pods, resized } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import type { WorkloadRecord } from '#kube/records/workload';
import { decideInPlace } from '../../plan/decide-in-place.ts';
import { DEFAULT_POLICY_RULES } from '../../policy/policy-rules.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { idle } from './idle.ts';

const base = aSituation({ pods: pods(3), advice: [anAdvice({ cpu: '500m', memory: '512Mi' })] });
const quiet: WorkloadSituation = {
  ...base,
  policy: autoPolicy({ idle: { ...DEFAULT_POLICY_RULES.idle, enabled: true } }),
  gateState: { ...base.gateState, idleWorkloads: true },
  activity: {
    quietSince: base.now - 48 * HOUR_MS,
    cpuMillicores: 1,
    busiestMillicores: 800,
    inUseAt: base.now - 48 * HOUR_MS,
    reported: new Set(base.pods.map(({ name }) => name)),
  },
};

describe('idle mode', () => {
  test('leaves a workload alone whose policy does not ask for it', () => {
    const context = { ...quiet, policy: autoPolicy() };
    expect(idle.apply(context, decideInPlace)).toEqual(decideInPlace(context));
  });

  test('makes a quiet workload small, remembers its natural size first, and decides nothing else while it is idle', () => {
    const fallen = idle.apply(quiet, decideInPlace);
    expect([fallen.state, fallen.steps.length]).toEqual(['idle', 3]);
    expect(fallen.memory.idle?.natural.get('main')?.requests.cpuMillicores).toBe(500);
    const idled = idle.apply({ ...quiet, memory: fallen.memory }, () => {
      throw new Error('the layers inside are not asked');
    });
    expect(idled.state).toBe('idle');
  });

  test.each<[string, Partial<WorkloadRecord>, number | null]>([
    ['a Deployment', {}, 1],
    ['a kind whose scale subresource sets them', { kind: 'Rollout', scalable: true }, 1],
    ['a kind whose scale subresource has a wrong path', { kind: 'Rollout' }, null],
  ])('where the policy allows fewer replicas, those of %s are lowered only where they can be', (_, workload, replicas) => {
    const policy = { ...quiet.policy, idle: { ...quiet.policy.idle, replicas: 1 } };
    const fallen = idle.apply({ ...quiet, policy, workload: { ...quiet.workload, ...workload } }, decideInPlace);
    expect([fallen.state, fallen.memory.idle?.idleReplicas]).toEqual(['idle', replicas]);
  });
});

describe('an idle workload', () => {
  const since = base.now;
  const fallen = idle.apply(quiet, decideInPlace);
  const small = { ...quiet, memory: fallen.memory, pods: resized(quiet.pods, fallen.steps) };

  /** What becomes of it so long after it fell idle, with samples of `heard` up to that moment and of the others up to an earlier one. */
  function after(ms: number, { unheardFor = 0, failing = {} }: { unheardFor?: number; failing?: Partial<PodRecord> } = {}) {
    const now = since + ms;
    const newest = new Map<string, Instant>(small.pods.map(({ name }, index) => [name, index === 0 ? now - unheardFor : now]));
    const situation = {
      ...small,
      now,
      pods: small.pods.map((pod, index) => (index === 0 ? { ...pod, ...failing } : pod)),
      workload: { ...small.workload, annotations: { 'evenkeel.io/idle': '{}' } },
      activity: { ...quiet.activity!, samples: { since: since - HOUR_MS, newest } },
    };
    return idle.apply(situation, decideInPlace);
  }

  test.each<[string, Parameters<typeof after>[1], string]>([
    ['one of whose pods was not heard for 15 minutes', { unheardFor: 15 * MINUTE_MS }, 'no usage of web-1 for 15m'],
    [
      'one of whose pods is not ready',
      { failing: { ready: false, readySince: null, unreadySince: since + 50 * MINUTE_MS } },
      'web-1 is not ready',
    ],
    [
      'one of whose pods is in CrashLoopBackOff',
      {
        failing: {
          containers: small.pods[0]!.containers.map((container) => ({
            ...container,
            state: 'waiting',
            waitingReason: 'CrashLoopBackOff',
            lastTermination: { reason: 'Error', exitCode: 1, finishedAt: since + 59 * MINUTE_MS },
          })),
        },
      },
      'web-1 is in CrashLoopBackOff',
    ],
  ])('%s is woken, all its pods at once', (_case, ill, because) => {
    const { memory, steps } = after(HOUR_MS, ill);
    expect(memory.idle?.waking?.because).toBe(because);
    expect(steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores)).toEqual([500, 500, 500]);
  });

  test.each<[string, Parameters<typeof after>[1]]>([
    ['that is heard', {}],
    ['one of whose pods was not heard for less', { unheardFor: 14 * MINUTE_MS }],
    ['one of whose pods was not ready before', { failing: { ready: false, readySince: null, unreadySince: since - HOUR_MS } }],
    ['one of whose pods has just failed a probe', { failing: { ready: false, readySince: null, unreadySince: since + 59 * MINUTE_MS } }],
  ])('%s sleeps on', (_case, ill) => {
    expect(after(HOUR_MS, ill).state).toBe('idle');
  });

  test.each<[string, number, string | undefined]>([
    ['that was carried out before it fell idle does not', since - 10 * HOUR_MS, undefined],
    ['that is new does', since + MINUTE_MS, 'a roll-back was asked for'],
  ])('a request for a roll-back %s wake it, whatever was rolled back since', (_case, at, because) => {
    const automatic = { at: since - HOUR_MS, reason: 'restarts', message: '', heldUntil: since, count: 1, requestedAt: null };
    const { memory } = idle.apply(
      {
        ...small,
        now: since + 2 * MINUTE_MS,
        memory: { ...small.memory, rolledBack: { ...automatic, values: new Map() }, lastRollbackRequestAt: since - 10 * HOUR_MS },
        userRequests: { ...small.userRequests, rollback: { at, by: 'ann' } },
      },
      decideInPlace,
    );
    expect(memory.idle?.waking?.because).toBe(because);
  });

  test('whose samples have been taken for less than 15 minutes sleeps on', () => {
    expect(after(14 * MINUTE_MS, { unheardFor: HOUR_MS }).state).toBe('idle');
  });
});
