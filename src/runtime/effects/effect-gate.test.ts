import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { INCREASE, REDUCTION, type Effect, type EffectIntent } from '../../core/effects/effect.ts';
import { podRef } from '../../core/model/object-ref.ts';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import type { TimelineEntry } from '../../ports/store/timeline.ts';
import type { EffectWriter, WriteOutcome } from '../../ports/cluster/writers.ts';
import { EffectGate, type EffectGateDependencies } from './effect-gate.ts';
import { NO_METRICS } from '../metrics.ts';

const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const intent: EffectIntent = {
  owner: web,
  ...REDUCTION,
  dryRun: false,
  change: 'main: cpu 500m → 100m',
  reason: 'over-provisioned',
};
const target = podRef({ namespace: 'shop', name: 'web-1' });
const reduction: Effect = { kind: 'resize', target, uid: 'u', containers: [], ...intent };
const increase: Effect = { ...reduction, ...INCREASE };
const eviction: Effect = { kind: 'evict', target, uid: 'u', ...intent };
const webTwo = podRef({ namespace: 'shop', name: 'web-2' });
const running = new AbortController().signal;

function aWriter(outcome: WriteOutcome, written: string[], name: string): EffectWriter {
  return {
    write: async () => {
      written.push(name);
      return outcome;
    },
  };
}

function aGate(dependencies: Partial<EffectGateDependencies> = {}) {
  const clock = new FakeClock();
  const written: string[] = [];
  const logger = new RecordingLogger();
  const gate = new EffectGate({
    effects: aWriter({ kind: 'done' }, written, 'real'),
    dryRunEffects: aWriter({ kind: 'dry-run' }, written, 'dry-run'),
    clock,
    logger,
    metrics: NO_METRICS,
    dryRun: false,
    isLeader: () => true,
    activePause: () => null,
    sources: (['informers', 'usage'] as const).map((name) => ({ name, periodMs: MINUTE_MS, confirmedAt: () => clock.now() })),
    warmUpMs: 0,
    ...dependencies,
  });
  return { gate, clock, written, logger };
}

