import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, aWorkloadRecord, pods } from '../../../../../test/builders/rightsizing.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import type { ContainerTarget } from '../../model/container-plan.ts';

function targetOf(goMaxProcs: number | undefined, cpu: string, limit: string | null): ContainerTarget {
  const sizes = { requests: amounts('500m', '512Mi'), limits: amounts(limit, null) };
  const container = { name: 'main', sidecar: false, image: 'api', ...sizes, ...(goMaxProcs === undefined ? {} : { goMaxProcs }) };
  const situation = aSituation({
    workload: aWorkloadRecord({ containers: [container] }),
    pods: pods(2, { container: sizes }),
    advice: [anAdvice({ cpu, memory: '512Mi' })],
  });
  return decideWorkload(situation).containers[0]!.target!;
}

describe('an explanation reports that GOMAXPROCS does not match', () => {
  test.each<[string, number, string, string | null, RegExp]>([
    ['a limit under it', 4, '300m', '600m', /allows Go 4 CPU at once, above the limit of 600m, which throttles it: set it to 1, or/],
    ['a limit of several CPUs under it', 8, '2', '3', /set it to 3/],
    ['a request over it', 1, '2', null, /at most 1 CPU at once: a greater request stays unused/],
  ])('%s', (_, goMaxProcs, cpu, limit, words) => {
    const [explained, plain] = [targetOf(goMaxProcs, cpu, limit), targetOf(undefined, cpu, limit)];
    expect(explained).toEqual({
      ...plain,
      steps: [...plain.steps, expect.objectContaining({ step: 'runtime', detail: expect.stringMatching(words) })],
    });
    expect(explained.steps.at(-1)?.total).toBe(explained.requests.cpuMillicores);
  });

  test.each<[string, number, string, string | null]>([
    ['a limit that it fits', 2, '300m', '2'],
    ['no limit, and a request inside it', 2, '1500m', null],
  ])('no explanation for %s', (_, goMaxProcs, cpu, limit) => {
    expect(targetOf(goMaxProcs, cpu, limit)).toEqual(targetOf(undefined, cpu, limit));
  });
});
