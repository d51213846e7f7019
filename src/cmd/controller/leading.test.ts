import { describe, expect, test } from '@jest/globals';
import { leadTerm, type LeadingDependencies } from './leading.ts';

/** Everything that a term touches, noting what is asked of it. */
function aTerm(isLeader: () => boolean) {
  const asked: string[] = [];
  const note = (what: string) => () => void asked.push(what);
  const dependencies = {
    shared: { share: note('share'), withdraw: note('withdraw'), changes: note('changes') },
    feed: { stop: async () => note('feed.stop')() },
    source: {
      status: () => ({ name: 'kubelet' }),
      run: (_sink: unknown, _intervalMs: number, signal: AbortSignal) => new Promise<void>((resolve) => (signal.onabort = () => resolve())),
    },
    usage: {},
    intervalMs: 60_000,
    recorder: { start: note('recorder.start'), stop: note('recorder.stop') },
    checkpoints: {
      restore: note('checkpoints.restore'),
      start: (term: number) => note(`checkpoints.start ${term}`)(),
      leave: note('checkpoints.leave'),
    },
    decisions: { workloads: () => [], forget: note('forget'), onRecord: () => note('stopSharing') },
    cluster: { findWorkload: () => undefined },
    clock: { now: () => 0, schedule: () => note('stopSharingSource') },
    isLeader,
    leaseTransitions: () => 7,
  };
  return { dependencies: dependencies as unknown as LeadingDependencies, asked };
}

describe('the end of a term', () => {
  const until = (term: AbortSignal): Promise<void> => new Promise((resolve) => (term.onabort = () => resolve()));

  test.each([
    { how: 'on a clean stop keeps what waits, to be written at the very end', stillLeads: true, decide: until, gone: [] },
    { how: 'on a lost lease writes nothing over its successor', stillLeads: false, decide: until, gone: ['checkpoints.leave', 'withdraw'] },
  ])('$how', async ({ stillLeads, decide, gone }) => {
    const { dependencies, asked } = aTerm(() => stillLeads);
    const term = new AbortController();
    const led = leadTerm(dependencies, decide, term.signal);
    setImmediate(() => term.abort());
    await led;
    expect(asked.filter((what) => what === 'checkpoints.leave' || what === 'withdraw')).toEqual(gone);
    expect(asked).toEqual(expect.arrayContaining(['checkpoints.start 7', 'recorder.stop', 'stopSharing', 'stopSharingSource']));
  });

  test('by a fault gives everything up as well, though the lease is still held', async () => {
    const { dependencies, asked } = aTerm(() => true);
    const fault = new Error('a fault');
    await expect(leadTerm(dependencies, () => Promise.reject(fault), new AbortController().signal)).rejects.toBe(fault);
    expect(asked).toEqual(expect.arrayContaining(['checkpoints.leave', 'withdraw', 'recorder.stop', 'stopSharing']));
  });
});
