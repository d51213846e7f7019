// Confidence after roll-outs, such as those of a daily deployment.

import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES } from '../advice.ts';
import { ContainerModel } from '../container-model.ts';

const SETTLE_MS = 31_000;
/** 9:30: the full hours from 2 to 6 hours later are those from 12:00 to 15:00. */
const DEPLOYED = 9.5 * HOUR_MS;

interface Life {
  readonly model: ContainerModel;
  now: number;
}

/** Millicores and MiB by time. */
type Usage = (at: number) => readonly [number, number];

const USUAL: Usage = () => [100, 200];

function use(life: Life, until: number, usage: Usage = USUAL): void {
  for (life.now += FIVE_MINUTES; life.now <= until; life.now += FIVE_MINUTES) {
    const [cpu, mib] = usage(life.now);
    life.model.observe('p', aSample(life.now, cpu, mib));
  }
  life.now = until;
}

function untilDeploy(usage: Usage): Uint8Array {
  const life = { model: new ContainerModel(), now: MONDAY };
  use(life, MONDAY + 14 * DAY_MS + DEPLOYED, usage);
  return life.model.checkpoint();
}

const USUAL_UNTIL_DEPLOY = untilDeploy(USUAL);

/** A container with 14 days of usage and a roll-out on the last of them. */
function deployed(usageBefore: Usage = USUAL): Life {
  const model = ContainerModel.restore(usageBefore === USUAL ? USUAL_UNTIL_DEPLOY : untilDeploy(usageBefore))!;
  const life = { model, now: MONDAY + 14 * DAY_MS + DEPLOYED };
  life.model.observeRollout(life.now);
  return life;
}

function confidence({ model, now }: Life): { readonly confidence: number; readonly confidenceText: string } {
  const { confidence: value, confidenceText } = model.advise('app', now + SETTLE_MS, DEFAULT_RECOMMENDER_RULES)!;
  return { confidence: value, confidenceText };
}

function afterRollout(usage: Usage, hours: number, usageBefore?: Usage) {
  const life = deployed(usageBefore);
  use(life, life.now + hours * HOUR_MS, usage);
  return confidence(life);
}

describe('after a roll-out', () => {
  test('confidence is halved until usage is compared', () => {
    const { confidence: value, confidenceText } = afterRollout(USUAL, 5);
    expect(value).toBeLessThan(0.5);
    expect(confidenceText).toContain('new version 5.0 h ago, not yet compared with the version before: confidence halved');
  });

  test('with similar usage in the same hours confidence is full again', () => {
    const { confidence: value, confidenceText } = afterRollout(USUAL, 6);
    expect(value).toBeGreaterThan(0.9);
    expect(confidenceText).toContain('new version 6.0 h ago has similar usage to the version before');
  });

  test.each([
    ['of CPU by 19 % more', [119, 200], true],
    ['of CPU by 21 % more', [121, 200], false],
    ['of CPU by 19 % less', [81, 200], true],
    ['of CPU by 21 % less', [79, 200], false],
    ['of memory by 19 % more', [100, 238], true],
    ['of memory by 21 % more', [100, 242], false],
  ] as const)('usage %s is similar or not', (_case, usage, isSimilar) => {
    const { confidence: value, confidenceText } = afterRollout(() => usage, 7);
    expect(value > 0.6).toBe(isSimilar);
    expect(confidenceText.includes('has different usage')).toBe(!isSimilar);
  });

  test('a difference of a few millicores is similar', () => {
    expect(
      afterRollout(
        () => [12, 20],
        7,
        () => [4, 12],
      ).confidenceText,
    ).toContain('has similar usage');
  });

  test('a Monday is compared with the Monday before where Sunday usage is low', () => {
    const weekly: Usage = (at) => (Math.floor((at - 1 - MONDAY) / DAY_MS) % 7 === 6 ? [20, 100] : [100, 200]);
    expect(afterRollout(weekly, 7, weekly).confidenceText).toContain('has similar usage');
  });

  test('with different usage confidence stays halved for a day', () => {
    expect(afterRollout(() => [200, 200], 23).confidenceText).toContain('has different usage than the version before: confidence halved');
    expect(afterRollout(() => [200, 200], 25).confidenceText).not.toContain('version');
  });

  test('without usage to compare confidence stays halved', () => {
    const life = deployed();
    life.now += 10 * HOUR_MS;
    use(life, life.now + HOUR_MS);
    expect(confidence(life).confidenceText).toContain('could not be compared with the version before: confidence halved');
  });
});

describe('a daily deployment', () => {
  /** One roll-out a day from the 14th day on, and an hour of usage after the last. */
  function deploys(count: number, usage: (index: number) => Usage = () => USUAL): Life {
    const life = deployed();
    for (let index = 1; index < count; index += 1) {
      use(life, life.now + DAY_MS, usage(index - 1));
      life.model.observeRollout(life.now);
    }
    use(life, life.now + HOUR_MS, usage(count - 1));
    return life;
  }

  test('halves confidence for six hours, until three in a row have similar usage', () => {
    expect(confidence(deploys(3)).confidence).toBeLessThan(0.5);
    const fourth = confidence(deploys(4));
    expect(fourth.confidence).toBeGreaterThan(0.9);
    expect(fourth.confidenceText).toContain('new version 1.0 h ago; the last 3 roll-outs did not change usage');
  });

  test('counts from zero after one with different usage', () => {
    const life = deploys(5, (index) => (index === 3 ? () => [200, 200] : USUAL));
    expect(confidence(life).confidence).toBeLessThan(0.5);
  });

  test('every five hours is compared by the hours before the next one', () => {
    const life = deployed();
    for (let index = 0; index < 3; index += 1) {
      use(life, life.now + 5 * HOUR_MS);
      life.model.observeRollout(life.now);
    }
    use(life, life.now + HOUR_MS);
    expect(confidence(life).confidence).toBeGreaterThan(0.9);
  });

  test('is stored in the checkpoint, and copied to a model that replaces it', () => {
    const life = deploys(4);
    const known = confidence(life);
    expect(confidence({ ...life, model: ContainerModel.restore(life.model.checkpoint())! })).toEqual(known);
    const replaced: Life = { model: new ContainerModel(), now: MONDAY };
    replaced.model.copyEvents(life.model);
    use(replaced, life.now);
    expect(confidence(replaced).confidenceText).toContain('the last 3 roll-outs did not change usage');
  });
});
