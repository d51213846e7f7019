import { describe, expect, test } from '@jest/globals';
import { aSeries, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, MiB } from '#kube/units';
import type { UsageSample, UsageSeries } from '#kube/records/usage';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import { Recommender } from './recommender.ts';

const RULES = DEFAULT_RECOMMENDER_RULES;
const KEY = 'shop/Deployment/web';
const NOW = MONDAY + 3 * DAY_MS + 31_000;

function aHistory(pod: string, samples: readonly UsageSample[], change: Partial<UsageSeries> = {}): UsageSeries {
  const workload = { namespace: 'shop', kind: 'Deployment', name: 'web' };
  return { namespace: 'shop', pod, container: 'app', workload, stepSeconds: 300, samples, oomKills: [], ...change };
}

const wave = (index: number) => 200 + 100 * Math.sin(index / 20);

describe('Recommender', () => {
  test('gives the same advice after a backfill as after the same samples live', () => {
    const [a, b] = [aSeries(3, wave, wave), aSeries(3, (index) => wave(index) / 2, wave)];
    const live = new Recommender();
    for (const [index, sample] of a.entries()) {
      live.observe(KEY, 'app', 'a', sample);
      live.observe(KEY, 'app', 'b', b[index]!);
    }
    live.observeOom(KEY, 'app', MONDAY + DAY_MS, 250 * MiB);
    const past = new Recommender();
    const kill = { at: MONDAY + DAY_MS, memoryLimitBytes: 250 * MiB };
    expect(past.backfill([aHistory('b', b), aHistory('a', a, { oomKills: [kill] })])).toEqual({ taken: a.length * 2, dropped: 0 });
    const [fromLive] = live.advise(KEY, NOW, RULES);
    const [fromPast] = past.advise(KEY, NOW, RULES);
    expect(fromPast?.cpu).toEqual(fromLive?.cpu);
    expect(fromPast?.oomKills).toBe(1);
    expect(fromPast?.coverage).toBe(1);
  });

  test('gives the same advice for one-minute samples and their 5-minute means', () => {
    const minutes = Array.from({ length: 3 * 1440 }, (_, index) => ({
      at: MONDAY + (index + 1) * 60_000,
      cpuMillicores: wave(Math.floor(index / 5)) + ((index % 5) - 2) * 10,
      memoryBytes: (wave(Math.floor(index / 5)) - (index % 5)) * MiB,
    }));
    const live = new Recommender();
    for (const sample of minutes) live.observe(KEY, 'app', 'a', sample);
    const past = new Recommender();
    past.backfill([aHistory('a', aSeries(3, wave, wave))]);
    expect(live.advise(KEY, NOW, RULES)[0]?.memory?.target).toBe(past.advise(KEY, NOW, RULES)[0]?.memory?.target);
    expect(live.advise(KEY, NOW, RULES)[0]?.cpu?.target).toBe(past.advise(KEY, NOW, RULES)[0]?.cpu?.target);
  });

  test('does not count a history twice', () => {
    const recommender = new Recommender();
    recommender.backfill([aHistory('a', aSeries(3, wave, wave))]);
    const before = recommender.advise(KEY, NOW, RULES);
    recommender.backfill([aHistory('a', aSeries(3, wave, wave))]);
    expect(recommender.advise(KEY, NOW, RULES)).toEqual(before);
  });

  test('a late history replaces the model, and kills since then are kept', () => {
    const past = aSeries(3, wave, wave);
    const late = new Recommender();
    for (const sample of past.slice(-24)) late.observe(KEY, 'app', 'a', sample);
    late.observeOom(KEY, 'app', past.at(-20)!.at, 250 * MiB);
    late.backfill([aHistory('a', past)]);
    const early = new Recommender();
    early.backfill([aHistory('a', past)]);
    expect(late.advise(KEY, NOW, RULES)[0]?.cpu?.target).toBe(early.advise(KEY, NOW, RULES)[0]?.cpu?.target);
    expect(late.advise(KEY, NOW, RULES)[0]).toMatchObject({ oomKills: 1, firstSampleAt: past[0]?.at });
  });

  test('a late history that ends before the live usage does not hide it', () => {
    const past = aSeries(
      3,
      () => 100,
      () => 200,
    );
    const end = past.at(-1)!.at;
    const live = aSeries(
      1,
      () => 1500,
      () => 900,
    )
      .slice(0, 10)
      .map((sample, index) => ({ ...sample, at: end + (index + 1) * FIVE_MINUTES }));
    const recommender = new Recommender();
    for (const sample of live) recommender.observe(KEY, 'app', 'a', sample);
    recommender.backfill([aHistory('a', past)]);
    const advice = recommender.advise(KEY, live.at(-1)!.at + 31_000, RULES)[0]!;
    expect(advice).toMatchObject({ firstSampleAt: past[0]!.at, lastSampleAt: live.at(-1)!.at });
    expect(advice.memory!.recentPeak).toBeGreaterThanOrEqual(900 * MiB * 0.999);
    expect(advice.usage.max.cpuMillicores).toBeGreaterThanOrEqual(1500);
  });

  test('a history that ended long ago does not replace live samples', () => {
    const series = aSeries(3, wave, wave);
    const recommender = new Recommender();
    for (const sample of series.slice(-288)) recommender.observe(KEY, 'app', 'a', sample);
    recommender.backfill([aHistory('a', series.slice(0, 288))]);
    expect(recommender.advise(KEY, NOW, RULES)[0]).toMatchObject({ firstSampleAt: series.at(-288)?.at, lastSampleAt: series.at(-1)?.at });
  });

  test('gives an hourly history full coverage', () => {
    const recommender = new Recommender();
    const hourly = aSeries(3, wave, wave).filter((_, index) => index % 12 === 11);
    recommender.backfill([aHistory('a', hourly, { stepSeconds: 3600 })]);
    expect(recommender.advise(KEY, NOW, RULES)[0]?.coverage).toBe(1);
  });

  test('ignores histories without a workload', () => {
    const recommender = new Recommender();
    expect(recommender.backfill([aHistory('a', aSeries(1, wave, wave), { workload: null })]).taken).toBe(0);
    expect([...recommender.workloads()]).toEqual([]);
  });

  test('advises containers in order of name, each by its own rules', () => {
    const recommender = new Recommender();
    recommender.backfill([
      aHistory('a', aSeries(3, wave, wave), { container: 'web' }),
      aHistory('a', aSeries(3, wave, wave), { container: 'agent' }),
    ]);
    const advice = recommender.advise(KEY, NOW, (name) => ({ ...RULES, cpu: { ...RULES.cpu, max: name === 'agent' ? 50 : null } }));
    expect(advice.map(({ container }) => container)).toEqual(['agent', 'web']);
    expect(advice[0]?.cpu?.target).toBe(50);
    expect(advice[1]?.cpu?.target).toBeGreaterThan(100);
  });

  test('returns checkpoints of changed containers, restores them, and deletes workloads', () => {
    const recommender = new Recommender();
    recommender.backfill([aHistory('a', aSeries(2, wave, wave))]);
    const checkpoints = recommender.changedSince(0).flatMap((key) => recommender.checkpointOf(key) ?? []);
    expect(checkpoints.map(({ key }) => key)).toEqual([`${KEY}/app`]);
    expect(recommender.changedSince(recommender.sequence)).toEqual([]);
    const other = new Recommender();
    expect(checkpoints.every((checkpoint) => other.restore(checkpoint))).toBe(true);
    expect(other.restore({ ...checkpoints[0]!, version: 99 })).toBe(false);
    const now = MONDAY + 2 * DAY_MS + 31_000;
    expect(other.advise(KEY, now, RULES)[0]?.memory?.target).toBe(recommender.advise(KEY, now, RULES)[0]?.memory?.target);
    expect(other.forget(KEY)).toEqual([`${KEY}/app`]);
    expect(other.advise(KEY, now, RULES)).toEqual([]);
  });
});

