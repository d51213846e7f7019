import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aSample, aSeries, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, GiB, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const RULES = DEFAULT_RECOMMENDER_RULES;
const SETTLE_MS = 31_000;

function learned(samples: readonly UsageSample[], pod = 'p'): ContainerModel {
  const model = new ContainerModel();
  for (const sample of samples) model.observe(pod, sample);
  return model;
}

function adviceAfter(samples: readonly UsageSample[], rules: RecommenderRules = RULES): ContainerAdvice {
  const advice = learned(samples).advise('app', (samples.at(-1)?.at ?? 0) + SETTLE_MS, rules);
  if (advice === null) throw new Error('no advice');
  return advice;
}

const day = (index: number) => Math.sin((index / 288) * 2 * Math.PI);
/** Reproducible noise, 0–1. */
const noise = (index: number) => (((index * 7919) % 1009) + 0.5) / 1009;

describe('advice', () => {
  test('has not enough history before CPU has a target: both resources are approved and changed together', () => {
    const samples = Array.from({ length: 25 }, (_each, index) => aSample(MONDAY + (index + 1) * FIVE_MINUTES, 100, 100));
    const memoryAlone = samples.map((sample) => ({ ...sample, cpuMillicores: null }));
    const cpuLate = [...memoryAlone.slice(0, 13), ...samples.slice(13)];
    expect(adviceAfter(cpuLate.slice(0, 20))).toMatchObject({ cpu: null, enoughHistory: false });
    expect(adviceAfter(cpuLate).enoughHistory).toBe(true);
    // A source that never reports CPU does not delay memory.
    expect(adviceAfter(memoryAlone.slice(0, 20))).toMatchObject({ cpu: null, enoughHistory: true });
  });

  test('is null without usage, and has no CPU target before the first full hour', () => {
    expect(new ContainerModel().advise('app', MONDAY, RULES)).toBeNull();
    expect(adviceAfter([aSample(MONDAY + FIVE_MINUTES, 100, 100)]).cpu).toBeNull();
  });

  test.each([
    ['before it was ever measured', 0],
    ['within its first hour', 5],
  ])('after two kills %s recommends more than the limit, within the ceiling, and nothing for CPU', (_, samples) => {
    const model = learned(Array.from({ length: samples }, (_each, index) => aSample(MONDAY + (index + 1) * FIVE_MINUTES, 100, 90)));
    const killedAt = MONDAY + samples * FIVE_MINUTES + 60_000;
    model.observeOom(killedAt - 30_000, 100 * MiB);
    model.observeOom(killedAt, 100 * MiB);
    const advice = model.advise('app', killedAt + SETTLE_MS, RULES);
    expect([advice?.cpu, advice?.memory?.target, advice?.memory?.lowerBound]).toEqual([null, 200 * MiB, 200 * MiB]);
    expect(advice).toMatchObject({ enoughHistory: false, oomKills: 2, lastOomAt: killedAt, oom: { limitNeed: 200 * MiB }, samples });
    expect(advice?.memory?.steps.at(-1)).toMatchObject({ step: 'oom', detail: expect.stringContaining('an OOM kill at the limit showed') });
    const bounded = { ...RULES, memory: { ...RULES.memory, max: 150 * MiB } };
    expect(model.advise('app', killedAt + SETTLE_MS, bounded)?.memory?.target).toBe(150 * MiB);
    // A checkpoint has the kills.
    expect(ContainerModel.restore(model.checkpoint())?.advise('app', killedAt + SETTLE_MS, RULES)?.memory?.target).toBe(200 * MiB);
  });

  test('on steady usage is a little above it', () => {
    const advice = adviceAfter(
      aSeries(
        8,
        () => 200,
        () => 300,
      ),
    );
    expect(advice.cpu?.target).toBeGreaterThanOrEqual(200);
    expect(advice.cpu?.target).toBeLessThanOrEqual(225);
    expect(advice.memory?.target).toBeGreaterThanOrEqual(300 * MiB);
    expect(advice.memory?.target).toBeLessThanOrEqual(340 * MiB);
  });

  test.each([
    ['Hourly', 'follows', 0, 0.6],
    ['Daily', 'does not follow', 0.9, 1.1],
  ] as const)('at pace %s CPU %s a daily pattern down at night', (pace, _, min, max) => {
    const usage = (index: number) => 500 + 400 * day(index) + 20 * noise(index);
    const peak = adviceAfter(
      aSeries(10.2, usage, () => 100),
      { ...RULES, pace },
    );
    const night = adviceAfter(
      aSeries(10.7, usage, () => 100),
      { ...RULES, pace },
    );
    const share = (night.cpu?.target ?? 0) / (peak.cpu?.target ?? 0);
    expect(share).toBeGreaterThanOrEqual(min);
    expect(share).toBeLessThan(max);
  });

  test('rises inside the hour when CPU exceeds the target, and explains it', () => {
    const samples = [
      ...aSeries(
        8,
        () => 100,
        () => 100,
      ),
      aSample(MONDAY + 8 * DAY_MS + FIVE_MINUTES, 400, 100),
    ];
    const advice = adviceAfter(samples);
    expect(advice.cpu?.target).toBe(440);
    expect(advice.cpu?.steps.map((step) => step.step)).toContain('increase');
    expect(advice.cpu?.lowerBound).toBeGreaterThanOrEqual(400);
  });

  test('rises at once when memory exceeds the target, before the slot ends', () => {
    const model = learned(
      aSeries(
        8,
        () => 100,
        () => 100,
      ),
    );
    const at = MONDAY + 8 * DAY_MS + 60_000;
    model.observe('p', aSample(at, 100, 200));
    expect(model.advise('app', at + 1, RULES)?.memory?.target).toBe(212 * MiB);
  });

  test('is repeatable', () => {
    const model = learned(
      aSeries(
        3,
        (index) => 100 * (1 + noise(index)),
        () => 100,
      ),
    );
    const now = MONDAY + 3 * DAY_MS + SETTLE_MS;
    expect(model.advise('app', now, RULES)).toEqual(model.advise('app', now, RULES));
  });

  test('honours floor, ceiling, and a fixed percentile with its margin', () => {
    const samples = aSeries(
      3,
      () => 200,
      () => 300,
    );
    const fixed = (cpu: Partial<RecommenderRules['cpu']>) => adviceAfter(samples, { ...RULES, cpu: { ...RULES.cpu, ...cpu } }).cpu;
    expect(fixed({ min: 400 })?.target).toBe(400);
    expect(fixed({ max: 50 })?.target).toBe(50);
    const percentile = fixed({ percentile: 0.5, margin: 0.5 })?.target ?? 0;
    expect(percentile).toBeGreaterThan(290);
    expect(percentile).toBeLessThan(315);
  });

  test('rises from goal Savings to Safe', () => {
    const samples = aSeries(
      10,
      (index) => 100 + (noise(index) > 0.97 ? 300 : 50 * noise(index)),
      () => 100,
    );
    const targets = (['Savings', 'Balanced', 'Safe'] as const).map(
      (goal) => adviceAfter(samples, { ...RULES, cpu: { ...RULES.cpu, goal } }).cpu?.target ?? 0,
    );
    expect(targets).toEqual([...targets].sort((a, b) => a - b));
  });
});

