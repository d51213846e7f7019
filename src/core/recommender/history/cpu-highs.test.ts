// Bound for lowering the CPU of a Guaranteed pod: bursts that 5-minute means and percentiles over replicas do not show.

import { describe, expect, test } from '@jest/globals';
import { aSample, aSeries, FIVE_MINUTES, MONDAY } from '../../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { DEFAULT_RECOMMENDER_RULES } from '../advice.ts';
import { ContainerModel } from '../container-model.ts';
import { Recommender } from '../recommender.ts';

const KEY = 'shop/Deployment/web';
const series = { namespace: 'shop', pod: 'a', container: 'app', workload: { namespace: 'shop', kind: 'Deployment', name: 'web' } };

/** Live samples of each minute of a time range. */
function minutes(from: Instant, to: Instant, cpu: (at: Instant) => number): UsageSample[] {
  return Array.from({ length: (to - from) / MINUTE_MS }, (_, index) => {
    const at = from + (index + 1) * MINUTE_MS;
    return aSample(at, cpu(at), 100);
  });
}

function highOf(model: ContainerModel | null, now: Instant) {
  return model?.advise('app', now + MINUTE_MS, DEFAULT_RECOMMENDER_RULES)?.cpuHigh;
}

/** One minute at 6000m in an hour of 100m. */
const BURST = MONDAY + 12 * MINUTE_MS;
const burst = minutes(MONDAY, MONDAY + HOUR_MS, (at) => (at === BURST ? 6_000 : 100));

function learnt(samples: readonly UsageSample[], isLive = true): ContainerModel {
  const model = new ContainerModel();
  for (const sample of samples) model.observe('p', sample, isLive);
  return model;
}

describe('the highest CPU sample', () => {
  test('is one of a minute, of any replica, also where the busiest replica changes from hour to hour', () => {
    const model = new ContainerModel();
    for (let at = MONDAY; at < MONDAY + DAY_MS; at += MINUTE_MS) {
      const busiest = Math.floor(at / HOUR_MS) % 20;
      for (let pod = 0; pod < 20; pod++) {
        const isBurst = pod === 7 && at === MONDAY + 30 * MINUTE_MS;
        model.observe(`p${pod}`, aSample(at + MINUTE_MS, isBurst ? 6_000 : pod === busiest ? 1_000 : 100, 100));
      }
    }
    expect(highOf(model, MONDAY + DAY_MS)).toEqual({ millicores: 6_000, measuredMs: DAY_MS });
  });

  test('includes the open slot', () => {
    const model = learnt(minutes(MONDAY, MONDAY + HOUR_MS, () => 100));
    model.observe('p', aSample(MONDAY + HOUR_MS + MINUTE_MS, 3_000, 100));
    expect(highOf(model, MONDAY + HOUR_MS + MINUTE_MS)?.millicores).toBe(3_000);
  });

  test('includes the throttled share as demand', () => {
    const model = learnt(burst.map((sample) => ({ ...sample, throttledRatio: 0.5 })));
    expect(highOf(model, MONDAY + HOUR_MS)?.millicores).toBe(9_000);
  });

  test('is stored for 14 days', () => {
    const model = learnt(burst);
    const after = (day: number) => {
      model.observe('p', aSample(MONDAY + day * DAY_MS + HOUR_MS, 100, 100));
      return highOf(model, MONDAY + day * DAY_MS + HOUR_MS)?.millicores;
    };
    expect([after(7), after(14), after(15)]).toEqual([6_000, 6_000, 100]);
  });

  test('survives a restart: a checkpoint has it and the measured time', () => {
    const restored = ContainerModel.restore(learnt(burst).checkpoint());
    // A checkpoint does not have the open slot.
    expect(highOf(restored, MONDAY + HOUR_MS)).toEqual({ millicores: 6_000, measuredMs: HOUR_MS - FIVE_MINUTES });
  });
});

describe('the time with a sample each minute', () => {
  const hour = aSeries(
    1 / 24,
    () => 100,
    () => 100,
  );

  test.each([
    ['history of 5-minute means', hour, false, { millicores: 100, measuredMs: 0 }],
    ['live samples every five minutes', hour, true, { millicores: 100, measuredMs: 0 }],
    [
      'history of 5-minute means with their peaks',
      hour.map((sample) => ({ ...sample, cpuPeakMillicores: 700 })),
      false,
      { millicores: 700, measuredMs: HOUR_MS },
    ],
    ['live samples every minute', burst, true, { millicores: 6_000, measuredMs: HOUR_MS }],
  ])('%s', (_case, samples, isLive, high) => {
    expect(highOf(learnt(samples, isLive), MONDAY + HOUR_MS + FIVE_MINUTES)).toEqual(high);
  });

  test('is kept when a late backfill replaces the model', () => {
    const recommender = new Recommender();
    const from = MONDAY + 3 * DAY_MS;
    const live = minutes(from, from + 2 * HOUR_MS, (at) => (at === from + 12 * MINUTE_MS ? 6_000 : 100));
    for (const sample of live) recommender.observe(KEY, 'app', 'a', sample);
    const past = aSeries(
      3 + 2 / 24,
      () => 200,
      () => 100,
    );
    recommender.backfill([{ ...series, stepSeconds: 300, samples: past, oomKills: [] }]);
    const [advice] = recommender.advise(KEY, from + 2 * HOUR_MS + MINUTE_MS, DEFAULT_RECOMMENDER_RULES);
    expect(advice?.cpu?.peak).toBe(200);
    expect(advice?.cpuHigh).toEqual({ millicores: 6_000, measuredMs: 2 * HOUR_MS - FIVE_MINUTES });
  });
});
