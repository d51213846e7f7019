import { describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES, type ContainerAdvice } from '../../core/recommender/advice.ts';
import type { RecommenderCheckpoint } from '../../core/recommender/recommender.ts';
import { aRecommender } from '../../../test/fakes/a-recommender.ts';
import { T0 } from '../../../test/builders/rightsizing.ts';
import { JobRunRecommender } from './job-run-recommender.ts';

const CRON = 'shop/CronJob/report';
const rules = new Map([['main', DEFAULT_RECOMMENDER_RULES]]);

/** Runs of `minutes` each, an hour apart, read once a minute; the last has ended long ago. */
function runs(
  recommender: JobRunRecommender,
  count: number,
  { minutes = 5, cpu = 200, memoryMib = 100, workload = CRON, from = 0 } = {},
): void {
  for (let run = from; run < from + count; run += 1) {
    for (let minute = 0; minute <= minutes; minute += 1) {
      const at = T0 + run * HOUR_MS + minute * MINUTE_MS;
      recommender.observe(workload, 'main', `report-${run}`, { at, cpuMillicores: cpu, memoryBytes: (memoryMib + run) * MiB });
    }
  }
}

async function adviceOf(recommender: JobRunRecommender, now = T0 + 10 * DAY_MS, workload = CRON): Promise<ContainerAdvice | undefined> {
  return (await recommender.advise(workload, now, rules))[0];
}

describe('Jobs and CronJobs by runs', () => {
  test('memory: the highest peak of the last 20 runs and a margin; CPU: what they use in 95 % of their time', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 1, { memoryMib: 900 });
    runs(recommender, 20, { from: 1 });
    const advice = await adviceOf(recommender);
    expect(advice).toMatchObject({ enoughHistory: true, confidence: 1, confidenceText: '20 runs seen' });
    expect(advice?.memory?.target).toBe(Math.ceil(120 * 1.15) * MiB);
    expect(advice?.cpu?.target).toBeGreaterThanOrEqual(220);
    expect(advice?.cpu?.target).toBeLessThanOrEqual(245);
    for (const resource of [advice?.cpu, advice?.memory]) expect(resource?.steps.at(-1)?.total).toBe(resource?.target);
  });

  test('fewer than five runs are too few, and trust grows with them', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 4);
    expect(await adviceOf(recommender)).toMatchObject({ enoughHistory: false, confidence: 0.4 });
    runs(recommender, 1, { from: 4 });
    expect(await adviceOf(recommender)).toMatchObject({ enoughHistory: true, confidence: 0.5, confidenceText: '5 of 10 runs seen' });
  });

  test('runs that are all alike are trusted by their number, and not at all once they have stayed away', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    for (let run = 0; run < 54; run += 1) runs(recommender, 1, { from: run, memoryMib: 100 - run });
    expect(await adviceOf(recommender)).toMatchObject({ confidence: 1, cpu: { confidence: 1 }, memory: { confidence: 1 } });
    expect(await adviceOf(recommender, T0 + 30 * DAY_MS)).toMatchObject({
      confidence: 0,
      confidenceText: '20 runs seen; none lately, as often as they used to come',
    });
  });

  test('runs that past advice would not have covered are trusted less, each resource for itself, and that is said', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    // Every run needs half as much memory again as the one before, and the same CPU.
    for (let run = 0; run < 12; run += 1) runs(recommender, 1, { from: run, memoryMib: 100 * 1.5 ** run });
    const growing = await adviceOf(recommender);
    expect(growing).toMatchObject({ confidence: 0, cpu: { confidence: 1 }, memory: { confidence: 0 } });
    expect(growing?.confidenceText).toBe('12 runs seen; memory advised before would have covered 0 % of them');
    const noisy = new JobRunRecommender(aRecommender());
    for (let run = 0; run < 20; run += 1) runs(noisy, 1, { from: run, memoryMib: 100 + ((run * 7) % 20), cpu: 200 + ((run * 13) % 40) });
    expect((await adviceOf(noisy))?.confidence).toBeGreaterThan(0.9);
  });

  test('a run under way counts for its peak and not as a run', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 5);
    runs(recommender, 1, { from: 5, memoryMib: 500 });
    const during = await adviceOf(recommender, T0 + 5 * HOUR_MS + 6 * MINUTE_MS);
    expect(during).toMatchObject({ confidence: 0.5 });
    expect(during?.memory?.target).toBeGreaterThan(500 * MiB);
  });

  test('short runs are little trusted, and that is said', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 12, { minutes: 0 });
    const advice = await adviceOf(recommender);
    expect(advice?.confidence).toBe(0.5);
    expect(advice?.confidenceText).toBe(
      '12 runs seen; they take less than a minute and are read 1 times, so that a peak between two readings is not seen',
    );
  });

  test('a kill asks for more than the limit that was hit, until five runs in a row stay well under that', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 5);
    recommender.observeOom(CRON, 'main', T0 + 4 * HOUR_MS + 5 * MINUTE_MS, 256 * MiB);
    const killed = await adviceOf(recommender);
    expect(killed).toMatchObject({ oomKills: 1, memory: { target: 356 * MiB } });
    runs(recommender, 5, { from: 5 });
    expect((await adviceOf(recommender))?.memory?.target).toBe(Math.ceil(109 * 1.15) * MiB);
  });

  test('runs of one work are joined although each has a name of its own', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    for (let run = 0; run < 5; run += 1) runs(recommender, 1, { from: run, workload: `shop/Job/import-x7k2${'bcdfg'[run] ?? ''}` });
    expect(await adviceOf(recommender, undefined, 'shop/Job/import-zzzzz')).toMatchObject({ enoughHistory: true });
    expect(await adviceOf(recommender, undefined, 'shop/Job/nightly')).toBeUndefined();
  });

  test('what was learnt is restored, and what this replica knows better stays', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    runs(recommender, 6);
    const saved: RecommenderCheckpoint[] = [];
    for await (const portion of recommender.changedSince(null)) saved.push(...portion);
    expect(saved.map(({ key }) => key)).toEqual([`${CRON}/main`]);
    expect(saved[0]!.data.length).toBeLessThan(4096);
    const next = new JobRunRecommender(aRecommender());
    expect(await next.restore(saved)).toEqual({ restored: 1, refused: 0 });
    expect(await adviceOf(next)).toEqual(await adviceOf(recommender));
    runs(next, 1, { from: 6 });
    expect(await next.restore(saved)).toEqual({ restored: 0, refused: 0 });
    expect(await next.restore([{ ...saved[0]!, data: new Uint8Array([1, 2]) }])).toEqual({ restored: 0, refused: 1 });
    const marks = await next.marks();
    const after: RecommenderCheckpoint[] = [];
    for await (const portion of next.changedSince(marks)) after.push(...portion);
    expect(after).toEqual([]);
  });

  test('everything else goes to the recommender', async () => {
    const recommender = new JobRunRecommender(aRecommender());
    const web = 'shop/Deployment/web';
    for (let minute = 0; minute < 60; minute += 1) {
      recommender.observe(web, 'main', 'web-1', { at: T0 + minute * MINUTE_MS, cpuMillicores: 100, memoryBytes: 100 * MiB });
    }
    expect(await recommender.workloads()).toEqual([web]);
    expect((await recommender.advise(web, T0 + HOUR_MS, rules))[0]?.container).toBe('main');
    expect(await recommender.forget(web)).toEqual([`${web}/main`]);
  });
});
