import { expect, test } from '@jest/globals';
import { amounts, aPodRecord, aSituation, autoPolicy, aWorkloadRecord } from '../../../../test/builders/rightsizing.ts';
import { CountingMetrics } from '../../../../test/fakes/counting-metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { REDUCTION, type Effect } from '../../../core/effects/effect.ts';
import { podRef } from '../../../core/model/object-ref.ts';
import { decideInPlace } from '../../../core/resize/plan/decide-in-place.ts';
import type { ResizeStep } from '../../../core/resize/model/resize-step.ts';
import { MINUTE_MS } from '#kube/units';
import type { EffectWriter } from '../../../ports/cluster/writers.ts';
import { EffectGate } from '../../../runtime/effects/effect-gate.ts';
import { resizePods } from './resize-pods.ts';
import { RecommendationMetrics } from '../publish/metrics.ts';
import type { RecommendationPorts } from '../ports.ts';

const running = new AbortController().signal;
const names = ['a', 'b', 'c', 'd'];
const pods = new Map(names.map((name) => [name, aPodRecord({ name })]));

/** To 900m, or to 100m. */
function aStep(name: string, lowers: boolean): ResizeStep {
  const pod = pods.get(name)!;
  const { requests, limits } = pod.containers[0]!;
  const to = { requests: amounts(lowers ? '100m' : '900m', '512Mi'), limits };
  return { pod, containers: [{ name: 'main', from: { requests, limits }, to }], kind: 'change', lowers, reason: '' };
}

/** What reaches the API server, in order, while another workload asks for a reduction at every turn. */
async function written(steps: readonly ResizeStep[], reductionsPerMinute = 100, dryRun = false): Promise<readonly string[]> {
  const order: string[] = [];
  const effects: EffectWriter = {
    write: async ({ target }) => {
      order.push(target.name);
      for (let turns = 0; turns < 3; turns += 1) await Promise.resolve();
      return { kind: 'done' };
    },
  };
  const clock = new FakeClock();
  const metrics = new CountingMetrics();
  const gate = new EffectGate({
    effects,
    dryRunEffects: effects,
    clock,
    logger: new RecordingLogger(),
    metrics,
    dryRun: false,
    isLeader: () => true,
    activePause: () => null,
    sources: (['informers', 'usage'] as const).map((name) => ({ name, periodMs: MINUTE_MS, confirmedAt: () => clock.now() })),
    warmUpMs: 0,
    reductionsPerMinute: { optimize: () => reductionsPerMinute },
  });
  const ports = {
    gate,
    clock,
    cluster: { findPod: (_: string, name: string) => [...pods.values()].find((pod) => pod.name === name), findNode: () => undefined },
    cycles: { latest: () => null },
    events: { record: () => undefined },
    timeline: { appendEntry: () => undefined },
  } as unknown as RecommendationPorts;
  const decision = { ...decideInPlace(aSituation()), steps };
  const state = { ended: false };
  const carried = resizePods(
    ports,
    new RecommendationMetrics(metrics),
    aWorkloadRecord(),
    autoPolicy({ dryRun }),
    decision,
    running,
  ).finally(() => (state.ended = true));
  const other: Effect = {
    kind: 'resize',
    target: podRef({ namespace: 'other', name: 'other' }),
    uid: 'other',
    containers: [],
    owner: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'other', name: 'api' },
    ...REDUCTION,
    dryRun: false,
    change: '',
    reason: '',
  };
  while (!state.ended) {
    void gate.carryOut(other, running);
    await Promise.resolve();
  }
  await carried;
  return order;
}

test('no reduction of another workload is sent before the last raise', async () => {
  const order = await written([aStep('a', false), aStep('b', false), aStep('c', false)]);
  expect(order.slice(0, 3)).toEqual(['a', 'b', 'c']);
  expect(order).toContain('other');
});

test('raises of a policy in dry run keep no reduction of another workload waiting', async () => {
  const order = await written([aStep('a', false), aStep('b', false)], 100, true);
  expect(order.slice(0, 2)).toEqual(['a', 'other']);
});

test('raises come first, so that no reduction that the budget holds keeps them waiting', async () => {
  expect(await written([aStep('a', true), aStep('b', false), aStep('c', true), aStep('d', false)], 0)).toEqual(['b', 'd']);
});

test('a raise whose pod is gone keeps no reduction waiting', async () => {
  const gone = aStep('a', false);
  expect(await written([{ ...gone, pod: { ...gone.pod, uid: 'gone' } }, aStep('b', true)])).toContain('b');
});