describe('EffectGate', () => {
  test.each<[string, Partial<EffectGateDependencies>, Partial<EffectIntent>, readonly string[]]>([
    ['a real run writes', {}, {}, ['real']],
    ['the setting controller.dryRun sends only dry runs to the API server', { dryRun: true }, {}, ['dry-run']],
    ['a policy in dry run does the same', {}, { dryRun: true }, ['dry-run']],
    ['a follower writes nothing', { isLeader: () => false }, {}, []],
    ['the pause blocks every write', { activePause: () => ({ reason: 'incident', until: null }) }, {}, []],
    ['the warm-up blocks reductions', { warmUpMs: 10 * MINUTE_MS }, {}, []],
    ['the warm-up blocks no increase', { warmUpMs: 10 * MINUTE_MS }, INCREASE, ['real']],
  ])('%s', async (_, dependencies, urgency, expected) => {
    const { gate, written } = aGate(dependencies);
    await gate.carryOut({ ...reduction, ...urgency }, running);
    expect(written).toEqual(expected);
  });

  test('a dry run is reported once, and again when its change differs or after a day', async () => {
    const reported: TimelineEntry[] = [];
    const { gate, clock, written, logger } = aGate({ dryRun: true, timeline: { appendEntry: (value) => void reported.push(value) } });
    const lines = (): number => logger.lines.filter(({ level }) => level === 'info').length;
    for (let times = 0; times < 3; times += 1) {
      expect(await gate.carryOut(eviction, running)).toEqual(times === 0 ? { kind: 'dry-run' } : { kind: 'dry-run', repeated: true });
      await clock.advance(MINUTE_MS);
    }
    expect([lines(), reported.length, written.length]).toEqual([1, 1, 3]);
    await gate.carryOut({ ...eviction, change: 'main: cpu 500m → 120m' }, running);
    await gate.carryOut({ ...eviction, target: webTwo }, running);
    expect([lines(), reported.length]).toEqual([3, 3]);
    await clock.advance(DAY_MS);
    expect(await gate.carryOut({ ...eviction, target: webTwo }, running)).toEqual({ kind: 'dry-run' });
  });

  test('reductions of the cluster share one budget per minute; raises have none', async () => {
    const { gate, clock, written } = aGate({ reductionsPerMinute: { optimize: () => 2 } });
    for (let times = 0; times < 3; times += 1) await gate.carryOut(reduction, running);
    expect(written).toHaveLength(2);
    expect(await gate.carryOut({ ...reduction, owner: { ...web, namespace: 'other', name: 'api' } }, running)).toMatchObject({
      kind: 'blocked',
      reason: 'budget',
    });
    for (let times = 0; times < 100; times += 1) {
      expect(await gate.carryOut(increase, running)).toEqual({ kind: 'done' });
    }
    await clock.advance(MINUTE_MS);
    expect(await gate.carryOut(reduction, running)).toEqual({ kind: 'done' });
  });

  test('a reduction waits while a raise is being sent', async () => {
    const { gate } = aGate();
    const raise = gate.carryOut(increase, running);
    expect(await gate.carryOut(reduction, running)).toMatchObject({ kind: 'blocked', reason: 'other-lanes' });
    await raise;
    expect(await gate.carryOut(reduction, running)).toEqual({ kind: 'done' });
  });

  test('a reduction waits until the last announced raise was sent', async () => {
    const { gate } = aGate();
    const sent = gate.announceSafetyWrites();
    await gate.carryOut(increase, running);
    expect(await gate.carryOut(reduction, running)).toMatchObject({ kind: 'blocked', reason: 'other-lanes' });
    sent();
    expect(await gate.carryOut(reduction, running)).toEqual({ kind: 'done' });
  });

  test('when the term has ended, nothing is written', async () => {
    const { gate, written } = aGate();
    await expect(gate.carryOut(eviction, AbortSignal.abort(new Error('the lease was lost')))).rejects.toThrow('the lease was lost');
    expect(written).toEqual([]);
  });

  test('warms up again after an outage, also after one that ended before the next effect', async () => {
    let confirmedAt: (now: number) => number = (now) => now;
    const { gate, clock } = aGate({
      warmUpMs: 10 * MINUTE_MS,
      sources: [{ name: 'usage', periodMs: MINUTE_MS, confirmedAt: () => confirmedAt(clock.now()) }],
    });
    const cancel = gate.watch();
    await clock.advance(11 * MINUTE_MS);
    expect(gate.state().warmUpUntil).toBeNull();
    const lostAt = clock.now();
    confirmedAt = () => lostAt;
    await clock.advance(4 * MINUTE_MS);
    confirmedAt = (now) => now;
    await clock.advance(MINUTE_MS);
    expect(gate.state().warmUpUntil).not.toBeNull();
    await clock.advance(10 * MINUTE_MS);
    expect(gate.state().warmUpUntil).toBeNull();
    cancel();
    expect(clock.waiting).toBe(0);
  });

  test('an effect is recorded with the user who requested it, except refusals by a disruption budget and effects that the caller records', async () => {
    const recorded: TimelineEntry[] = [];
    const timeline = { appendEntry: (value: TimelineEntry) => void recorded.push(value) };
    const restart = { kind: 'restart', target: web, resourceVersion: '1', restartedAt: '2026-11-20T00:00:00Z', annotations: {} } as const;
    const { gate } = aGate({ timeline });
    await gate.carryOut({ ...intent, ...restart, change: 'restarted', actor: 'ann' }, running);
    await gate.carryOut({ ...reduction, recordedByCaller: true }, running);
    await gate.carryOut({ ...eviction, recordedByCaller: true }, running);
    const budget: WriteOutcome = { kind: 'refused', status: 429, message: 'disruption budget' };
    await aGate({ timeline, effects: aWriter(budget, [], 'real') }).gate.carryOut(eviction, running);
    expect(recorded).toMatchObject([
      {
        kind: 'resize',
        actor: 'ann',
        to: 'restarted',
        reason: 'over-provisioned',
        outcome: 'applied',
        namespace: 'shop',
        object: { kind: 'Deployment', name: 'web' },
        pod: null,
        container: null,
      },
    ]);
  });

  test('an effect for an object without a namespace is recorded for that object', async () => {
    const recorded: TimelineEntry[] = [];
    const { gate } = aGate({ timeline: { appendEntry: (value) => void recorded.push(value) } });
    const node = { apiVersion: 'v1', kind: 'Node', namespace: null, name: 'n1' };
    await gate.carryOut({ ...eviction, owner: node, lane: 'interruption', reliesOn: ['informers'] }, running);
    expect(recorded).toMatchObject([{ object: { kind: 'Node', name: 'n1' }, namespace: null, pod: 'web-1', outcome: 'applied' }]);
  });

  test('a refusal is logged with the API server’s message', async () => {
    const refused: WriteOutcome = { kind: 'refused', status: 403, message: 'exceeded quota' };
    const { gate, logger } = aGate({ effects: aWriter(refused, [], 'real') });
    await gate.carryOut(reduction, running);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'Resizing pod failed',
        fields: {
          object: 'shop/web-1',
          owner: 'shop/Deployment/web',
          change: 'main: cpu 500m → 100m',
          reason: 'over-provisioned',
          outcome: 'refused',
          status: 403,
          why: 'exceeded quota',
        },
      },
    ]);
  });
});
