// Checkpoints of a version are the same bytes for the same usage: a later release restores them, and advice depends on every bit.

import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type DurationMs } from '#kube/units';
import { MONDAY } from '../../../test/builders/usage.ts';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import { DEFAULT_RECOMMENDER_RULES as RULES } from './advice.ts';
import { CHECKPOINT_VERSION, ContainerModel } from './container-model.ts';

/** Usage of three replicas with gaps, roll-outs and kills; restored from its checkpoint every two days. */
function learn(days: number, stepMs: DurationMs): { readonly model: ContainerModel; readonly digest: string } {
  const random = seededRandom(7);
  let model = new ContainerModel();
  let advice = '';
  for (let at = MONDAY + stepMs; at <= MONDAY + days * DAY_MS; at += stepMs) {
    const isGap = (at - MONDAY) % (3 * DAY_MS) < 5 * HOUR_MS;
    for (let replica = 0; replica < 3 && !isGap; replica++) {
      const noise = random.next();
      model.observe(`p-${replica}`, {
        at,
        cpuMillicores:
          noise < 0.02 ? null : Math.round(200 * (1 + 0.5 * Math.sin((at / DAY_MS) * 2 * Math.PI)) * (0.5 + noise) * 100) / 100,
        memoryBytes: Math.round(200 * MiB + noise * 50 * MiB),
        throttledRatio: noise < 0.1 ? noise : 0,
        startedAt: MONDAY,
      });
    }
    if ((at - MONDAY) % (5 * DAY_MS) === 0) model.observeRollout(at);
    if ((at - MONDAY) % (4 * DAY_MS) === 0) model.observeOom(at, 250 * MiB, 240 * MiB);
    if ((at - MONDAY) % (2 * DAY_MS) !== 0) continue;
    advice += JSON.stringify(model.advise('app', at + MINUTE_MS, RULES));
    model = ContainerModel.restore(model.checkpoint()) ?? model;
  }
  return { model, digest: hash('sha256', advice, 'hex').slice(0, 16) };
}

test.each([
  ['an hour', 1 / 24, MINUTE_MS, 'cebdd5ca227e5815 e3b0c44298fc1c14'],
  ['two days', 2, 5 * MINUTE_MS, 'b192edb152db6fd6 c5ca7bf094421465'],
  ['five weeks', 35, 5 * MINUTE_MS, 'e434b3c74af1b44b 46f58a1f31955e23'],
])('the checkpoint and the advice after %s of usage are those of version 9', (_, days, stepMs, expected) => {
  const { model, digest } = learn(days, stepMs);
  const bytes = hash('sha256', model.checkpoint(), 'hex').slice(0, 16);
  expect([CHECKPOINT_VERSION, `${bytes} ${digest}`]).toEqual([9, expected]);
});
