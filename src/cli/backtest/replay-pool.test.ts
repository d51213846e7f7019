import { expect, test } from '@jest/globals';
import type { Trace } from '../../core/backtest/time-grid.ts';
import type { ReplayJob } from './replay-job.ts';
import { replayAll } from './replay-pool.ts';

function aJob(name: string, cpu: Trace['cpu']): ReplayJob {
  return {
    name,
    from: { kind: 'trace', source: `of ${name}`, trace: { name, firstSlot: 0, cpu, memory: null } },
    setting: { goal: 'Balanced', pace: 'Daily' },
    resources: ['cpu'],
    warmUpDays: 0.5,
    emitTo: null,
    withPlots: false,
  };
}

test('a failing replay affects only its own recording', async () => {
  const steady = new Float64Array(288).fill(100);
  const broken = 7 as never;
  const jobs = [aJob('first', steady), aJob('broken', broken), aJob('last', steady)];
  const outcomes = await replayAll({ jobs, threads: 1, signal: new AbortController().signal, onDone: () => undefined });
  expect(outcomes.map(({ workload }) => workload?.name ?? null)).toEqual(['first', null, 'last']);
  expect(outcomes[1]?.problems).toEqual([{ source: 'of broken', line: null, problem: expect.stringMatching(/^the replay failed: /) }]);
});
