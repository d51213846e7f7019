import { describe, expect, test } from '@jest/globals';
import { leadTerm, type TermDependencies } from './lead-term.ts';

/** The dependencies of a term, which record the calls to them. */
function aTerm(isLeader: () => boolean) {
  const calls: string[] = [];
  const record = (call: string) => () => void calls.push(call);
  const dependencies = {
    shared: { share: record('share'), discardQueued: record('discardQueued'), changes: record('changes') },
    feed: { stop: async () => record('feed.stop')() },
    source: {
      status: () => ({ name: 'kubelet' }),
      run: (_sink: unknown, _intervalMs: number, signal: AbortSignal) => new Promise<void>((resolve) => (signal.onabort = () => resolve())),
    },
    usage: {},
    intervalMs: 60_000,
    recorder: { start: record('recorder.start'), stop: record('recorder.stop') },
    checkpoints: {
      restore: record('checkpoints.restore'),
      start: (term: number) => record(`checkpoints.start ${term}`)(),
      leave: record('checkpoints.leave'),
    },
    decisions: { workloads: () => [], forget: record('forget'), onRecord: () => record('stopSharing') },
    cluster: { findWorkload: () => undefined },
    clock: { now: () => 0, schedule: () => record('stopSharingSource') },
    isLeader,
    leaseTransitions: () => 7,
  };
  return { dependencies: dependencies as unknown as TermDependencies, calls };
}

describe('the end of a term', () => {
  const until = (term: AbortSignal): Promise<void> => new Promise((resolve) => (term.onabort = () => resolve()));

  test.each([
    { how: 'by a clean stop keeps pending checkpoints for the last save', stillLeads: true, decide: until, gone: [] },
    {
      how: 'by a lost lease writes nothing that its successor could have replaced',
      stillLeads: false,
      decide: until,
      gone: ['checkpoints.leave', 'discardQueued'],
    },
  ])('$how', async ({ stillLeads, decide, gone }) => {
    const { dependencies, calls } = aTerm(() => stillLeads);
    const term = new AbortController();
    const led = leadTerm(dependencies, decide, term.signal);
    setImmediate(() => term.abort());
    await led;
    expect(calls.filter((call) => call === 'checkpoints.leave' || call === 'discardQueued')).toEqual(gone);
    expect(calls).toEqual(expect.arrayContaining(['checkpoints.start 7', 'recorder.stop', 'stopSharing', 'stopSharingSource']));
  });

  test('by an error discards everything as well, although the lease is still held', async () => {
    const { dependencies, calls } = aTerm(() => true);
    const fault = new Error('a fault');
    await expect(leadTerm(dependencies, () => Promise.reject(fault), new AbortController().signal)).rejects.toBe(fault);
    expect(calls).toEqual(expect.arrayContaining(['checkpoints.leave', 'discardQueued', 'recorder.stop', 'stopSharing']));
  });
});