describe('A checkpoint restored late', () => {
  const past = aSeries(
    14,
    () => 100,
    () => 200,
  );
  const end = past.at(-1)!.at;
  const NEWER = 2;
  /** A recommender with two weeks of usage and version 1, as its checkpoints. */
  const stored = () => {
    const recommender = new Recommender();
    recommender.observeVersion(KEY, 1, past[0]!.at);
    for (const sample of past) recommender.observe(KEY, 'app', 'a', sample);
    return recommender.changedSince(0).flatMap((key) => recommender.checkpointOf(key) ?? []);
  };
  /** 50 minutes after them, whose last usage is quiet. */
  const later = (recommender: Recommender) => {
    for (let slot = 1; slot <= 10; slot += 1) {
      const [cpu, memory] = slot <= 6 ? [1500, 900 * MiB] : [100, 200 * MiB];
      recommender.observe(KEY, 'app', 'a', { ...past[0]!, at: end + slot * FIVE_MINUTES, cpuMillicores: cpu, memoryBytes: memory });
    }
  };
  const now = end + 10 * FIVE_MINUTES + 31_000;
  const adviseOf = (recommender: Recommender) => recommender.advise(KEY, now, RULES)[0]!;

  test('keeps the usage, the kills and the roll-out of the time before it', () => {
    const late = new Recommender();
    late.observeVersion(KEY, 1, end);
    later(late);
    late.observeOom(KEY, 'app', end + FIVE_MINUTES, 1000 * MiB);
    late.observeVersion(KEY, NEWER, end + FIVE_MINUTES);
    for (const checkpoint of stored()) late.restore(checkpoint);

    const early = new Recommender();
    for (const checkpoint of stored()) early.restore(checkpoint);
    later(early);
    early.observeOom(KEY, 'app', end + FIVE_MINUTES, 1000 * MiB);
    early.observeVersion(KEY, NEWER, end + FIVE_MINUTES);

    const [advice, expected] = [adviseOf(late), adviseOf(early)];
    expect(advice.oomKills).toBe(1);
    expect(advice.cpu!.target).toBe(expected.cpu!.target);
    expect(advice.memory!.target).toBe(expected.memory!.target);
    expect(advice.cpu!.confidence).toBeLessThanOrEqual(expected.cpu!.confidence);
    expect(advice.firstSampleAt).toBe(expected.firstSampleAt);
  });

  test('is ignored by a model with as long a history that is newer, but for its kills', () => {
    const recommender = new Recommender();
    for (const checkpoint of stored()) recommender.restore(checkpoint);
    later(recommender);
    const before = adviseOf(recommender);
    for (const checkpoint of stored()) recommender.restore(checkpoint);
    expect(adviseOf(recommender)).toEqual(before);
  });

  test.each<[string, (recommender: Recommender) => void]>([
    ['before the checkpoint is restored', (recommender) => recommender.observeVersion(KEY, NEWER, end)],
    ['after it', () => undefined],
  ])('of another version than the one that runs is one of before a roll-out, where that is seen %s', (_, before) => {
    const confidenceOf = (version: number): number => {
      const recommender = new Recommender();
      if (version === NEWER) before(recommender);
      for (const checkpoint of stored()) recommender.restore(checkpoint);
      recommender.observeVersion(KEY, version, end);
      return recommender.advise(KEY, end + 31_000, RULES)[0]!.cpu!.confidence;
    };
    expect(confidenceOf(NEWER)).toBeLessThanOrEqual(confidenceOf(1) / 2);
  });

  test('has the usage of the slot that was open', () => {
    const spike = { ...past[0]!, at: end + FIVE_MINUTES, cpuMillicores: 1500, memoryBytes: 900 * MiB };
    const quiet = { ...past[0]!, at: end + 2 * FIVE_MINUTES };
    const running = new Recommender();
    for (const checkpoint of stored()) running.restore(checkpoint);
    running.observe(KEY, 'app', 'a', spike);
    const restarted = new Recommender();
    for (const key of running.changedSince(0)) restarted.restore(running.checkpointOf(key)!);
    const targets = [running, restarted].map((recommender) => {
      recommender.observe(KEY, 'app', 'a', quiet);
      const { cpu, memory, cpuHigh } = recommender.advise(KEY, quiet.at + FIVE_MINUTES + 31_000, RULES)[0]!;
      return [cpu!.target, memory!.target, cpuHigh!.millicores];
    });
    expect(targets[1]).toEqual(targets[0]);
    expect(targets[0]![2]).toBe(1500);
  });

  test.each<[string, number]>([
    ['missed hours that the checkpoint has', 0],
    ['began shortly after the checkpoint', 6],
  ])('has the usage that a newer model has not: it %s', (_, after) => {
    const spike = { ...past[0]!, at: end + FIVE_MINUTES, cpuMillicores: 1500, memoryBytes: 900 * MiB };
    const saved = new Recommender();
    const live = new Recommender();
    for (const recommender of [saved, live]) for (const sample of after === 0 ? past : []) recommender.observe(KEY, 'app', 'a', sample);
    saved.observe(KEY, 'app', 'a', spike);
    for (let slot = 2; slot <= 10; slot += 1) {
      const sample = { ...past[0]!, at: end + slot * FIVE_MINUTES };
      if (slot <= 9) saved.observe(KEY, 'app', 'a', sample);
      if (slot === 10 || (after > 0 && slot >= after)) live.observe(KEY, 'app', 'a', sample);
    }
    for (const key of saved.changedSince(0)) live.restore(saved.checkpointOf(key)!);
    const { cpuHigh, memory } = live.advise(KEY, now, RULES)[0]!;
    expect(cpuHigh!.millicores).toBe(1500);
    expect(memory!.recentPeak).toBeGreaterThanOrEqual(900 * MiB * 0.999);
  });

  test('has the usage of the slot that is open in both', () => {
    const saved = new Recommender();
    for (const sample of past) saved.observe(KEY, 'app', 'a', sample);
    saved.observe(KEY, 'app', 'a', { ...past[0]!, at: end + FIVE_MINUTES - 20_000, cpuMillicores: 1500, memoryBytes: 900 * MiB });
    const live = new Recommender();
    live.observe(KEY, 'app', 'a', { ...past[0]!, at: end + FIVE_MINUTES - 10_000 });
    for (const key of saved.changedSince(0)) live.restore(saved.checkpointOf(key)!);
    const { cpuHigh, memory } = live.advise(KEY, end + 2 * FIVE_MINUTES + 31_000, RULES)[0]!;
    expect(cpuHigh!.millicores).toBe(1500);
    expect(memory!.recentPeak).toBeGreaterThanOrEqual(900 * MiB * 0.999);
  });

  test('with kills alone leaves the usage of the live model as it is', () => {
    const killed = new Recommender();
    killed.observeOom(KEY, 'app', end, 1000 * MiB);
    const live = new Recommender();
    for (const sample of past) live.observe(KEY, 'app', 'a', sample);
    const before = live.advise(KEY, end + 31_000, RULES)[0]!;
    for (const key of killed.changedSince(0)) live.restore(killed.checkpointOf(key)!);
    const advice = live.advise(KEY, end + 31_000, RULES)[0]!;
    expect([advice.oomKills, advice.coverage, advice.cpu]).toEqual([1, before.coverage, before.cpu]);
  });
});
