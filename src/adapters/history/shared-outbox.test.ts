import { describe, expect, test } from '@jest/globals';
import type { SharedRecord } from '../../ports/cluster/shared-state.ts';
import { SharedOutbox } from './shared-outbox.ts';

const usage = (key: string, at: number): SharedRecord => ({ topic: 'usage', key, at, body: null });

describe('records waiting to be shared', () => {
  test('are the newest of each key; a failed batch does not replace newer records', () => {
    const outbox = new SharedOutbox();
    for (const record of [usage('n1', 1), usage('n1', 2), usage('n2', 1)]) outbox.add(record);
    const taken = outbox.takeAll();
    expect(taken).toEqual([usage('n1', 2), usage('n2', 1)]);
    outbox.add(usage('n2', 3));
    outbox.requeue(taken);
    expect(outbox.takeAll()).toEqual([usage('n1', 2), usage('n2', 3)]);
  });

  test('are dropped when withdrawn, including a batch whose write then fails', () => {
    const outbox = new SharedOutbox();
    outbox.add(usage('n1', 1));
    const taken = outbox.takeAll();
    outbox.add(usage('n2', 1));
    outbox.clear();
    outbox.requeue(taken);
    expect(outbox.size).toBe(0);
    outbox.add(usage('n3', 1));
    expect(outbox.takeAll()).toEqual([usage('n3', 1)]);
  });
});
