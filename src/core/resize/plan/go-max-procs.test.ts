import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, aWorkloadRecord, pods } from '../../../../test/builders/rightsizing.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { ContainerTarget } from '../model/container-plan.ts';

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

describe('what GOMAXPROCS does not fit is told, and changes no number', () => {
  test.each<[string, number, string, string | null, RegExp]>([
    ['a limit under it', 4, '300m', '600m', /lets Go use 4 at once, and the limit of 600m throttles it there: set it to 1, or/],
    ['a limit of several CPUs under it', 8, '2', '3', /set it to 3/],
    ['a request over it', 1, '2', null, /use no more than 1 at once: what is beyond that stays idle/],
  ])('%s', (_, goMaxProcs, cpu, limit, words) => {
    const [told, untold] = [targetOf(goMaxProcs, cpu, limit), targetOf(undefined, cpu, limit)];
    expect(told).toEqual({
      ...untold,
      steps: [...untold.steps, expect.objectContaining({ step: 'runtime', detail: expect.stringMatching(words) })],
    });
    expect(told.steps.at(-1)?.total).toBe(told.requests.cpuMillicores);
  });

  test.each<[string, number, string, string | null]>([
    ['a limit that it fits', 2, '300m', '2'],
    ['no limit, and a request inside it', 2, '1500m', null],
  ])('%s is nothing to tell', (_, goMaxProcs, cpu, limit) => {
    expect(targetOf(goMaxProcs, cpu, limit)).toEqual(targetOf(undefined, cpu, limit));
  });
});
