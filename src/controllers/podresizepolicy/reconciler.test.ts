import { beforeEach, describe, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { unreadableLease } from '../../core/resize/policy/autoscaler-lease.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
});

function condition(policy: string, type: string): { readonly status?: string; readonly reason?: string; readonly message?: string } {
  return world.policy(policy).status?.conditions?.find((candidate) => candidate.type === type) ?? {};
}

describe('a PodResizePolicy', () => {
  test('reports its workloads, its last cycle and the next window in its status', async () => {
    world.setPolicy('all', { mode: 'Auto', windows: [{ start: '0 22 * * *', duration: '6h', timeZone: 'UTC' }] });
    await world.run(10 * MINUTE_MS);
    const { status } = world.policy('all');
    expect(status).toMatchObject({
      observedGeneration: 1,
      workloads: { total: 1, awaiting: 1 },
      awaiting: { window: 1 },
      lastCycle: { trigger: 'interval', evaluated: 1, changed: 0, startedAt: expect.any(String), finishedAt: expect.any(String) },
      nextWindow: { start: '2026-11-20T22:00:00.000Z', end: '2026-11-21T04:00:00.000Z', open: false },
    });
    expect(condition('all', 'Ready')).toMatchObject({ status: 'True', reason: 'InForce' });
    const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'PodResizePolicy')!);
    expect(validate(world.policy('all')) || validate.errors).toBe(true);
  });

  test('lists the first kinds that may not be read, with their numbers of pods', async () => {
    world.setPolicy('all', { mode: 'Auto' });
    world.unpermittedKinds = ['12 pods of rollouts.argoproj.io', ...[1, 2, 3, 4, 5].map((number) => `${number} pods of x${number}.io`)];
    await world.run(10 * MINUTE_MS);
    const message = '; not resized, because their kinds may not be read: 12 pods of rollouts.argoproj.io, 1 pods of x1.io';
    expect(condition('all', 'Ready').message).toContain(message);
    expect(condition('all', 'Ready').message).toMatch(/4 pods of x4\.io and 1 more$/);
  });

  test('warns of a consolidation loop where a node autoscaler runs and new pods are not sized at creation', async () => {
    const onKarpenter = async (options: { readonly admission?: boolean }, mode: 'Auto' | 'Recommend') => {
      world = new ResizeWorld(options);
      world.cluster.nodeList = world.cluster.nodeList.map((node) => ({ ...node, labels: { 'karpenter.sh/nodepool': 'blue' } }));
      world.setPolicy('all', { mode });
      await world.run(MINUTE_MS);
      return condition('all', 'ConsolidationLoop');
    };
    expect(await onKarpenter({}, 'Auto')).toMatchObject({
      status: 'True',
      reason: 'AdmissionDisabled',
      message: expect.stringContaining('set controller.admission.enabled'),
    });
    expect(await onKarpenter({}, 'Recommend')).toEqual({});
    expect(await onKarpenter({ admission: true }, 'Auto')).toEqual({});
  });

  test('with pace Hourly acts as Daily, with the reason in its condition, until evenkeel-autoscaler holds its lease; a change starts a cycle', async () => {
    const paces: string[] = [];
    world.onAdvise = (_, rules) => void paces.push(rules.get('main')?.pace ?? '');
    world.setPolicy('all', { mode: 'Auto', pace: 'Hourly', interval: '1d' });
    await world.run(MINUTE_MS);
    expect(condition('all', 'Ready')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('pace Hourly acts as Daily: evenkeel-autoscaler holds no lease: it is not running or has no leader'),
    });
    const cycles = world.cycleRecords.length;
    world.setAutoscalerLease({ isHeld: true });
    await world.run(MINUTE_MS);
    expect(condition('all', 'Ready').message).not.toContain('pace Hourly');
    expect(world.status(WEB).pace).toMatchObject({ effective: 'Hourly' });
    world.setAutoscalerLease(unreadableLease('403'));
    await world.run(MINUTE_MS);
    expect(condition('all', 'Ready').message).toContain('pace Hourly acts as Daily: the lease of evenkeel-autoscaler cannot be read: 403');
    expect(world.status(WEB).pace).toMatchObject({ effective: 'Daily' });
    expect(paces.filter((pace, index) => pace !== paces[index - 1])).toEqual(['Daily', 'Hourly', 'Daily']);
    expect(world.cycleRecords.length).toBe(cycles + 2);
  });

  test('has a cycle each interval, recorded in history', async () => {
    world.setPolicy('all', { interval: '10m' });
    await world.run(HOUR_MS);
    const cycles = world.cycleRecords.filter(({ id }) => id.endsWith('-all'));
    expect(cycles).toHaveLength(7);
    expect(cycles[0]).toMatchObject({
      evaluated: 1,
      byReason: {},
      savings: { potentialPerMonthUsd: expect.any(Number), realisedPerMonthUsd: null },
    });
  });

  test('writes an interval cycle to its status once, when it ends', async () => {
    world.setPolicy('all', { interval: '10m' });
    await world.run(15 * MINUTE_MS);
    world.diesAfterWrites = 100;
    await world.run(10 * MINUTE_MS);
    expect(100 - world.diesAfterWrites).toBe(1);
    expect(world.policy('all').status?.lastCycle).toMatchObject({ finishedAt: expect.any(String) });
  });

  test('starts a cycle by annotation, once for each value', async () => {
    world.setPolicy('all', { interval: '1d' });
    await world.run(MINUTE_MS);
    world.setPolicy('all', { interval: '1d' }, { 'evenkeel.io/trigger': 'cycle-42' });
    await world.run(HOUR_MS);
    expect(world.cycleRecords.filter(({ id }) => id === 'cycle-42')).toHaveLength(1);
    expect(world.policy('all').status).toMatchObject({ lastTrigger: 'cycle-42', lastCycle: { id: 'cycle-42', trigger: 'cycle-42' } });
    world.start();
    await world.run(HOUR_MS);
    expect(world.cycleRecords.filter(({ id }) => id === 'cycle-42')).toHaveLength(1);
  });

  test.each([
    ['an invalid cron expression', { windows: [{ start: '0 25 * * *', duration: '1h' }] }, 'InvalidSpec', 'spec.windows[0].start'],
    [
      'an unknown time zone',
      { windows: [{ start: '0 1 * * *', duration: '1h', timeZone: 'Mars/Base' }] },
      'InvalidSpec',
      'spec.windows[0].timeZone',
    ],
    ['an invalid glob', { namespaces: ['Team_*'] }, 'InvalidSpec', 'spec.namespaces[0]'],
    ['duration units in the wrong order', { cooldown: '30m1h' }, 'InvalidSpec', 'spec.cooldown'],
    ['a min above max', { cpu: { min: '3', max: '2' } }, 'InvalidSpec', 'spec.cpu.min'],
    ['OnRestart without admission', { apply: 'OnRestart' as const }, 'AdmissionRequired', 'controller.admission.enabled'],
    ['an error rate without Prometheus', { rollback: { onErrorRateQuery: 'up' } }, 'PrometheusRequired', 'prometheus.url'],
  ])('%s: not ready, with field and remedy, and no pod is resized', async (_, spec, reason, words) => {
    world.setPolicy('all', { mode: 'Auto', ...spec });
    await world.run(HOUR_MS);
    expect(condition('all', 'Ready')).toMatchObject({ status: 'False', reason, message: expect.stringContaining(words) });
    expect(world.cpus()).toEqual([500, 500, 500]);
    if (!('namespaces' in spec)) expect(world.status()).toMatchObject({ state: 'blocked', reason: 'invalid-policy' });
  });

  test('that yields to a more specific policy reports for how many workloads, and no conflict', async () => {
    world.setPolicy('by-namespace', { namespaces: ['shop'] });
    world.clock.advance(MINUTE_MS);
    world.setPolicy('by-label', { workloadSelector: { matchLabels: { app: 'web' } } });
    await world.run(10 * MINUTE_MS);
    expect(world.recommendation()?.spec.policyRef).toEqual({ name: 'by-label' });
    expect(condition('by-label', 'Conflicted')).toMatchObject({ status: 'False', reason: 'NoConflict' });
    expect(condition('by-namespace', 'Conflicted')).toMatchObject({ status: 'False', reason: 'NoConflict' });
    expect(condition('by-namespace', 'Ready')).toMatchObject({
      status: 'True',
      message: 'governs 0 workloads in mode Recommend; outranked for 1 (by-label 1)',
    });
  });

  test('and an equally specific one both report the conflict; the older one governs', async () => {
    world.setPolicy('older', { namespaces: ['shop'] });
    world.clock.advance(MINUTE_MS);
    world.setPolicy('younger', { namespaces: ['sh*'] });
    await world.run(10 * MINUTE_MS);
    expect(world.recommendation()?.spec.policyRef).toEqual({ name: 'older' });
    for (const [policy, other] of [
      ['older', 'younger'],
      ['younger', 'older'],
    ] as const) {
      expect(condition(policy, 'Conflicted')).toMatchObject({
        status: 'True',
        reason: 'EquallySpecific',
        message: expect.stringContaining(`which the oldest policy governs: 1 (${other} 1)`),
      });
    }
  });

  test.each([
    [{ namespaces: ['shopp'] }, 'spec.namespaces[0]: no namespace matches shopp; did you mean shop?'],
    [{ excludeNamespaces: ['prod-*'] }, 'spec.excludeNamespaces[0]: no namespace matches prod-*'],
    [{ namespaceSelector: { matchLabels: { team: 'x' } } }, 'spec.namespaceSelector: no namespace has these labels'],
    [{ workloadSelector: { matchLabels: { app: 'wbe' } } }, 'spec.workloadSelector: no workload is selected'],
    [{ containers: [{ name: 'mian' }] }, 'spec.containers[0].name: no container matches mian; did you mean main?'],
  ])('whose part matches nothing is ready and says so: %j', async (spec, message) => {
    world.setPolicy('all', spec);
    await world.run(10 * MINUTE_MS);
    expect(condition('all', 'Ready')).toMatchObject({
      status: 'True',
      reason: 'NoMatch',
      message: expect.stringContaining(`; ${message}`),
    });
  });

  test('whose container override names an injected container matches it', async () => {
    world.setPolicy('all', { containers: [{ name: 'istio-proxy' }] });
    world.cluster.podList = world.cluster.podList.map((pod) => ({
      ...pod,
      containers: [...pod.containers, { ...pod.containers[0]!, name: 'istio-proxy' }],
    }));
    await world.run(10 * MINUTE_MS);
    expect(condition('all', 'Ready')).toMatchObject({ status: 'True', reason: 'InForce' });
  });

  test('that is invalid says what happens to its workloads', async () => {
    world.setPolicy('all', { mode: 'Auto', cooldown: '1 hour' });
    await world.run(10 * MINUTE_MS);
    expect(condition('all', 'Ready').message).toMatch(
      /^spec\.cooldown.*; until it is valid, 1 workload that it governs get no new sizes; a change already made is still rolled back where it does harm$/,
    );
  });

  test('reports which of its fields this version does not act on', async () => {
    world.setPolicy('all', { cpu: { limit: { rule: 'None' } } });
    await world.run(MINUTE_MS);
    expect(condition('all', 'Ready').message).toContain(
      'does not act on limit.rule: None (acts as Keep without controller.admission.enabled)',
    );
  });

  test('paused: is not ready, and no pod is resized', async () => {
    world.setPolicy('all', { mode: 'Auto', paused: true });
    await world.run(HOUR_MS);
    expect(condition('all', 'Ready')).toMatchObject({ status: 'False', reason: 'Paused' });
    expect(world.cpus()).toEqual([500, 500, 500]);
  });

  test('reports the pause of every change with its reason and its end, and how to resume', async () => {
    world.setPolicy('all', { mode: 'Auto' });
    world.pause = { reason: 'investigating an incident', until: Date.UTC(2026, 10, 30, 14) };
    await world.run(HOUR_MS);
    expect(condition('all', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Paused',
      message:
        "Evenkeel is paused until 2026-11-30T14:00:00.000Z: investigating an incident (ConfigMap evenkeel-pause in Evenkeel's namespace; delete it to resume)",
    });
    world.pause = null;
    await world.run(HOUR_MS);
    expect(condition('all', 'Ready')).toMatchObject({ status: 'True' });
  });
});
