import { describe, expect, test } from '@jest/globals';
import type { Answers, QuestionKind, Questions } from '../../core/recommender/recommender-service.ts';
import { InlineWorker } from './inline-worker.ts';
import { ShardedRecommender } from './sharded-recommender.ts';

/** Counts the requests for checkpoints. */
class CountingWorker extends InlineWorker {
  asked = 0;
  fails = false;

  override ask<Kind extends QuestionKind>(kind: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    if (kind === 'checkpoints') this.asked += 1;
    return kind === 'checkpoints' && this.fails ? Promise.reject(new Error('the recommender is stopping')) : super.ask(kind, question);
  }
}

function aWorker(containers: number): CountingWorker {
  const worker = new CountingWorker();
  for (let at = 0; at < containers; at += 1) {
    worker.notify({
      kind: 'oom',
      workload: `shop/Deployment/w${at}`,
      container: 'main',
      at: 1_000,
      limitBytes: 1_000,
      workingSetBytes: 900,
    });
  }
  return worker;
}

describe('the checkpoints of changed containers', () => {
  test('come from every worker, each once', async () => {
    const recommender = new ShardedRecommender([aWorker(450), aWorker(10), aWorker(0)]);
    const portions = [];
    for await (const portion of recommender.changedSince(null)) portions.push(portion.length);
    expect(portions).toEqual([200, 200, 50, 10]);
  });

  test('are encoded one portion ahead of the caller', async () => {
    const worker = aWorker(600);
    const asked = [];
    for await (const portion of new ShardedRecommender([worker]).changedSince(null)) asked.push([portion.length, worker.asked]);
    expect(asked).toEqual([
      [200, 2],
      [200, 3],
      [200, 3],
    ]);
  });

  test('may be left by the caller while the next ones fail', async () => {
    const worker = aWorker(600);
    for await (const portion of new ShardedRecommender([worker]).changedSince(null)) {
      expect(portion).toHaveLength(200);
      break;
    }
    worker.fails = true;
    const failing = new ShardedRecommender([worker]).changedSince(null);
    await expect(failing.next()).rejects.toThrow('the recommender is stopping');
  });
});
