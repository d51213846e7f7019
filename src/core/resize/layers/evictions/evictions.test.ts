import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  pods,
  resized,
  T0,
  NO_OVERRIDES,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { parseWindow } from '../../../model/window.ts';
import { decideWorkload } from '../decide-workload.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import { refusedEviction } from './evictions.ts';
import { NO_MEMORY, type FailedResize, type ResizeMemory, type WorkloadSituation } from '../../model/situation.ts';

const policy = autoPolicy({ apply: 'InPlaceOrEvict' });
const asked = { requests: amounts('900m', '1Gi'), limits: amounts(null, null) };
const lastApplied: ResizeMemory['lastApplied'] = {
  at: T0 - DAY_MS,
  by: 'evenkeel',
  reason: 'too small',
  pods: 2,
  values: new Map([['main', asked]]),
};
const advice = [anAdvice({ cpu: '900m', memory: '1Gi' })];
const failure: FailedResize = {
  pod: 'web-1',
  uid: 'uid-web-1',
  pool: null,
  resource: null,
  state: 'infeasible',
  since: T0 - MINUTE_MS,
  code: 'node-capacity',
  message: 'node n1 can never hold it',
  values: new Map([['main', asked]]),
};
const [first, ...others] = pods(3);
const grown = others.map((pod) => ({
  ...pod,
  containers: [{ ...pod.containers[0]!, ...asked, actual: asked, allocated: asked.requests }],
}));
const alive: readonly PodRecord[] = [first!, ...grown];
const memory: ResizeMemory = { ...NO_MEMORY, lastApplied, failures: [failure] };

/** Two pods have the values in force; the node of web-1 refuses them as infeasible. */
function decide(situation: Partial<WorkloadSituation> = {}): WorkloadDecision {
  return decideWorkload(aSituation({ policy, advice, memory, pods: alive, ...situation }));
}

