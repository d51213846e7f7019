import { expect, test } from '@jest/globals';
import { amounts } from '../../../../../test/builders/rightsizing.ts';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../../policy/policy-rules.ts';
import type { Resources } from '#kube/records/resources';
import { readOverrides } from '../../policy/workload-overrides.ts';
import { withinBounds } from './within-bounds.ts';

const bounded = (
  requests: string,
  limits: string | null,
  annotations: Readonly<Record<string, string>>,
  policy: PolicyRules = DEFAULT_POLICY_RULES,
  largestNode: Resources | null = null,
) => {
  const none = { cpuMillicores: null, memoryBytes: null };
  const values = { requests: amounts(requests, '256Mi'), limits: limits === null ? none : amounts(limits, '512Mi') };
  const { values: result, messages } = withinBounds(new Map([['main', values]]), {
    policy,
    overrides: readOverrides(annotations),
    largestNode,
  });
  const main = result.get('main');
  return [main?.requests.cpuMillicores, main?.limits.cpuMillicores, messages.length];
};
const FLOOR = { 'evenkeel.io/floor': '{"*":{"cpu":"700m"}}' };
const CEILING = { 'evenkeel.io/ceiling': '{"*":{"cpu":"300m"}}' };

test.each([
  ['a request inside its bounds stays', '750m', '1', FLOOR, [750, 1000, 0]],
  ['a request below the floor is raised', '500m', '1', FLOOR, [700, 1000, 1]],
  ['a limit below the raised request is raised with it', '500m', '600m', FLOOR, [700, 700, 1]],
  ['a limit that is unset stays unset', '500m', null, FLOOR, [700, null, 1]],
  ['a request above the ceiling is lowered, and a greater limit stays', '500m', '1', CEILING, [300, 1000, 1]],
  ['a limit equal to its request stays equal', '500m', '500m', CEILING, [300, 300, 1]],
  ['without bounds every value stays', '1m', '2m', {}, [1, 2, 0]],
])('%s', (_rule, requests, limits, annotations, expected) => {
  expect(bounded(requests, limits, annotations)).toEqual(expected);
});

test("the policy's min raises a request; its max lowers none, because the reduction to it may be what does harm", () => {
  const { container } = DEFAULT_POLICY_RULES;
  const policy = { ...DEFAULT_POLICY_RULES, container: { ...container, cpu: { ...container.cpu, min: 100, max: 300 } } };
  expect(bounded('500m', '1', {}, policy)).toEqual([500, 1000, 0]);
  expect(bounded('50m', '1', {}, policy)).toEqual([100, 1000, 1]);
});

test('a floor raises no request past 80 % of the largest node, on which its pod would never start', () => {
  const node = (cpuMillicores: number): Resources => ({ cpuMillicores, memoryBytes: 2 ** 40 });
  expect(bounded('500m', '600m', FLOOR, DEFAULT_POLICY_RULES, node(800))).toEqual([640, 640, 1]);
  expect(bounded('500m', '600m', FLOOR, DEFAULT_POLICY_RULES, node(500))).toEqual([500, 600, 0]);
});
