import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../../test/builders/usage.ts';
import { DAY_MS, MiB } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES } from '../advice.ts';
import { ContainerModel } from '../container-model.ts';

const SLOTS_PER_DAY = 288;

interface Course {
  readonly days: number;
  /** Working set of a replica in MiB, and start of its container in days, both by days since the start. */
  readonly replicas: readonly { readonly memory: (day: number) => number; readonly startedAt?: (day: number) => number }[];
}

function isLeaking({ days, replicas }: Course): boolean {
  let model = new ContainerModel();
  for (let slot = 1; slot <= days * SLOTS_PER_DAY; slot++) {
    const at = MONDAY + slot * FIVE_MINUTES;
    for (const [pod, { memory, startedAt }] of replicas.entries()) {
      const day = slot / SLOTS_PER_DAY;
      const sample = aSample(at, 100, memory(day));
      model.observe(`p${pod}`, startedAt === undefined ? sample : { ...sample, startedAt: MONDAY + startedAt(day) * DAY_MS });
    }
    // A restart of the controller must not change the result.
    if (slot % 200 === 0) model = ContainerModel.restore(model.checkpoint()) ?? model;
  }
  return model.advise('app', MONDAY + days * DAY_MS + 31_000, RULES)?.leakSuspected ?? false;
}

const wave = (day: number) => Math.sin(day * 2 * Math.PI);
const noise = (day: number) => ((Math.round(day * SLOTS_PER_DAY) * 7919) % 1009) / 1009;

describe('a leak', () => {
  test.each<[string, Course]>([
    ['100 MiB a day on 2 GiB', { days: 3.2, replicas: [{ memory: (day) => 2048 + 100 * day }] }],
    ['400 MiB a day', { days: 2.5, replicas: [{ memory: (day) => 400 + 400 * day }] }],
    ['with a daily pattern and noise', { days: 4.2, replicas: [{ memory: (day) => 500 + 30 * day + 100 * wave(day) + 20 * noise(day) }] }],
    [
      'that is reset by a restart every four days',
      { days: 9.9, replicas: [{ memory: (day) => 300 + 60 * (day % 4), startedAt: (day) => Math.floor(day / 4) * 4 }] },
    ],
    [
      'of replicas that restart at different times',
      {
        days: 6,
        replicas: [0, 1, 2].map((pod) => ({
          memory: (day: number) => 300 + 60 * ((day + pod) % 3),
          startedAt: (day: number) => Math.floor((day + pod) / 3) * 3 - pod,
        })),
      },
    ],
  ])('is suspected: %s', (_, course) => {
    expect(isLeaking(course)).toBe(true);
  });

  test.each<[string, Course]>([
    ['less than two days after the start', { days: 1.9, replicas: [{ memory: (day) => 400 + 400 * day }] }],
    ['in growth of less than 3 % a day', { days: 8, replicas: [{ memory: (day) => 1000 + 25 * day }] }],
    ['in a daily pattern', { days: 7.4, replicas: [{ memory: (day) => 300 + 200 * wave(day) }] }],
    ['in noise', { days: 7, replicas: [{ memory: (day) => 300 + 200 * noise(day) }] }],
    ['in growth that has stopped', { days: 6, replicas: [{ memory: (day) => 300 + 100 * Math.min(day, 3) }] }],
    [
      'in the warm-up of a container that restarts each day',
      { days: 6, replicas: [{ memory: (day) => 300 + 400 * Math.min(day % 1, 0.2), startedAt: Math.floor }] },
    ],
    ['in a Monday after a weekend with low usage', { days: 5.5, replicas: [{ memory: (day) => (day < 4 ? 300 : 500) }] }],
  ])('is not suspected %s', (_, course) => {
    expect(isLeaking(course)).toBe(false);
  });

  test('is reset by a roll-out', () => {
    const model = new ContainerModel();
    const grow = (from: number, to: number, mib: (day: number) => number) => {
      for (let slot = from * SLOTS_PER_DAY + 1; slot <= to * SLOTS_PER_DAY; slot++) {
        model.observe('p', aSample(MONDAY + slot * FIVE_MINUTES, 100, mib(slot / SLOTS_PER_DAY)));
      }
      return model.advise('app', MONDAY + to * DAY_MS + 31_000, RULES)?.leakSuspected;
    };
    expect(grow(0, 3, (day) => 400 + 100 * day)).toBe(true);
    model.observeRollout(MONDAY + 3 * DAY_MS);
    expect(grow(3, 4, () => 400)).toBe(false);
    expect(model.advise('app', MONDAY + 4 * DAY_MS + 31_000, RULES)?.memory?.peak).toBeGreaterThan(600 * MiB);
  });
});