describe('a pod whose node has too little capacity for its target', () => {
  test('is evicted, which is stored first', () => {
    const { evict, memory: after } = decide();
    expect(evict?.name).toBe('web-1');
    expect(after.evictions).toMatchObject({ count: 1, lastAt: T0, refused: null });
  });

  test('is evicted also where its node has refused a reduction', () => {
    const less = { requests: amounts('100m', '128Mi'), limits: amounts(null, null) };
    const container = { ...first!.containers[0]!, ...less };
    const stuck: PodRecord = { ...first!, resize: { state: 'infeasible', message: 'never', since: T0 }, containers: [container] };
    const small = { ...NO_MEMORY, lastApplied: { ...lastApplied, values: new Map([['main', less]]) } };
    const others = pods(3)
      .slice(1)
      .map((pod) => ({ ...pod, containers: [{ ...container, actual: less }] }));
    const decided = decide({ advice: [anAdvice()], memory: small, pods: [stuck, ...others] });
    expect([decided.evict?.name, decided.steps.map(({ kind }) => kind)]).toEqual(['web-1', ['revert']]);
  });

  const window = parseWindow({ start: '0 22 * * *', duration: '6h' });
  if (!window.ok) throw new Error(window.message);
  test.each<[string, Partial<WorkloadSituation>]>([
    ['by default', { policy: autoPolicy() }],
    ['in mode Recommend', { policy: { ...policy, mode: 'Recommend' } }],
    ['in a dry run', { policy: { ...policy, dryRun: true } }],
    ['while paused', { policy: { ...policy, paused: true } }],
    ['the only replica', { workload: aWorkloadRecord({ replicas: { desired: 1, current: 1, ready: 1 } }), pods: [first!] }],
    ['while another pod is not ready', { workload: aWorkloadRecord({ replicas: { desired: 3, current: 3, ready: 2 } }) }],
    ['during a roll-out', { workload: aWorkloadRecord({ rolloutInProgress: true }) }],
    ['outside the windows', { policy: { ...policy, windows: [window.value] } }],
    ['while held', { overrides: { ...NO_OVERRIDES, heldUntil: T0 + HOUR_MS } }],
    ['in the warm-up', { gateState: { ...aSituation().gateState, warmUpUntil: T0 + MINUTE_MS } }],
    ['of a DaemonSet, which would be created on the same node', { workload: aWorkloadRecord({ kind: 'DaemonSet' }) }],
    ['of a Job', { workload: aWorkloadRecord({ kind: 'Job' }) }],
    ['whose workload is not to be disrupted', { workload: aWorkloadRecord({ annotations: { 'evenkeel.io/do-not-disrupt': 'true' } }) }],
    ...[
      ['evenkeel.io/do-not-disrupt', 'true'],
      ['karpenter.sh/do-not-disrupt', 'true'],
      ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false'],
    ].map(([name = '', value = '']): [string, Partial<WorkloadSituation>] => [
      `with ${name}: ${value}`,
      { pods: [{ ...first!, annotations: { [name]: value } }, ...grown] },
    ]),
    [
      'that lacks nothing any more',
      {
        advice: [anAdvice({ cpu: '500m', memory: '512Mi' })],
        memory: { ...memory, lastApplied: { ...lastApplied, values: new Map([['main', first!.containers[0]!]]) } },
      },
    ],
    ['for more CPU to start', { memory: { ...memory, failures: [{ ...failure, code: 'start-up-boost' }] } }],
  ])('is not evicted %s', (_, situation) => {
    expect(decide(situation).evict).toBeNull();
  });

  test('the reason for which an eviction waits is reported', () => {
    expect(decide({ policy: { ...policy, windows: [window.value] } })).toMatchObject({ state: 'awaiting', reason: 'window' });
    expect(decide({ workload: aWorkloadRecord({ replicas: { desired: 1, current: 1, ready: 1 } }), pods: [first!] })).toMatchObject({
      state: 'awaiting',
      reason: 'not-evictable',
      message: expect.stringContaining('the only replica of a workload is never evicted'),
    });
  });

  test('a refusal by a PodDisruptionBudget is waited for, and does not count as a try', () => {
    const evictions = refusedEviction(decide().memory.evictions, T0 + 1, 'Cannot evict pod: the budget web needs 3 healthy pods');
    const waiting = decide({ now: T0 + MINUTE_MS, memory: { ...memory, evictions } });
    expect(waiting).toMatchObject({ state: 'awaiting', reason: 'disruption-budget', until: T0 + 1 + 5 * MINUTE_MS, evict: null });
    const again = decide({ now: T0 + 6 * MINUTE_MS, memory: { ...memory, evictions } });
    expect([again.evict?.name, again.memory.evictions?.count]).toEqual(['web-1', 1]);
  });

  test('never becomes a loop: for one size no more than there are pods', () => {
    let situation = aSituation({ policy, advice, memory, pods: alive });
    const evicted: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const { evict, memory: after } = decideWorkload(situation);
      const name = `web-new-${round}`;
      const successor = evict === null ? situation.pods : [{ ...first!, name, uid: `uid-${name}`, createdAt: situation.now }, ...grown];
      if (evict !== null) evicted.push(evict.name);
      // The new pod on the same node is refused as well.
      const failures = evict === null ? after.failures : [{ ...failure, uid: `uid-${name}`, pod: name, since: situation.now }];
      situation = { ...situation, now: situation.now + 10 * MINUTE_MS, pods: successor, memory: { ...after, failures } };
    }
    expect(evicted).toHaveLength(3);
    expect(decideWorkload(situation).message).toContain('3 pods were evicted for this size without success');
    const values = new Map([['main', { requests: amounts('1500m', '1Gi'), limits: asked.limits }]]);
    const larger = { ...situation.memory, lastApplied: { ...lastApplied, values } };
    const more = [anAdvice({ cpu: '1500m', memory: '1Gi' })];
    expect(decideWorkload({ ...situation, advice: more, memory: larger }).evict).not.toBeNull();
  });
});

test('where no node accepts the size and advice drifts, pods are evicted one at a time, and no more than there are', () => {
  let situation = aSituation({ policy });
  const evictedAt: number[] = [];
  for (let round = 0; round < 6 * 60 * 8; round += 1) {
    const advice = [anAdvice({ cpu: `${100 + 5 * Math.floor(round / 360)}m` })];
    const decision = decideWorkload({ ...situation, advice });
    const refused = resized(situation.pods, decision.steps).map((pod, index): PodRecord => {
      const before = situation.pods[index]!;
      if (pod === before) return pod;
      if (decision.steps.some((step) => step.pod.uid === pod.uid && step.kind === 'revert')) return { ...pod, resize: first!.resize };
      const containers = pod.containers.map((each, at) => ({ ...each, actual: before.containers[at]!.actual ?? before.containers[at]! }));
      return {
        ...pod,
        containers,
        resize: {
          state: 'infeasible',
          message: 'static policy',
          since: situation.now,
          refusal: { code: 'cpu-manager', resource: 'cpu' },
        },
      };
    });
    if (decision.evict !== null) evictedAt.push(situation.now);
    const successor = (pod: PodRecord): PodRecord => ({
      ...first!,
      name: `${pod.name}-${round}`,
      uid: `${pod.uid}-${round}`,
      createdAt: situation.now,
    });
    const next = refused.map((pod) => (pod.uid === decision.evict?.uid ? successor(pod) : pod));
    situation = { ...situation, pods: next, memory: decision.memory, now: situation.now + 10_000 };
  }
  expect(evictedAt).toHaveLength(3);
  for (const [index, at] of evictedAt.slice(1).entries()) expect(at - evictedAt[index]!).toBeGreaterThanOrEqual(2 * MINUTE_MS);
});

