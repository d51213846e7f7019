// Limit exceptions through the controller: the writes, their order, and that no crash loses one.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memoryDemand } from '../../../test/builders/exceptions.ts';
import { amounts, anAdvice, T0 } from '../../../test/builders/rightsizing.ts';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type Instant } from '#kube/units';
import type { ContainerAdvice } from '../../core/recommender/advice.ts';

const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);
const BUSY_FOR_MS = 2 * HOUR_MS;
const risingDemand = (now: Instant) => memoryDemand(now, '230Mi', '238Mi', '244Mi');
const lowDemand = (now: Instant) => memoryDemand(now, '100Mi', '100Mi', '100Mi');

interface Scenario {
  readonly policy: PodResizePolicySpec;
  readonly advice: ContainerAdvice;
  readonly demand: (now: Instant) => ReturnType<typeof risingDemand>;
  readonly decision?: 'approve' | 'reject';
  readonly days: number;
}

const NOT_OURS: PodResizePolicySpec = {
  mode: 'Auto',
  interval: '1h',
  containers: [{ name: '*', controlled: 'requests' }],
  limitOverage: { mode: 'Temporary' },
};
const fit = anAdvice({ cpu: '100m', memory: '128Mi' });

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'demand falls: the overage is removed, and the exception is resolved': {
    policy: { ...NOT_OURS, interval: '4h' },
    advice: fit,
    demand: (now) => (now < T0 + BUSY_FOR_MS ? risingDemand(now) : lowDemand(now)),
    days: 1.4,
  },
  'a person approves: the limit is the new normal': {
    policy: NOT_OURS,
    advice: fit,
    demand: risingDemand,
    decision: 'approve',
    days: 0.25,
  },
  'a person rejects: the earlier limit is put back': {
    policy: NOT_OURS,
    advice: fit,
    demand: risingDemand,
    decision: 'reject',
    days: 0.25,
  },
  'a person approves a ceiling: it is written onto the workload': {
    policy: { mode: 'Auto', interval: '1h', memory: { max: '128Mi', limit: { rule: 'Keep' } }, limitOverage: { mode: 'Temporary' } },
    advice: cappedAdvice(),
    demand: lowDemand,
    decision: 'approve',
    days: 0.25,
  },
};

/** Runs a scenario; ends the process before each of these writes, counted from the last start, and starts it again. */
async function runScenario(scenario: Scenario, deaths: readonly number[] = []): Promise<ResizeWorld> {
  const world = new ResizeWorld();
  const values = { requests: amounts('100m', '128Mi'), limits: amounts(null, '256Mi') };
  world.setPods((pod) => ({
    ...pod,
    containers: pod.containers.map((container) => ({ ...container, ...values, actual: values, allocated: values.requests })),
  }));
  world.advice.set(WEB, [scenario.advice]);
  world.demand = scenario.demand;
  world.setPolicy('all', scenario.policy);
  const left = [...deaths];
  world.diesAfterWrites = left.shift() ?? Number.POSITIVE_INFINITY;
  const until = async (end: Instant): Promise<void> => {
    while (world.clock.now() < end) {
      const outcome = await world.run(end - world.clock.now());
      if (outcome === 'lived') return;
      world.start();
      world.diesAfterWrites = left.shift() ?? Number.POSITIVE_INFINITY;
    }
  };
  await until(T0 + HOUR_MS);
  if (scenario.decision !== undefined) {
    const resource = 'memory';
    world.requestByUser({ exceptionDecisions: [{ container: 'main', resource, decision: scenario.decision, by: 'ann', at: iso(world) }] });
  }
  await until(T0 + scenario.days * DAY_MS);
  return world;
}

/** The final state without times: after a restart a reconcile may come an interval later. */
function finalState(world: ResizeWorld) {
  const [exception] = world.status().limitExceptions ?? [];
  return {
    limits: world.cluster.podList.map((pod) => (pod.containers[0]!.limits.memoryBytes ?? 0) / MiB),
    ceiling: world.cluster.workloadList[0]?.annotations['evenkeel.io/ceiling'],
    inForce: world.status().lastApplied?.containers,
    exceptions: world.status().limitExceptions?.length,
    exception: exception && {
      type: exception.type,
      state: exception.state,
      limit: exception.limit,
      proposed: exception.proposed,
      applied: exception.applied,
      inEffect: exception.inEffect,
      occurrences: exception.occurrences,
      by: exception.decidedBy,
    },
  };
}