describe('the steps of an explanation', () => {
  test('lead to the target exactly, whatever the usage and the rules', () => {
    const rules = fc.record({
      goal: fc.constantFrom('Savings' as const, 'Balanced' as const, 'Safe' as const),
      percentile: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true })),
      margin: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      min: fc.integer({ min: 1, max: 500 }),
      max: fc.option(fc.integer({ min: 500, max: 5000 })),
    });
    const usage = fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 30, maxLength: 200 });
    fc.assert(
      fc.property(rules, usage, fc.boolean(), (cpu, values, killed) => {
        const model = learned(values.map((value, index) => aSample(MONDAY + (index + 1) * FIVE_MINUTES, value, value)));
        if (killed) model.observeOom(MONDAY + values.length * FIVE_MINUTES, 5 * GiB);
        const now = MONDAY + values.length * FIVE_MINUTES + SETTLE_MS;
        const advice = model.advise('app', now, { ...RULES, cpu });
        for (const resource of [advice?.cpu, advice?.memory]) {
          if (!resource) throw new Error('no advice');
          expect(resource.steps.at(-1)?.total).toBe(resource.target);
          expect(resource.steps.every((step) => Number.isInteger(step.total) && step.detail !== '')).toBe(true);
          expect(resource.lowerBound).toBeLessThanOrEqual(resource.target);
          expect(resource.upperBound).toBeGreaterThanOrEqual(resource.target);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('the model', () => {
  test('does not depend on later usage: truncating the samples never changes earlier advice', () => {
    const values = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 40, maxLength: 160 });
    fc.assert(
      fc.property(values, fc.integer({ min: 14, max: 39 }), (usage, cut) => {
        const decide = (length: number) => {
          const model = new ContainerModel();
          const targets: (number | undefined)[] = [];
          for (const [index, value] of usage.slice(0, length).entries()) {
            const at = MONDAY + (index + 1) * FIVE_MINUTES;
            model.observe('p', aSample(at, value, value));
            const advice = model.advise('app', at + SETTLE_MS, RULES);
            targets.push(advice?.cpu?.target, advice?.memory?.target);
          }
          return targets;
        };
        expect(decide(usage.length).slice(0, 2 * cut)).toEqual(decide(cut));
      }),
      { numRuns: 15 },
    );
  });

  test('survives a restart: a checkpoint gives the same advice within the resolution of its codes, in at most 12 KiB', () => {
    const samples = aSeries(
      20,
      (index) => 300 + 200 * day(index) + 80 * noise(index),
      (index) => 400 + 100 * day(index) + 30 * noise(index * 3),
    );
    const model = learned(samples);
    model.observeOom(MONDAY + 19 * DAY_MS, 500 * MiB);
    const bytes = model.checkpoint();
    expect(bytes.byteLength).toBeLessThanOrEqual(12 * 1024);
    const restored = ContainerModel.restore(bytes);
    const now = MONDAY + 20 * DAY_MS + SETTLE_MS;
    const [before, after] = [model.advise('app', now, RULES), restored?.advise('app', now, RULES)];
    expect(after?.memoryEvidence?.peakEver).toBe(before?.memoryEvidence?.peakEver);
    expect(after?.oomKills).toBe(1);
    expect(Math.abs((after?.cpu?.target ?? 0) / (before?.cpu?.target ?? 1) - 1)).toBeLessThan(0.01);
    expect(after?.memory?.target).toBe(before?.memory?.target);
    expect(after?.confidence).toBeCloseTo(before?.confidence ?? -1, 2);
  });

  test.each([
    ['of another version', new Uint8Array([99, 1, 2, 3])],
    ['that is truncated', new ContainerModel().checkpoint().subarray(0, 40)],
    ['that is empty', new Uint8Array()],
  ])('is not restored from a checkpoint %s', (_, bytes) => {
    expect(ContainerModel.restore(bytes)).toBeNull();
  });

  test('drops and counts samples that are implausible, late or repeated', () => {
    const model = learned(
      aSeries(
        1,
        () => 100,
        () => 100,
      ),
    );
    const last = MONDAY + DAY_MS;
    const rejected = [
      aSample(last + FIVE_MINUTES, NaN, null),
      aSample(last + FIVE_MINUTES, -1, -5),
      aSample(last + FIVE_MINUTES, Infinity, null),
      aSample(last + FIVE_MINUTES, 1e12, null),
      aSample(NaN, 100, 100),
      aSample(last - HOUR_MS, 5000, 5000),
    ];
    for (const sample of rejected) expect(model.observe('p', sample)).toBe(false);
    expect(model.observe('p', aSample(last + FIVE_MINUTES, 100, 100))).toBe(true);
    expect(model.observe('p', aSample(last + FIVE_MINUTES, 900, 900))).toBe(false);
    const advice = model.advise('app', last + FIVE_MINUTES + SETTLE_MS, RULES);
    expect(advice?.droppedSamples).toBe(7);
    expect(advice?.samples).toBe(289);
    expect(advice?.usage.max.cpuMillicores).toBe(100);
  });

  test('reports dropped usage, as after the clock was set back, until a sample counts again', () => {
    const model = learned(
      aSeries(
        1,
        () => 100,
        () => 100,
      ),
    );
    const last = MONDAY + DAY_MS;
    const isLeftOut = () => model.advise('app', last + HOUR_MS, RULES)?.isUsageLeftOut;
    expect(isLeftOut()).toBe(false);
    model.observe('p', aSample(last - HOUR_MS, 5000, 5000));
    expect(isLeftOut()).toBe(true);
    model.observe('p', aSample(last + FIVE_MINUTES, 100, 100));
    expect(isLeftOut()).toBe(false);
  });

  /** A day of two replicas with a sample each minute; the times of the busy one lag. */
  function withLateReplica(lagMs: number) {
    const model = new ContainerModel();
    for (let at = MONDAY; at <= MONDAY + DAY_MS; at += MINUTE_MS) {
      model.observe('late', aSample(at - lagMs, 2000, 900));
      model.observe('p', aSample(at, 100, 300));
    }
    return model.advise('app', MONDAY + DAY_MS, RULES);
  }

  test.each([1, 2.5, 4, 6, 10, 15])('a replica whose times lag by %d minutes counts like one with correct times', (minutes) => {
    const [advice, punctual] = [withLateReplica(minutes * MINUTE_MS), withLateReplica(0)];
    expect([advice?.droppedSamples, advice?.isUsageLeftOut]).toEqual([0, false]);
    expect(advice?.cpu?.target).toBe(punctual?.cpu?.target);
    expect(advice?.memory?.target).toBe(punctual?.memory?.target);
    expect(advice?.memory?.target).toBeGreaterThanOrEqual(900 * MiB);
  });

  test('usage of a replica whose times lag by more is dropped, also when another replica is read last', () => {
    expect(withLateReplica(HOUR_MS)?.isUsageLeftOut).toBe(true);
  });

  test('a deleted replica with dropped usage is reported for an hour', () => {
    const model = new ContainerModel();
    const isLeftOut = (minutes: number) => {
      model.observe('p', aSample(MONDAY + minutes * MINUTE_MS, 100, 300));
      return model.advise('app', MONDAY + minutes * MINUTE_MS, RULES)?.isUsageLeftOut;
    };
    isLeftOut(0);
    model.observe('late', aSample(MONDAY - HOUR_MS, 2000, 900));
    const minutes = Array.from({ length: 24 }, (_, index) => 5 * (index + 1));
    expect(minutes.filter((minute) => isLeftOut(minute) === true).at(-1)).toBe(60);
  });

  test('recorded samples count only in order of time', () => {
    const model = new ContainerModel();
    model.observe('p', aSample(MONDAY, 100, 300), false);
    expect(model.observe('q', aSample(MONDAY - FIVE_MINUTES, 100, 300), false)).toBe(false);
  });

  /** Advice after three days of twenty replicas, one of them busy. @param busyPod index of the busy pod by hour */
  function adviceOf(busyPod: (hour: number) => number) {
    const model = new ContainerModel();
    for (let index = 0; index < 3 * 288; index++) {
      const at = MONDAY + (index + 1) * FIVE_MINUTES;
      for (let pod = 0; pod < 20; pod++) {
        const isBusy = pod === busyPod(Math.floor(index / 12));
        model.observe(`p${pod}`, aSample(at, isBusy ? 2000 : 100, isBusy ? 900 : 300));
      }
    }
    return model.advise('app', MONDAY + 3 * DAY_MS + SETTLE_MS, RULES);
  }

  test('comes from the replica with the highest CPU and the largest memory', () => {
    const advice = adviceOf(() => 19);
    expect(advice?.cpu?.base).toBeGreaterThanOrEqual(2000);
    expect(advice?.memory?.target).toBeGreaterThanOrEqual(900 * MiB);
  });

  test('comes from the 90th percentile of the replicas for CPU where the highest changes from hour to hour', () => {
    const advice = adviceOf((hour) => hour % 20);
    expect(advice?.cpu?.target).toBeLessThan(150);
    expect(advice?.memory?.target).toBeGreaterThanOrEqual(900 * MiB);
  });
});

describe('throttling', () => {
  test('is a mean over the last day, and the throttled share counts as demand', () => {
    const samples = aSeries(
      3,
      () => 100,
      () => 100,
    );
    const throttled = adviceAfter(samples.map((sample) => ({ ...sample, throttledRatio: 0.5 })));
    expect(throttled.throttledRatio).toBeCloseTo(0.5, 5);
    expect(throttled.cpu?.target).toBeGreaterThanOrEqual(150);
    expect(adviceAfter(samples).throttledRatio).toBeNull();
  });
});

describe('memory evidence', () => {
  test('is ordered hour, day, history, and includes peaks older than the window', () => {
    const evidence = adviceAfter(
      aSeries(
        20,
        () => 10,
        (index) => (index === 300 ? 900 : 300 + 20 * noise(index)),
      ),
    ).memoryEvidence;
    expect(evidence?.peakEver).toBe(900 * MiB);
    expect(evidence?.peakEverAt).toBe(MONDAY + 301 * FIVE_MINUTES);
    const rising = [evidence?.peakHour, evidence?.peak24h, evidence?.peakEver].map((peak) => peak ?? -1);
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(evidence?.peak24h).toBeLessThan(330 * MiB);
    expect(evidence?.worstRecordRatio).toBeGreaterThan(2.8);
  });
});

describe('confidence', () => {
  test('is the product of coverage, span, calibration and freshness, with an explanation', () => {
    const full = adviceAfter(
      aSeries(
        14,
        () => 100,
        () => 100,
      ),
    );
    expect(full.confidence).toBeGreaterThan(0.95);
    expect(full.confidenceText).toContain('of the last 168 hours with usage; 14.0 days of history');
    const short = adviceAfter(
      aSeries(
        2,
        () => 100,
        () => 100,
      ),
    );
    expect(short.confidence).toBeLessThan(0.3);
    const holes = adviceAfter(
      aSeries(
        14,
        () => 100,
        () => 100,
      ).filter((_, index) => index % 2 === 0),
    );
    expect(holes.coverage).toBeCloseTo(0.5, 1);
    expect(holes.confidence).toBeLessThan(0.55);
  });

  test('is 0 on old data, and halved for a day after a roll-out', () => {
    const model = learned(
      aSeries(
        14,
        () => 100,
        () => 100,
      ),
    );
    const end = MONDAY + 14 * DAY_MS;
    expect(model.advise('app', end + HOUR_MS, RULES)?.confidence).toBe(0);
    const changed = learned(
      aSeries(
        14,
        () => 100,
        () => 100,
      ),
    );
    changed.observeRollout(end - HOUR_MS);
    expect(changed.advise('app', end + SETTLE_MS, RULES)?.confidence).toBeLessThan(0.5);
    expect(changed.advise('app', end + SETTLE_MS, RULES)?.confidenceText).toContain('new version');
  });

  test('allows a recommendation after an hour of usage', () => {
    const usageOf = (hours: number) =>
      aSeries(
        hours / 24,
        () => 100,
        () => 100,
      );
    expect(adviceAfter(usageOf(0.9)).enoughHistory).toBe(false);
    expect(adviceAfter(usageOf(1.2)).enoughHistory).toBe(true);
  });
});
