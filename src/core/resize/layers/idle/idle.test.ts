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
    belowThresholdSince: base.now - 48 * HOUR_MS,
    cpuMillicores: 1,
    maxCpuMillicores: 800,
    lastInUseAt: base.now - 48 * HOUR_MS,
    reported: new Set(base.pods.map(({ name }) => name)),
  },
};

describe('idle mode', () => {
  test('does not change a workload whose policy does not enable it', () => {
    const context = { ...quiet, policy: autoPolicy() };
    expect(idle.apply(context, decideInPlace)).toEqual(decideInPlace(context));
  });

  test('idles a workload without load, stores its natural size first, and decides nothing else while it is idle', () => {
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
  ])('with spec.idle.replicas those of %s are lowered where its scale subresource is usable', (_, workload, replicas) => {
    const policy = { ...quiet.policy, idle: { ...quiet.policy.idle, replicas: 1 } };
    const fallen = idle.apply({ ...quiet, policy, workload: { ...quiet.workload, ...workload } }, decideInPlace);
    expect([fallen.state, fallen.memory.idle?.idleReplicas]).toEqual(['idle', replicas]);
  });
});

describe('an idle workload', () => {
  const since = base.now;
  const fallen = idle.apply(quiet, decideInPlace);
  const small = { ...quiet, memory: fallen.memory, pods: resized(quiet.pods, fallen.steps) };

  /** The decision some time after the workload was idled, where the first pod's last sample is older. */
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
    ['one of whose pods reported no usage for 15 minutes', { unheardFor: 15 * MINUTE_MS }, 'no usage of web-1 for 15m'],
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
  ])('%s is woken in all pods at once', (_case, ill, because) => {
    const { memory, steps } = after(HOUR_MS, ill);
    expect(memory.idle?.waking?.reason).toBe(because);
    expect(steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores)).toEqual([500, 500, 500]);
  });

  test.each<[string, Parameters<typeof after>[1]]>([
    ['whose pods report usage', {}],
    ['one of whose pods reported no usage for a shorter time', { unheardFor: 14 * MINUTE_MS }],
    ['one of whose pods was not ready before', { failing: { ready: false, readySince: null, unreadySince: since - HOUR_MS } }],
    ['one of whose pods has just failed a probe', { failing: { ready: false, readySince: null, unreadySince: since + 59 * MINUTE_MS } }],
  ])('%s stays idle', (_case, ill) => {
    expect(after(HOUR_MS, ill).state).toBe('idle');
  });

  test.each<[string, number, string | undefined]>([
    ['that was executed before the workload was idled does not', since - 10 * HOUR_MS, undefined],
    ['that is new does', since + MINUTE_MS, 'a roll-back was requested'],
  ])('a request for a roll-back %s wake it, also after later roll-backs', (_case, at, because) => {
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
    expect(memory.idle?.waking?.reason).toBe(because);
  });

  test('that was sampled for less than 15 minutes stays idle', () => {
    expect(after(14 * MINUTE_MS, { unheardFor: HOUR_MS }).state).toBe('idle');
  });
});