const ENDS = {
  'demand falls: the overage is removed, and the exception is resolved': {
    limits: [256, 256, 256],
    exception: { state: 'resolved', applied: false },
  },
  'a person approves: the limit is the new normal': {
    limits: [320, 320, 320],
    exception: { state: 'approved', by: 'ann', inEffect: true },
  },
  'a person rejects: the earlier limit is put back': { limits: [256, 256, 256], exception: { state: 'rejected', applied: false } },
  'a person approves a ceiling: it is written onto the workload': {
    ceiling: '{"main":{"memory":"200Mi"}}',
    exception: { state: 'approved', type: 'recommendation-over-ceiling', inEffect: true },
  },
};

describe.each(Object.entries(SCENARIOS))('%s', (name, scenario) => {
  test('has this final state where the process is never killed', async () => {
    const world = await runScenario(scenario);
    expect(finalState(world)).toMatchObject(ENDS[name as keyof typeof ENDS]);
    expect(validate(world.recommendation()) || validate.errors).toBe(true);
  });

  test('has the same final state where the process is killed after any one write', async () => {
    const undisturbed = await runScenario(scenario);
    const wanted = finalState(undisturbed);
    for (let write = 0; write < undisturbed.writes; write += 1) {
      const world = await runScenario(scenario, [write]);
      expect([write, finalState(world)]).toEqual([write, wanted]);
    }
  });

  test('has the same final state where the process is killed repeatedly', async () => {
    const wanted = finalState(await runScenario(scenario));
    const deaths = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(deaths, async (writes) => expect(finalState(await runScenario(scenario, writes))).toEqual(wanted)),
      { numRuns: 15 },
    );
  });
});

describe('the report of an exception', () => {
  test('an open exception is in the state, in an Event and in the metrics', async () => {
    const world = new ResizeWorld();
    world.advice.set(WEB, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
    world.setPods((pod) => ({
      ...pod,
      containers: pod.containers.map((container) => ({ ...container, limits: amounts(null, '512Mi') })),
    }));
    world.demand = (now) => memoryDemand(now, '480Mi', '490Mi', '500Mi');
    await world.run(MINUTE_MS);
    expect(world.status()).toMatchObject({ state: 'exception', mode: 'Recommend' });
    expect(world.status().message).toMatch(/limit exception \(usage-over-limit\) on memory of main: .*; proposed: 625Mi/);
    expect(world.events.map(({ reason, type }) => [reason, type])).toEqual([['LimitExceeded', 'Warning']]);
    await world.run(HOUR_MS);
    expect(world.metrics.total('evenkeel_limit_exceptions_opened_total', { type: 'usage-over-limit' })).toBe(1);
    expect(world.events).toHaveLength(1);
    expect(world.applied).toEqual([]);
  });

  test('an overage is stored until it is removed, in every mode', async () => {
    const world = await runScenario({ ...SCENARIOS['demand falls: the overage is removed, and the exception is resolved']!, days: 0.1 });
    expect(finalState(world).limits).toEqual([320, 320, 320]);
    world.setPolicy('all', { ...NOT_OURS, mode: 'Observe' });
    await world.run(2 * HOUR_MS);
    expect(finalState(world)).toMatchObject({ limits: [320, 320, 320], exception: { applied: true } });
    world.setPolicy('all', { ...NOT_OURS, limitOverage: { mode: 'Never' } });
    await world.run(6 * HOUR_MS);
    expect(finalState(world)).toMatchObject({ limits: [256, 256, 256], exception: { applied: false } });
  });
});

function iso(world: ResizeWorld): string {
  return new Date(world.clock.now()).toISOString();
}

/** Advice of 200Mi that is capped at the ceiling of 128Mi. */
function cappedAdvice(): ContainerAdvice {
  const { memory, ...rest } = anAdvice({ cpu: '100m', memory: '128Mi', memoryAdvice: { recentPeak: 120 * MiB } });
  const steps = [
    { resource: 'memory', step: 'usage', detail: 'u', total: 200 * MiB },
    { resource: 'memory', step: 'ceiling', detail: 'c', total: 128 * MiB },
  ] as const;
  return { ...rest, memory: { ...memory!, steps } };
}
