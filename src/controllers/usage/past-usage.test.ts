import { describe, expect, test } from '@jest/globals';
import { FastTimer, until } from '../../../test/fakes/fast-timer.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { PastUsage } from './past-usage.ts';

function aPast(read: (namespace: string) => void, namespaces: readonly string[] = ['a', 'b', 'c', 'd']) {
  const asked: string[] = [];
  const past = new PastUsage({
    source: 'prometheus',
    read: async (namespace, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      asked.push(namespace);
      read(namespace);
      return { series: 1, samples: 288 };
    },
    namespaces: () => namespaces,
    timer: new FastTimer(6000),
    logger: new RecordingLogger(),
  });
  return { past, asked };
}

describe('reading the past', () => {
  test('goes namespace by namespace, each once', async () => {
    const { past, asked } = aPast(() => undefined);
    past.start();
    await until(() => asked.length === 4, 'four namespaces are read: there are four');
    await until(
      () => past.status().message === 'prometheus: the past of 4 namespaces read',
      'the read is reported complete: all four are read',
    );
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(past.problem()).toBeNull();
    await past.stop();
  });

  test('a source that is away is named, asked again later, and then read whole', async () => {
    let away = true;
    const { past, asked } = aPast(() => {
      if (away) throw new Error('http://prometheus cannot be reached');
    });
    past.start();
    await until(() => past.problem() !== null, 'a problem is reported: no read succeeds');
    expect(past.status()).toEqual({
      status: 'degraded',
      message: 'past usage from prometheus is missing: http://prometheus cannot be reached (0 namespaces read, 4 to try again)',
    });
    expect(asked).toEqual(['a', 'b']);
    away = false;
    await until(
      () => past.status().message === 'prometheus: the past of 4 namespaces read',
      'the read is reported complete: the source answers again',
    );
    expect(past.problem()).toBeNull();
    await past.stop();
  });

  test('one namespace that fails does not keep the others from being read, nor is any read twice', async () => {
    let broken = true;
    const { past, asked } = aPast((namespace) => {
      if (namespace === 'b' && broken) throw new Error('too many samples');
    });
    past.start();
    await until(() => asked.includes('d'), 'the last namespace is read: one that fails is passed over');
    broken = false;
    await until(
      () => past.status().status === 'ok' && past.status().message.includes('4 namespaces'),
      'the read is reported complete: what failed is read again',
    );
    for (const namespace of ['a', 'c', 'd']) expect(asked.filter((each) => each === namespace)).toHaveLength(1);
    await past.stop();
  });

  test('a stop ends it, also while it waits', async () => {
    const { past, asked } = aPast(() => {
      throw new Error('away');
    });
    past.start();
    await until(() => past.problem() !== null, 'a problem is reported: no read succeeds');
    await past.stop();
    const before = asked.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(before);
  });
});
