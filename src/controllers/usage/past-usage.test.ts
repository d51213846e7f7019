import { describe, expect, test } from '@jest/globals';
import { FastTimer, until } from '../../../test/fakes/fast-timer.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { PastUsage } from './past-usage.ts';

function aPast(read: (namespace: string) => void, namespaces: readonly string[] = ['a', 'b', 'c', 'd']) {
  const reads: string[] = [];
  const past = new PastUsage({
    source: 'prometheus',
    read: async (namespace, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      reads.push(namespace);
      read(namespace);
      return { series: 1, samples: 288 };
    },
    namespaces: () => namespaces,
    timer: new FastTimer(6000),
    logger: new RecordingLogger(),
  });
  return { past, reads };
}

describe('reading past usage', () => {
  test('reads each namespace once', async () => {
    const { past, reads } = aPast(() => undefined);
    past.start();
    await until(() => reads.length === 4, 'four namespaces are read: there are four');
    await until(
      () => past.status().message === 'prometheus: past usage of 4 namespaces read',
      'the read is reported complete: all four are read',
    );
    expect(reads).toEqual(['a', 'b', 'c', 'd']);
    expect(past.problem()).toBeNull();
    await past.stop();
  });

  test('reports a source that cannot be reached, retries later and then reads everything', async () => {
    let away = true;
    const { past, reads } = aPast(() => {
      if (away) throw new Error('http://prometheus cannot be reached');
    });
    past.start();
    await until(() => past.problem() !== null, 'a problem is reported: no read succeeds');
    expect(past.status()).toEqual({
      status: 'degraded',
      message: 'past usage from prometheus is missing: http://prometheus cannot be reached (0 namespaces read, 4 to try again)',
    });
    expect(reads).toEqual(['a', 'b']);
    away = false;
    await until(
      () => past.status().message === 'prometheus: past usage of 4 namespaces read',
      'the read is reported complete: the source answers again',
    );
    expect(past.problem()).toBeNull();
    await past.stop();
  });

  test('a namespace that fails does not stop the others, and no namespace is read twice', async () => {
    let broken = true;
    const { past, reads } = aPast((namespace) => {
      if (namespace === 'b' && broken) throw new Error('too many samples');
    });
    past.start();
    await until(() => reads.includes('d'), 'the last namespace is read: one that fails is skipped');
    broken = false;
    await until(
      () => past.status().status === 'ok' && past.status().message.includes('4 namespaces'),
      'the read is reported complete: what failed is read again',
    );
    for (const namespace of ['a', 'c', 'd']) expect(reads.filter((read) => read === namespace)).toHaveLength(1);
    await past.stop();
  });

  test('stops at once, also while it waits for a retry', async () => {
    const { past, reads } = aPast(() => {
      throw new Error('away');
    });
    past.start();
    await until(() => past.problem() !== null, 'a problem is reported: no read succeeds');
    await past.stop();
    const before = reads.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toHaveLength(before);
  });
});
