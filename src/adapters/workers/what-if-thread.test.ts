import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { randomCluster } from '../../../test/builders/scheduling/random-cluster.ts';
import { viewOf } from '../../../test/builders/scheduling/view-of.ts';
import { ColumnarCluster } from '../../core/scheduling/cluster/columnar-cluster.ts';
import { NodeRemovals } from '../../core/scheduling/removals/node-removals.ts';
import { RemovalService } from '../../core/scheduling/removals/removal-service.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import { WhatIfThread, type WhatIfRequest } from './what-if-thread.ts';

/** A seed whose cluster has pods on several nodes. */
const SEED = 7;

function aCluster(): ColumnarCluster {
  return ColumnarCluster.of(viewOf(randomCluster(SEED)));
}

function destinationsOf(cluster: ColumnarCluster): Int32Array {
  const removals = new NodeRemovals(cluster.snapshot);
  removals.computeAll();
  return removals.result.destination;
}

/** An in-process fake thread: replies at the next turn, unless it hangs. */
class FakeThread extends EventEmitter {
  readonly service = new RemovalService();
  readonly asked: WhatIfRequest[] = [];
  hangs = false;

  postMessage(request: WhatIfRequest): void {
    this.asked.push(request);
    if (this.hangs) return;
    const answer = this.service.answer(request.question);
    setImmediate(() => this.emit('message', { id: request.id, answer }));
  }

  async terminate(): Promise<void> {
    return Promise.resolve();
  }
}

function aThread() {
  const timer = new FakeClock();
  const threads: FakeThread[] = [];
  const start = (): FakeThread => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread;
  };
  return { whatIf: new WhatIfThread({ timer, logger: SILENT_LOGGER, start }), timer, threads };
}

describe('what-if questions in a thread', () => {
  test('are answered as in the main thread, whose snapshot they leave alone', async () => {
    const cluster = aCluster();
    const whatIf = new WhatIfThread({ timer: new SystemTimer(), logger: SILENT_LOGGER });
    const before = structuredClone(cluster.snapshot.columns);
    const { removals, computed } = await whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    expect(cluster.snapshot.columns).toEqual(before);
    expect(computed).toBe(cluster.snapshot.columns.nodes.count);
    expect(removals.destination).toEqual(destinationsOf(cluster));
    await whatIf.stop();
  });

  test('after the first are about changes only', async () => {
    const cluster = aCluster();
    const { whatIf } = aThread();
    await whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    const { computed } = await whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    expect(computed).toBe(0);
    await whatIf.stop();
  });

  test('are rejected when the thread is lost; the next one is about everything', async () => {
    const cluster = aCluster();
    const { whatIf, threads, timer } = aThread();
    await whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    threads[0]!.hangs = true;
    const lost = whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    const rejected = expect(lost).rejects.toThrow('the what-if thread exited or timed out');
    threads[0]!.emit('exit', 1);
    await rejected;
    await expect(whatIf.ask(cluster.snapshot.columns, cluster.takeChanges())).rejects.toThrow('is restarting');
    await timer.advance(1_000);
    const { computed } = await whatIf.ask(cluster.snapshot.columns, cluster.takeChanges());
    expect(computed).toBe(cluster.snapshot.columns.nodes.count);
    expect(threads).toHaveLength(2);
    await whatIf.stop();
  });

  test('replace a thread that does not answer', async () => {
    const cluster = aCluster();
    const { whatIf, threads, timer } = aThread();
    threads[0]!.hangs = true;
    const rejected = expect(whatIf.ask(cluster.snapshot.columns, cluster.takeChanges())).rejects.toThrow('timed out');
    await timer.advance(61_000);
    await rejected;
    expect(threads).toHaveLength(2);
    await whatIf.stop();
  });
});
