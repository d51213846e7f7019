import { describe, expect, test } from '@jest/globals';
import { listUnmatchedAnnotations } from './unmatched.ts';
import { readOverrides } from './workload-overrides.ts';

describe('annotations of a workload that match nothing', () => {
  const listFor = (annotations: Readonly<Record<string, string>>) =>
    listUnmatchedAnnotations(annotations, readOverrides(annotations), () => ['main', 'istio-proxy']);

  test.each([
    [
      { 'evenkeel.io/exlude': '' },
      ['evenkeel.io/exlude is not an annotation of a workload and has no effect; did you mean evenkeel.io/exclude?'],
    ],
    [{ 'evenkeel.io/trigger': 'now' }, ['evenkeel.io/trigger is not an annotation of a workload and has no effect']],
    [
      { 'evenkeel.io/floor': '{"mian":{"cpu":"1"},"*":{"cpu":"1"}}' },
      ['evenkeel.io/floor: the workload has no container mian; did you mean main?'],
    ],
    [{ 'evenkeel.io/floor': '{"istio-proxy":{"cpu":"1"}}' }, []],
    [{ 'evenkeel.io/exclude': 'true', 'evenkeel.io/mode': 'Auto', 'example.com/exlude': 'x' }, []],
  ])('of %j are reported with a suggestion', (annotations, expected) => {
    expect(listFor(annotations)).toEqual(expected);
  });

  test('of a hundred, the first eight are reported', () => {
    const annotations = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`evenkeel.io/x${index}`, '']));
    expect(listFor(annotations)).toHaveLength(8);
  });
});
