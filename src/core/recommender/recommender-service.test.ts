import { describe, expect, test } from '@jest/globals';
import { DEFAULT_RECOMMENDER_RULES } from './advice.ts';
import { handleRequest, RecommenderService, type RecommenderUpdate } from './recommender-service.ts';

const WEB = 'shop/Deployment/web';
const HOUR_MS = 3_600_000;
const T0 = Date.UTC(2026, 10, 2);

function samples(hours: number): RecommenderUpdate[] {
  return Array.from({ length: hours * 60 }, (_, minute) => ({
    kind: 'sample',
    workload: WEB,
    container: 'main',
    pod: 'web-1',
    sample: { at: T0 + minute * 60_000, cpuMillicores: 100, memoryBytes: 2 ** 28 },
  }));
}

describe('a recommender behind messages', () => {
  test('answers from the samples sent before', () => {
    const service = new RecommenderService();
    expect(handleRequest(service, { type: 'notify', batch: samples(48) })).toEqual({
      type: 'received',
      count: 2880,
      failed: 0,
      error: null,
    });
    const rules = new Map([['main', DEFAULT_RECOMMENDER_RULES]]);
    const question = { workload: WEB, now: T0 + 48 * HOUR_MS, rules };
    expect(handleRequest(service, { type: 'ask', id: 7, kind: 'advise', question })).toMatchObject({
      type: 'answer',
      id: 7,
      answer: [{ container: 'main', samples: 2880 }],
    });
  });

  test('has no advice for a container without rules', () => {
    const service = new RecommenderService();
    for (const update of samples(2)) service.notify(update);
    expect(service.ask('advise', { workload: WEB, now: T0 + 2 * HOUR_MS, rules: new Map() })).toEqual([]);
  });

  test('a request that throws is answered with a failure, and the next is answered', () => {
    const service = new RecommenderService();
    const broken = { type: 'ask', id: 1, kind: 'advise', question: { workload: WEB, now: T0, rules: undefined as never } } as const;
    for (const update of samples(1)) service.notify(update);
    expect(handleRequest(service, broken)).toMatchObject({ type: 'failure', id: 1, message: expect.stringContaining('TypeError') });
    expect(handleRequest(service, { type: 'ask', id: 2, kind: 'workloads', question: null })).toEqual({
      type: 'answer',
      id: 2,
      answer: [WEB],
    });
  });

  test('an observation that throws is counted, and later ones are applied', () => {
    const service = new RecommenderService();
    const [good] = samples(1);
    const broken = { kind: 'sample', workload: WEB, container: 'main', pod: 'web-1', sample: null } as unknown as RecommenderUpdate;
    expect(handleRequest(service, { type: 'notify', batch: [broken, good!] })).toMatchObject({ count: 2, failed: 1 });
    expect(service.ask('changedSince', { since: 0 }).keys).toEqual([`${WEB}/main`]);
  });

  test('checkpoints of changed containers restore another service', () => {
    const [one, other] = [new RecommenderService(), new RecommenderService(2 ** 32)];
    for (const update of samples(24)) one.notify(update);
    const { keys, sequence } = one.ask('changedSince', { since: 0 });
    expect(one.ask('changedSince', { since: sequence }).keys).toEqual([]);
    expect(other.ask('restore', { checkpoints: one.ask('checkpoints', { keys }) })).toEqual({ restored: 1, refused: 0 });
    expect(other.ask('changedSince', { since: sequence }).keys).toEqual(keys);
    expect(other.ask('forget', { workload: WEB })).toEqual(keys);
    expect(other.ask('workloads', null)).toEqual([]);
  });
});
