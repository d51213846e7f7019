// After a change is ended no pod stays reduced without being watched.

import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  NO_OVERRIDES,
  pods,
  resized,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../model/situation.ts';

/** Four pods of 500m, the first reduced to 100m as the canary. @param others CPU to which another manager has resized the last pod */
function midCanary(others: string | null = null): WorkloadSituation {
  const start = aSituation({ pods: pods(4), advice: [anAdvice({ memory: '512Mi' })] });
  const { steps, memory } = decideWorkload(start);
  const all = resized(start.pods, steps).map((pod, index) => {
    if (index === 0) return { ...pod, resizedBy: { manager: 'evenkeel-controller', at: T0 } };
    if (index < 3 || others === null) return pod;
    const containers = pod.containers.map((each) => ({ ...each, requests: amounts(others, '512Mi') }));
    return { ...pod, containers, resizedBy: { manager: 'kubectl', at: T0 + MINUTE_MS } };
  });
  return { ...start, now: T0 + 5 * MINUTE_MS, pods: all, memory };
}

const resizes = ({ steps }: WorkloadDecision) => steps.map(({ pod, containers }) => [pod.name, containers[0]?.to.requests.cpuMillicores]);

/** The situation a minute later, after the kubelets have actuated the steps. */
function after(situation: WorkloadSituation, { memory, steps }: WorkloadDecision): WorkloadSituation {
  const touched = new Set(steps.map(({ pod }) => pod.uid));
  const all = resized(situation.pods, steps).map((pod) =>
    touched.has(pod.uid) ? { ...pod, resizedBy: { manager: 'evenkeel-controller', at: situation.now } } : pod,
  );
  return { ...situation, memory, pods: all, now: situation.now + MINUTE_MS };
}

describe('the canary of a change that is ended', () => {
  test.each<[string, WorkloadSituation]>([
    ['because another manager resizes another pod', midCanary('800m')],
    ['because another manager resizes another pod to less', midCanary('50m')],
    [
      'because a Vertical Pod Autoscaler acts on the workload',
      { ...midCanary(), vpas: [{ namespace: 'shop', name: 'web', updateMode: 'InPlaceOrRecreate' } as WorkloadSituation['vpas'][number]] },
    ],
    ['because a user holds the workload', { ...midCanary(), overrides: { ...NO_OVERRIDES, heldUntil: T0 + DAY_MS } }],
  ])('%s is restored, and no other pod is resized', (_case, situation) => {
    const decision = decideWorkload(situation);
    expect([decision.memory.apply, resizes(decision)]).toEqual([null, [['web-1', 500]]]);
    expect(resizes(decideWorkload(after(situation, decision)))).toEqual([]);
  });

  test('is tried again until it has its size back, also where it is not ready', () => {
    const situation = midCanary('800m');
    const ill = situation.pods.map((pod, index) => (index === 0 ? { ...pod, ready: false, unreadySince: T0 + MINUTE_MS } : pod));
    const { memory } = decideWorkload({ ...situation, pods: ill });
    expect(resizes(decideWorkload({ ...situation, pods: ill, memory, now: T0 + HOUR_MS / 2 }))).toEqual([['web-1', 500]]);
  });

  test('is not restored where another manager has resized it since', () => {
    const situation = midCanary('800m');
    const touched = situation.pods.map((pod, index) =>
      index === 0 ? { ...pod, resizedBy: { manager: 'kubectl', at: T0 + MINUTE_MS } } : pod,
    );
    expect(resizes(decideWorkload({ ...situation, pods: touched }))).toEqual([]);
  });

  test('waits while everything is paused', () => {
    const situation = midCanary('800m');
    const paused = { ...situation, policy: autoPolicy({ paused: true }) };
    const { steps, memory } = decideWorkload(paused);
    expect(steps).toEqual([]);
    expect(resizes(decideWorkload({ ...situation, memory, now: T0 + HOUR_MS / 2 }))).toEqual([['web-1', 500]]);
  });

  test.each(['Recommend', 'Observe'] as const)(
    'is not restored in mode %s, which is reported, and is restored once the mode is Auto again',
    (mode) => {
      const situation = midCanary();
      const decision = decideWorkload({ ...situation, policy: autoPolicy({ mode }) });
      expect([decision.memory.apply, decision.steps]).toEqual([null, []]);
      expect(decision.message).toContain(`pods reduced by a change that was ended, and not restored in mode ${mode}: web-1`);
      const later = { ...situation, memory: decision.memory, now: T0 + HOUR_MS, advice: [anAdvice({ cpu: '490m', memory: '512Mi' })] };
      expect(decideWorkload({ ...later, policy: autoPolicy({ mode }) }).message).toContain('web-1');
      expect(resizes(decideWorkload(later))).toEqual([['web-1', 500]]);
    },
  );

  test('gets the values that a user has deployed meanwhile', () => {
    const workload = aWorkloadRecord({}, { requests: amounts('800m', '512Mi') });
    const { memory } = decideWorkload({ ...midCanary(), workload, overrides: { ...NO_OVERRIDES, heldUntil: T0 + DAY_MS } });
    expect([memory.apply, memory.lastApplied?.values.get('main')?.requests]).toEqual([null, amounts('800m', '512Mi')]);
  });
});

