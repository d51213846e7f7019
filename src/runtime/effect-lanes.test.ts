import { describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../test/fakes/counting-metrics.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { INCREASE, LANES, REDUCING_ROLL_BACK, REDUCTION, type Effect, type EffectIntent, type Lane } from '../core/effects/effect.ts';
import { podRef } from '../core/model/object-ref.ts';
import type { SourceName } from '../core/model/stale-source.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { EffectWriter } from '../ports/cluster/writers.ts';
import { EffectGate } from './effects/effect-gate.ts';
import type { ReductionsPerMinute } from './effects/lane-budgets.ts';

type Urgency = Pick<EffectIntent, 'lane' | 'reliesOn' | 'direction'> & { readonly dryRun?: boolean };

const WARM_UP_MS: DurationMs = 10 * MINUTE_MS;
const SOURCES: readonly SourceName[] = ['informers', 'usage'];
const running = new AbortController().signal;

function anEffect(urgency: Urgency): Effect {
  return {
    kind: 'resize',
    target: podRef({ namespace: 'shop', name: 'web-1' }),
    uid: 'u',
    containers: [],
    owner: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    dryRun: false,
    ...urgency,
    change: 'main: cpu 500m → 100m',
    reason: 'over-provisioned',
  };
}

interface Gate {
  readonly clock: FakeClock;
  readonly metrics: CountingMetrics;
  /** `done`, or the reason why the effect was blocked. */
  readonly request: (urgency: Urgency) => Promise<string>;
}

interface GateOptions {
  readonly outage?: SourceName;
  readonly warmUpMs?: DurationMs;
  readonly reductionsPerMinute?: ReductionsPerMinute;
  readonly effects?: EffectWriter;
  readonly dryRunEffects?: EffectWriter;
}

const DONE: EffectWriter = { write: async () => ({ kind: 'done' }) };

function aGate({ outage, warmUpMs = 0, effects = DONE, dryRunEffects = DONE, ...options }: GateOptions): Gate {
  const clock = new FakeClock();
  const metrics = new CountingMetrics();
  const gate = new EffectGate({
    ...options,
    effects,
    dryRunEffects,
    clock,
    logger: new RecordingLogger(),
    metrics,
    dryRun: false,
    isLeader: () => true,
    activePause: () => null,
    sources: SOURCES.map((name) => ({ name, periodMs: MINUTE_MS, confirmedAt: () => (name === outage ? 0 : clock.now()) })),
    warmUpMs,
  });
  const request = async (urgency: Urgency): Promise<string> => {
    const outcome = await gate.carryOut(anEffect(urgency), running);
    return outcome.kind === 'blocked' ? outcome.reason : outcome.kind;
  };
  return { clock, metrics, request };
}

const ON_INFORMERS: readonly SourceName[] = ['informers'];

describe('An outage', () => {
  // Existing kinds of effects, and one of each lane that has none yet.
  test.each<[string, Urgency, Readonly<Record<SourceName, string>>]>([
    ['a raise after an OOM kill', INCREASE, { informers: 'stale-data', usage: 'done' }],
    ['a roll-back that lowers', REDUCING_ROLL_BACK, { informers: 'stale-data', usage: 'done' }],
    ['lane schedule', { lane: 'schedule', reliesOn: ON_INFORMERS, direction: 'reduce' }, { informers: 'stale-data', usage: 'done' }],
    [
      'lane interruption',
      { lane: 'interruption', reliesOn: ON_INFORMERS, direction: 'reduce' },
      { informers: 'stale-data', usage: 'done' },
    ],
    [
      'a restart that a user requested',
      { lane: 'user', reliesOn: ON_INFORMERS, direction: 'neutral' },
      { informers: 'stale-data', usage: 'done' },
    ],
    ['an optimizing reduction', REDUCTION, { informers: 'stale-data', usage: 'stale-data' }],
  ])('of informers or of usage, for %s', async (_, urgency, expected) => {
    for (const outage of SOURCES) expect([outage, await aGate({ outage }).request(urgency)]).toEqual([outage, expected[outage]]);
  });

  test('blocks effects that rely on its source, in every lane, and no others', async () => {
    for (const lane of LANES)
      for (const reliesOn of [[], ['informers'], ['usage'], SOURCES] as const)
        for (const outage of SOURCES) {
          const urgency = { lane, reliesOn, direction: 'reduce' } as const;
          const expected = (reliesOn as readonly SourceName[]).includes(outage) ? 'stale-data' : 'done';
          expect([urgency, outage, await aGate({ outage }).request(urgency)]).toEqual([urgency, outage, expected]);
        }
  });

  test('of usage during the warm-up delays no raise after an OOM kill', async () => {
    expect(await aGate({ outage: 'usage', warmUpMs: WARM_UP_MS }).request(INCREASE)).toBe('done');
  });
});

describe('The warm-up', () => {
  test.each(LANES)('in lane %s blocks only reductions of lane optimize', async (lane) => {
    for (const direction of ['increase', 'reduce', 'neutral'] as const) {
      const expected = lane === 'optimize' && direction === 'reduce' ? 'warm-up' : 'done';
      const { request } = aGate({ warmUpMs: WARM_UP_MS });
      expect([direction, await request({ lane, reliesOn: SOURCES, direction })]).toEqual([direction, expected]);
    }
  });
});

describe('The budget of a lane', () => {
  const reduction = (lane: Lane): Urgency => ({ lane, reliesOn: ON_INFORMERS, direction: 'reduce' });

  test.each(LANES)('%s blocks only its own reductions, and is free again after a minute', async (lane) => {
    const { request, clock, metrics } = aGate({ reductionsPerMinute: { [lane]: () => 1 } });
    expect(await request(reduction(lane))).toBe('done');
    for (const other of LANES) expect([other, await request(reduction(other))]).toEqual([other, other === lane ? 'budget' : 'done']);
    expect(await request({ ...reduction(lane), direction: 'increase' })).toBe('done');
    expect(metrics.total('evenkeel_effects_blocked_total', { lane, reason: 'budget' })).toBe(1);
    await clock.advance(MINUTE_MS);
    expect(await request(reduction(lane))).toBe('done');
  });

  test('is separate for policies in dry run', async () => {
    const { request } = aGate({ reductionsPerMinute: { optimize: () => 1 } });
    const dryRun = { ...REDUCTION, dryRun: true };
    expect([await request(dryRun), await request(dryRun)]).toEqual(['done', 'budget']);
    expect([await request(REDUCTION), await request(REDUCTION)]).toEqual(['done', 'budget']);
  });

  test('is counted by lane once it is exhausted', async () => {
    const { request, metrics } = aGate({ reductionsPerMinute: { optimize: () => 0 } });
    expect([await request(REDUCTION), await request(REDUCTION), await request(REDUCING_ROLL_BACK)]).toEqual(['budget', 'budget', 'done']);
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'optimize', reason: 'budget' })).toBe(2);
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'safety', reason: 'budget' })).toBe(0);
  });
});

test('reductions of lane optimize wait for effects of other lanes that are being sent; those wait for none', async () => {
  const sent: (() => void)[] = [];
  const write: EffectWriter['write'] = () => new Promise((resolve) => sent.push(() => resolve({ kind: 'done' })));
  for (const lane of LANES.filter((candidate) => candidate !== 'optimize')) {
    const { request, metrics } = aGate({ effects: { write } });
    const first = request(REDUCTION);
    const other = request({ lane, reliesOn: ON_INFORMERS, direction: 'reduce' });
    expect([lane, sent.length]).toEqual([lane, 2]);
    expect(await request(REDUCTION)).toBe('other-lanes');
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'optimize', reason: 'other-lanes' })).toBe(1);
    for (const end of sent.splice(0)) end();
    expect(await Promise.all([first, other])).toEqual(['done', 'done']);
  }
});

test('reductions do not wait for a dry run that is being sent', async () => {
  const { request } = aGate({ dryRunEffects: { write: () => new Promise(() => undefined) } });
  void request({ ...INCREASE, dryRun: true });
  expect(await request(REDUCTION)).toBe('done');
});
