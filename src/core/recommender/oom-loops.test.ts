// OOM loops that users of other recommenders reported, replayed.

import { describe, expect, test } from '@jest/globals';
import { aSample, aSeries, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, MiB } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import { ContainerModel } from './container-model.ts';
import { memoryLimitFor } from '../resize/plan/container/memory-limit.ts';

const RULES = DEFAULT_RECOMMENDER_RULES;

/** Runs a container that needs `needMiB(slot)` for some days under the advice. Returns its kills, limits and last request. */
function live(model: ContainerModel, days: number, from: number, needMiB: (slot: number) => number, max: number | null = null) {
  let [request, limit] = [128 * MiB, 160 * MiB];
  let lastLoweredAt: number | null = null;
  const limits: number[] = [];
  let kills = 0;
  for (let slot = 0; slot < days * 288; slot++) {
    const at = from + (slot + 1) * FIVE_MINUTES;
    const need = needMiB(slot) * MiB;
    if (need > limit) {
      kills += 1;
      model.observeOom(at, limit);
    }
    model.observe('p', aSample(at, 10, Math.min(need, limit) / MiB));
    const advice = model.advise('app', at + 31_000, { ...RULES, memory: { ...RULES.memory, max } });
    if (!advice?.memory) continue;
    request = advice.memory.target;
    const minLimitByKills = advice.oom?.killedPodNeed ?? 0;
    const evidence = advice.memoryEvidence;
    const decision = memoryLimitFor({ now: at, current: limit, request, ratio: 1.25, max, minLimitByKills, evidence, lastLoweredAt });
    if (decision.kind === 'lower') lastLoweredAt = at;
    limit = decision.limit;
    limits.push(limit);
  }
  return { kills, limits, request };
}

describe('OOM kills', () => {
  test('raise the limit from the limit at the kill, and the request from the highest usage', () => {
    const model = new ContainerModel();
    for (const sample of aSeries(
      2,
      () => 10,
      () => 100,
    ))
      model.observe('p', sample);
    const at = MONDAY + 2 * DAY_MS + FIVE_MINUTES;
    model.observeOom(at, 200 * MiB);
    const advice = model.advise('app', at, RULES);
    expect(advice?.oom).toMatchObject({ limitNeed: 0, killedPodNeed: 300 * MiB });
    model.observeOom(at + 60_000, 200 * MiB, 190 * MiB);
    const second = model.advise('app', at + 120_000, RULES);
    expect(second?.oom).toMatchObject({ limitNeed: 300 * MiB, killedPodNeed: 300 * MiB });
    expect(second?.memory?.target).toBe(300 * MiB);
  });

  test('of a container that outgrew its limit end after at most three, and the limit is not lowered to them again (#1574)', () => {
    const result = live(new ContainerModel(), 21, MONDAY, (slot) => (slot < 288 ? 100 : 380));
    expect(result.kills).toBeLessThanOrEqual(3);
    expect(Math.min(...result.limits.slice(-288))).toBeGreaterThan(380 * MiB);
  });

  test('under a ceiling that is too low do not inflate the advice (#9521)', () => {
    const model = new ContainerModel();
    const result = live(model, 10, MONDAY, () => 600, 256 * MiB);
    expect(result.kills).toBeGreaterThan(100);
    expect(Math.max(...result.limits)).toBeLessThanOrEqual(256 * MiB);
    const free = model.advise('app', MONDAY + 10 * DAY_MS, RULES);
    expect(free?.memory?.target).toBeLessThanOrEqual((256 + 100 + 1) * MiB);
  });

  test('expire after three days with lower peaks', () => {
    const model = new ContainerModel();
    for (const sample of aSeries(
      2,
      () => 10,
      () => 100,
    ))
      model.observe('p', sample);
    model.observeOom(MONDAY + 2 * DAY_MS, 200 * MiB);
    for (const sample of aSeries(
      6,
      () => 10,
      () => 100,
      MONDAY + 2 * DAY_MS,
    ))
      model.observe('p', sample);
    expect(model.advise('app', MONDAY + 4 * DAY_MS + 31_000, RULES)?.memoryEvidence?.minMemoryByKills ?? -1).toBeGreaterThanOrEqual(0);
    expect(model.advise('app', MONDAY + 8 * DAY_MS + 31_000, RULES)?.memoryEvidence?.minMemoryByKills).toBe(0);
  });
});