describe('a raise that is ended', () => {
  const TOO_MUCH = "Node didn't have enough capacity: memory, requested: 1140850688, capacity: 1073741824";

  /** Two pods of 512Mi that were raised to 846Mi, and then to 1088Mi, which their nodes refuse as infeasible. */
  function refusedFurther(): WorkloadSituation {
    const start = aSituation({ pods: pods(2), advice: [anAdvice({ cpu: '500m', memory: '846Mi' })], memory: inForce('512Mi') });
    const raised = after(start, decideWorkload(start));
    const further = { ...raised, advice: [anAdvice({ cpu: '500m', memory: '1088Mi' })] };
    const decision = decideWorkload(further);
    expect(decision.memory.apply?.values.get('main')?.requests).toEqual(amounts('500m', '1088Mi'));
    const refused = after(further, decision);
    const all = refused.pods.map((pod, index) => ({
      ...pod,
      containers: pod.containers.map((each) => ({ ...each, actual: further.pods[index]?.containers[0]?.actual ?? null })),
      resize: {
        state: 'infeasible' as const,
        message: TOO_MUCH,
        since: refused.now,
        refusal: { code: 'node-capacity' as const, resource: 'memory' as const },
      },
    }));
    return { ...refused, pods: all };
  }

  function inForce(memory: string): ResizeMemory {
    const values = new Map([['main', { requests: amounts('500m', memory), limits: amounts(null, null) }]]);
    return { ...NO_MEMORY, lastApplied: { at: T0 - DAY_MS, by: 'evenkeel', reason: 'higher recommendation', pods: 2, values } };
  }

  test('because its nodes refuse what it was raised to since, stays in force as far as the pods have it', () => {
    let situation = refusedFurther();
    for (let minute = 0; minute < 60; minute += 1) {
      const decision = decideWorkload(situation);
      const next = after(situation, decision);
      situation = { ...next, pods: next.pods.map((pod) => ({ ...pod, resize: { state: 'none', message: '', since: null } })) };
    }
    expect([situation.memory.apply, situation.memory.lastApplied?.values.get('main')?.requests]).toEqual([null, amounts('500m', '846Mi')]);
    expect(situation.pods.map(({ containers }) => containers[0]?.requests)).toEqual([amounts('500m', '846Mi'), amounts('500m', '846Mi')]);
  });

  test('before it has reached a pod leaves in force what was before', () => {
    const start = aSituation({ pods: pods(2), advice: [anAdvice({ cpu: '500m', memory: '846Mi' })] });
    const { memory } = decideWorkload(start);
    const held = { ...start, now: T0 + MINUTE_MS, memory, overrides: { ...NO_OVERRIDES, heldUntil: T0 + DAY_MS } };
    const decision = decideWorkload(held);
    expect([decision.memory.apply, decision.memory.lastApplied, decision.steps]).toEqual([null, null, []]);
  });

  test('keeps nothing of what another manager added to a pod', () => {
    const start = aSituation({ pods: pods(2), advice: [anAdvice({ cpu: '500m', memory: '846Mi' })] });
    const { steps, memory } = decideWorkload(start);
    const [first, second] = resized(start.pods, steps);
    const more = { requests: amounts('500m', '4Gi'), limits: amounts(null, null) };
    const given = { ...second!, containers: second!.containers.map((each) => ({ ...each, ...more, actual: more })) };
    const overrides = { ...NO_OVERRIDES, heldUntil: T0 + DAY_MS };
    const decision = decideWorkload({ ...start, now: T0 + MINUTE_MS, memory, overrides, pods: [first!, given] });
    expect(decision.memory.lastApplied?.values.get('main')?.requests).toEqual(amounts('500m', '846Mi'));
  });
});
