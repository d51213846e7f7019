import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { DEFAULT_RECOMMENDER_RULES } from '../advice.ts';
import { ContainerModel } from '../container-model.ts';
import type { EvidenceHour } from './evidence-hours.ts';
import { Recommender } from '../recommender.ts';

const WEEK = 7 * DAY_MS;
const SETTLE_MS = 31_000;

type Pressure = Partial<Pick<UsageSample, 'throttledRatio' | 'throttledSpanMs' | 'cpuPressureRatio' | 'memoryPressureRatio' | 'startedAt'>>;

/** Observes a sample each 5 minutes, with the evidence of its time. */
function live(model: ContainerModel, from: number, to: number, evidenceAt: (at: number) => Pressure, pod = 'p'): ContainerModel {
  for (let at = from + FIVE_MINUTES; at <= to; at += FIVE_MINUTES) model.observe(pod, { ...aSample(at, 100, 100), ...evidenceAt(at) });
  return model;
}

function hoursSince(model: ContainerModel, from: number, now: number): readonly EvidenceHour[] {
  return model.advise('app', now + SETTLE_MS, { ...DEFAULT_RECOMMENDER_RULES, evidenceSince: from })?.evidence ?? [];
}

describe('throttling and pressure by hour', () => {
  test('are those of closed hours, each with the same hour of the week before', () => {
    const model = live(new ContainerModel(), MONDAY, MONDAY + WEEK + 2 * HOUR_MS, (at) => ({
      throttledRatio: at <= MONDAY + HOUR_MS ? 0.1 : 0.2,
      cpuPressureRatio: at > MONDAY + WEEK ? 0.5 : 0,
    }));
    const now = MONDAY + WEEK + 2 * HOUR_MS;
    const evidence = { throttledRatio: 0.2, cpuPressureRatio: 0.5, memoryPressureRatio: null };
    expect(hoursSince(model, MONDAY + WEEK, now)).toEqual([
      { at: MONDAY + WEEK, ...evidence, weekBefore: { throttledRatio: 0.1, cpuPressureRatio: 0, memoryPressureRatio: null } },
      { at: MONDAY + WEEK + HOUR_MS, ...evidence, weekBefore: { throttledRatio: 0.2, cpuPressureRatio: 0, memoryPressureRatio: null } },
    ]);
    expect(hoursSince(model, MONDAY + WEEK + 1, now).map(({ at }) => at)).toEqual([MONDAY + WEEK + HOUR_MS]);
    expect(model.advise('app', now, DEFAULT_RECOMMENDER_RULES)?.evidence).toBeUndefined();
  });

  test('are null, and not 0, for an hour without measurements', () => {
    const model = live(new ContainerModel(), MONDAY, MONDAY + HOUR_MS, () => ({ cpuPressureRatio: 0.3 }));
    live(model, MONDAY + 2 * HOUR_MS, MONDAY + 4 * HOUR_MS, (at) => (at > MONDAY + 3 * HOUR_MS ? { cpuPressureRatio: 0 } : {}));
    expect(hoursSince(model, MONDAY, MONDAY + 4 * HOUR_MS).map(({ cpuPressureRatio }) => cpuPressureRatio)).toEqual([0.3, null, null, 0]);
  });

  test('are the mean over the hour of the highest replica in each slot', () => {
    const model = new ContainerModel();
    for (let at = MONDAY + FIVE_MINUTES; at <= MONDAY + HOUR_MS; at += FIVE_MINUTES) {
      const isLate = at > MONDAY + HOUR_MS / 2;
      model.observe('a', { ...aSample(at, 100, 100), memoryPressureRatio: isLate ? 0.4 : 0.1 });
      model.observe('b', { ...aSample(at, 100, 100), memoryPressureRatio: 0.2 });
    }
    expect(hoursSince(model, MONDAY, MONDAY + HOUR_MS)[0]?.memoryPressureRatio).toBeCloseTo(0.3, 2);
  });

  test('give the mean pressure of the last 24 hours, without older hours and unmeasured ones', () => {
    const cpuPressure = (model: ContainerModel, now: number) =>
      model.advise('app', now + SETTLE_MS, DEFAULT_RECOMMENDER_RULES)?.cpuPressureRatio;
    const end = MONDAY + 2 * DAY_MS;
    const model = live(new ContainerModel(), MONDAY, end, (at) => {
      if (at <= MONDAY + DAY_MS) return { cpuPressureRatio: 0.9 };
      return at > end - 6 * HOUR_MS ? { cpuPressureRatio: at > end - 3 * HOUR_MS ? 0.4 : 0.2 } : {};
    });
    expect(cpuPressure(model, end)).toBeCloseTo(0.3, 2);
    const openHour = live(new ContainerModel(), MONDAY, MONDAY + HOUR_MS / 2, () => ({ cpuPressureRatio: 0.7 }));
    expect(cpuPressure(openHour, MONDAY + HOUR_MS / 2)).toBeCloseTo(0.7, 2);
    expect(
      cpuPressure(
        live(new ContainerModel(), MONDAY, end, () => ({})),
        end,
      ),
    ).toBeNull();
  });

  test('exclude the start-up of a container', () => {
    const busyStart = (startedAt: number, spanMs: number) => (at: number) => ({
      startedAt,
      cpuPressureRatio: at - startedAt < 20 * MINUTE_MS ? 0.9 : 0.1,
      throttledSpanMs: spanMs,
      throttledRatio: at - startedAt < 2 * spanMs + 16 * MINUTE_MS ? 0.9 : 0.1,
    });
    const hourly = live(new ContainerModel(), MONDAY, MONDAY + 3 * HOUR_MS, busyStart(MONDAY, HOUR_MS));
    expect(hoursSince(hourly, MONDAY, MONDAY + 3 * HOUR_MS)).toMatchObject([
      { cpuPressureRatio: 0.1, throttledRatio: null },
      { cpuPressureRatio: 0.1, throttledRatio: null },
      { cpuPressureRatio: 0.1, throttledRatio: 0.1 },
    ]);
  });

  test('of recorded history are no evidence', () => {
    const recommender = new Recommender();
    const samples = Array.from({ length: 24 }, (_, index) => ({
      ...aSample(MONDAY + (index + 1) * FIVE_MINUTES, 100, 100),
      throttledRatio: 0.5,
    }));
    const workload = { namespace: 'shop', kind: 'Deployment', name: 'web' };
    recommender.backfill([{ namespace: 'shop', pod: 'p', container: 'app', workload, stepSeconds: 300, samples, oomKills: [] }]);
    const rules = { ...DEFAULT_RECOMMENDER_RULES, evidenceSince: MONDAY };
    const [advice] = recommender.advise('shop/Deployment/web', MONDAY + 2 * HOUR_MS + SETTLE_MS, rules);
    expect([advice?.throttledRatio, advice?.evidence?.map(({ throttledRatio }) => throttledRatio)]).toEqual([0.5, [null, null]]);
  });

  test('survive a restart, and a late backfill that replaces the model', () => {
    const now = MONDAY + WEEK + 90 * MINUTE_MS;
    const model = live(new ContainerModel(), MONDAY, now, (at) => ({ cpuPressureRatio: Math.round((at / HOUR_MS) % 7) / 10 }));
    const known = hoursSince(model, now - DAY_MS, now);
    expect(known).toHaveLength(23);
    expect(hoursSince(ContainerModel.restore(model.checkpoint())!, now - DAY_MS, now)).toEqual(known);
    const replaced = new ContainerModel();
    replaced.copyEvents(model);
    for (const at of [MONDAY + HOUR_MS, now]) replaced.observe('p', aSample(at, 100, 100), false);
    expect(hoursSince(replaced, now - DAY_MS, now)).toEqual(known);
  });

  test('add little to a checkpoint where the container is quiet', () => {
    const quiet = live(new ContainerModel(), MONDAY, MONDAY + DAY_MS, () => ({ cpuPressureRatio: 0, memoryPressureRatio: 0 }));
    const unmeasured = live(new ContainerModel(), MONDAY, MONDAY + DAY_MS, () => ({}));
    expect(quiet.checkpoint().length - unmeasured.checkpoint().length).toBeLessThan(50);
  });
});
