import { describe, expect, test } from '@jest/globals';
import { CountingMetrics } from '../../test/fakes/counting-metrics.ts';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../test/fakes/recording-logger.ts';
import { INCREASE, LANES, REDUCING_ROLL_BACK, REDUCTION, type Effect, type EffectIntent, type Lane } from '../core/effects/effect.ts';
import { podRef } from '../core/model/object-ref.ts';
import type { SourceName } from '../core/model/stale-source.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { EffectWriter } from '../ports/writers.ts';
import { EffectGate } from './effect-gate.ts';
import type { ReductionsPerMinute } from './lane-budgets.ts';

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
  /** `done`, or the reason why it was held back. */
  readonly ask: (urgency: Urgency) => Promise<string>;
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
  const ask = async (urgency: Urgency): Promise<string> => {
    const outcome = await gate.carryOut(anEffect(urgency), running);
    return outcome.kind === 'blocked' ? outcome.reason : outcome.kind;
  };
  return { clock, metrics, ask };
}

const ON_INFORMERS: readonly SourceName[] = ['informers'];

describe('An outage', () => {
  // Kinds of effects that exist, and one of each lane that has none yet.
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
      'a restart that a user asked for',
      { lane: 'user', reliesOn: ON_INFORMERS, direction: 'neutral' },
      { informers: 'stale-data', usage: 'done' },
    ],
    ['a reduction that saves', REDUCTION, { informers: 'stale-data', usage: 'stale-data' }],
  ])('of informers or of usage, for %s', async (_, urgency, expected) => {
    for (const outage of SOURCES) expect([outage, await aGate({ outage }).ask(urgency)]).toEqual([outage, expected[outage]]);
  });

  test('holds back what relies on its source, whatever the lane, and nothing else', async () => {
    for (const lane of LANES)
      for (const reliesOn of [[], ['informers'], ['usage'], SOURCES] as const)
        for (const outage of SOURCES) {
          const asked = { lane, reliesOn, direction: 'reduce' } as const;
          const expected = (reliesOn as readonly SourceName[]).includes(outage) ? 'stale-data' : 'done';
          expect([asked, outage, await aGate({ outage }).ask(asked)]).toEqual([asked, outage, expected]);
        }
  });

  test('of usage during observation after a start delays no raise after an OOM kill', async () => {
    expect(await aGate({ outage: 'usage', warmUpMs: WARM_UP_MS }).ask(INCREASE)).toBe('done');
  });
});

describe('Observation after a start', () => {
  test.each(LANES)('in lane %s holds back reductions of lane optimize alone', async (lane) => {
    for (const direction of ['increase', 'reduce', 'neutral'] as const) {
      const expected = lane === 'optimize' && direction === 'reduce' ? 'warm-up' : 'done';
      const { ask } = aGate({ warmUpMs: WARM_UP_MS });
      expect([direction, await ask({ lane, reliesOn: SOURCES, direction })]).toEqual([direction, expected]);
    }
  });
});

describe('The budget of a lane', () => {
  const reduction = (lane: Lane): Urgency => ({ lane, reliesOn: ON_INFORMERS, direction: 'reduce' });

  test.each(LANES)('%s holds back its own reductions alone, and is free again after a minute', async (lane) => {
    const { ask, clock, metrics } = aGate({ reductionsPerMinute: { [lane]: () => 1 } });
    expect(await ask(reduction(lane))).toBe('done');
    for (const each of LANES) expect([each, await ask(reduction(each))]).toEqual([each, each === lane ? 'budget' : 'done']);
    expect(await ask({ ...reduction(lane), direction: 'increase' })).toBe('done');
    expect(metrics.total('evenkeel_effects_blocked_total', { lane, reason: 'budget' })).toBe(1);
    await clock.advance(MINUTE_MS);
    expect(await ask(reduction(lane))).toBe('done');
  });

  test('has another for policies in dry run, which take nothing from what is carried out', async () => {
    const { ask } = aGate({ reductionsPerMinute: { optimize: () => 1 } });
    const dryRun = { ...REDUCTION, dryRun: true };
    expect([await ask(dryRun), await ask(dryRun)]).toEqual(['done', 'budget']);
    expect([await ask(REDUCTION), await ask(REDUCTION)]).toEqual(['done', 'budget']);
  });

  test('says which one is used up', async () => {
    const { ask, metrics } = aGate({ reductionsPerMinute: { optimize: () => 0 } });
    expect([await ask(REDUCTION), await ask(REDUCTION), await ask(REDUCING_ROLL_BACK)]).toEqual(['budget', 'budget', 'done']);
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'optimize', reason: 'budget' })).toBe(2);
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'safety', reason: 'budget' })).toBe(0);
  });
});

test('reductions of lane optimize wait for effects of every other lane that are being sent, and those wait for none', async () => {
  const sent: (() => void)[] = [];
  const write: EffectWriter['write'] = () => new Promise((resolve) => sent.push(() => resolve({ kind: 'done' })));
  for (const lane of LANES.filter((each) => each !== 'optimize')) {
    const { ask, metrics } = aGate({ effects: { write } });
    const first = ask(REDUCTION);
    const other = ask({ lane, reliesOn: ON_INFORMERS, direction: 'reduce' });
    expect([lane, sent.length]).toEqual([lane, 2]);
    expect(await ask(REDUCTION)).toBe('other-lanes');
    expect(metrics.total('evenkeel_effects_blocked_total', { lane: 'optimize', reason: 'other-lanes' })).toBe(1);
    for (const end of sent.splice(0)) end();
    expect(await Promise.all([first, other])).toEqual(['done', 'done']);
  }
});

test('reductions wait for no dry run that is under way', async () => {
  const { ask } = aGate({ dryRunEffects: { write: () => new Promise(() => undefined) } });
  void ask({ ...INCREASE, dryRun: true });
  expect(await ask(REDUCTION)).toBe('done');
});