describe('a pod that would restart when it is resized', () => {
  const stubborn = pods(3).map((pod) => ({
    ...pod,
    containers: [{ ...pod.containers[0]!, resizePolicy: { cpu: 'RestartContainer', memory: 'NotRequired' } as const }],
  }));
  const gateState = { ...aSituation().gateState, admission: true };

  test('is evicted only where the webhook gives the new pod the size', () => {
    expect(decide({ pods: stubborn, memory: { ...NO_MEMORY, lastApplied } }).evict).toBeNull();
    expect(decide({ pods: stubborn, memory: { ...NO_MEMORY, lastApplied }, gateState }).evict?.name).toBe('web-1');
  });

  test('with the webhook a change is in force for new pods although no present pod can get it', () => {
    const { memory: after, state, reason, evict } = decide({ policy: autoPolicy(), pods: stubborn, memory: NO_MEMORY, gateState });
    expect([state, reason, evict]).toEqual(['awaiting', 'restart', null]);
    expect(after.lastApplied?.values.get('main')?.requests).toEqual(asked.requests);
  });
});

describe('a pod whose node has no free capacity now', () => {
  const deferred: FailedResize = { ...failure, state: 'deferred', since: T0 };
  const kept = { ...NO_MEMORY, lastApplied, failures: [deferred] };

  test('is retried as soon as the node has free capacity, but not within 10 minutes', () => {
    const free = (cpuMillicores: number) => new Map([['n1', { cpuMillicores, memoryBytes: 2 ** 40 }]]);
    expect(decide({ memory: kept, now: T0 + 5 * MINUTE_MS, freeOnNodes: free(4000) }).steps).toEqual([]);
    expect(decide({ memory: kept, now: T0 + 11 * MINUTE_MS, freeOnNodes: free(300) }).steps).toEqual([]);
    expect(decide({ memory: kept, now: T0 + 11 * MINUTE_MS, freeOnNodes: free(4000) }).steps).toHaveLength(1);
  });

  test('is evicted only after another wait', () => {
    expect(decide({ memory: kept })).toMatchObject({ evict: null, state: 'awaiting', reason: 'node-capacity' });
    expect(decide({ memory: kept, now: T0 + 29 * MINUTE_MS }).evict).toBeNull();
    expect(decide({ memory: kept, now: T0 + 31 * MINUTE_MS }).evict?.name).toBe('web-1');
  });
});

describe('apply: OnRestart', () => {
  const gateState = { ...aSituation().gateState, admission: true };
  const onRestart = { policy: autoPolicy({ apply: 'OnRestart' }), gateState, memory: NO_MEMORY, pods: pods(3) } as const;

  test('nothing is resized in place; the values are in force for new pods, and awaited until all pods have them', () => {
    const decided = decide(onRestart);
    expect(decided.steps).toEqual([]);
    expect(decided).toMatchObject({ state: 'awaiting', reason: 'restart' });
    expect(decided.message).toContain('3 of 3 pods were created before the values came into force');
    const one = decide({ ...onRestart, memory: decided.memory, now: T0 + MINUTE_MS, pods: [first!, grown[0]!] });
    expect(one).toMatchObject({ state: 'awaiting', reason: 'restart', steps: [] });
    const all = decide({ ...onRestart, memory: one.memory, now: T0 + MINUTE_MS, pods: grown });
    expect([all.state, all.memory.lastApplied?.pods]).toEqual(['applied', 2]);
  });

  test('a CronJob between two runs: the next run is created with the values', () => {
    const cron = { ...onRestart, policy: autoPolicy(), workload: aWorkloadRecord({ kind: 'CronJob' }), pods: [] };
    const decided = decide(cron);
    expect(decided).toMatchObject({ state: 'awaiting', reason: 'restart' });
    expect(decided.message).toContain('the next run of this CronJob is created with the values');
    expect(decided.memory.lastApplied?.values.get('main')?.requests).toEqual(asked.requests);
  });

  test('a Job without the webhook waits and reports the required setting', () => {
    const decided = decide({
      ...onRestart,
      policy: autoPolicy(),
      gateState: aSituation().gateState,
      workload: aWorkloadRecord({ kind: 'CronJob' }),
    });
    expect(decided).toMatchObject({ state: 'awaiting', reason: 'restart' });
    expect(decided.message).toContain('controller.admission.enabled');
  });
});
