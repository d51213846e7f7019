import { expect, test } from '@jest/globals';
import type { Recommendation } from '../../apis/http/types.generated.ts';
import { listRemedies } from './remedies.ts';

function answerOf(given: Partial<Recommendation>): string {
  const record = {
    state: 'awaiting',
    reason: null,
    until: null,
    containers: [],
    overrides: { floor: null, ceiling: null },
    ...given,
  };
  return listRemedies(record as unknown as Recommendation, undefined).join(' ');
}

test.each([
  ['hold', ['roll-back', 'evenkeel.io/held-until']],
  ['stale-data', ['usage', 'informers', 'error-rate', 'clock']],
  ['confidence', ['minConfidence', 'memory']],
  ['unmeasured', ['throttling', 'Guaranteed', 'pressure']],
  ['rollout', ['rollout', 'ready', 'eviction']],
] as const)('the message for %s names every cause of that reason', (reason, causes) => {
  const answer = answerOf({ reason });
  for (const cause of causes) expect(answer).toContain(cause);
});

test('an excluded workload is excluded by its annotation or its mode', () => {
  const answer = answerOf({ state: 'excluded' });
  expect(answer).toContain('evenkeel.io/exclude');
  expect(answer).toContain('Off');
});

test('a reduction is not announced as immediate', () => {
  const bound = (cpuMillicores: number) => ({ cpuMillicores, memoryBytes: null });
  const container = { name: 'web', lowerBound: bound(90), upperBound: bound(110) };
  expect(answerOf({ containers: [container] as unknown as Recommendation['containers'] })).toBe(
    'web: CPU demand outside 90m to 110m changes the value: a raise is due at once, a reduction after its checks.',
  );
});
