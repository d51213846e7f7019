import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  amounts,
  anAdvice,
  aSituation,
  aWorkloadRecord,
  memory,
  oomAdvice,
  NO_OVERRIDES,
  pods,
} from '../../../../../test/builders/rightsizing.ts';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../../policy/policy-rules.ts';
import { limitBound } from './limit-bound.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { planContainers } from '../plan-containers.ts';

const KILLS = 40;
const NODE = { cpuMillicores: 16_000, memoryBytes: memory('64Gi') };

function aPolicy(max: number | null, limit: PolicyRules['container']['memory']['limit']): PolicyRules {
  const { container } = DEFAULT_POLICY_RULES;
  return { ...DEFAULT_POLICY_RULES, mode: 'Auto', container: { ...container, memory: { ...container.memory, max, limit } } };
}

/** The limit after repeated OOM kills at the limit, as of a container that uses any amount that it gets. */
function limitAfterKills(situation: Partial<WorkloadSituation>, deployed: { readonly request: string; readonly limit: string }): number {
  const container = { requests: amounts('500m', deployed.request), limits: amounts(null, deployed.limit) };
  let limit = memory(deployed.limit);
  for (let kill = 0; kill < KILLS; kill++) {
    const minLimitByKills = limit * 1.2;
    const advice = anAdvice({ memory: deployed.request });
    const killed = { ...advice, oom: oomAdvice(minLimitByKills) };
    const running = { ...container, limits: { cpuMillicores: null, memoryBytes: limit } };
    const [plan] = planContainers(
      aSituation({
        workload: aWorkloadRecord({}, container),
        pods: pods(2, { container: running }),
        advice: [killed],
        largestNode: NODE,
        ...situation,
      }),
    );
    limit = plan?.target?.limits.memoryBytes ?? limit;
  }
  return limit;
}

describe('A memory limit after repeated OOM kills', () => {
  test.each([
    ['the policy’s max times its ratio', aPolicy(memory('512Mi'), { rule: 'Ratio', ratio: 1.25 }), memory('640Mi')],
    ['the policy’s max times the ratio as deployed', aPolicy(memory('512Mi'), { rule: 'Keep', ratio: null }), memory('1Gi')],
    ['80 % of the largest node', aPolicy(null, { rule: 'Keep', ratio: null }), Math.floor(NODE.memoryBytes * 0.8)],
  ])('ends at %s', (_, policy, bound) => {
    const limit = limitAfterKills({ policy }, { request: '256Mi', limit: '512Mi' });
    expect(limit).toBeLessThanOrEqual(bound);
    expect(limit).toBeGreaterThan(bound * 0.99);
  });

  test('of a Guaranteed pod ends at the policy’s max, as its request is equal', () => {
    const container = { requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') };
    const [plan] = planContainers(
      aSituation({
        workload: aWorkloadRecord({}, container),
        pods: pods(2, { container }),
        advice: [{ ...anAdvice({ cpu: '500m', memory: '512Mi' }), oom: oomAdvice(memory('4Gi')) }],
        policy: aPolicy(memory('1Gi'), { rule: 'Ratio', ratio: 1.5 }),
        largestNode: NODE,
      }),
    );
    expect(plan?.target).toMatchObject({ requests: { memoryBytes: memory('1Gi') }, limits: { memoryBytes: memory('1Gi') } });
  });

  test('ends at the workload’s ceiling, which takes precedence over the policy’s max', () => {
    const overrides = { ...NO_OVERRIDES, ceiling: new Map([['main', { cpuMillicores: null, memoryBytes: memory('300Mi') }]]) };
    const policy = aPolicy(memory('2Gi'), { rule: 'Ratio', ratio: 1 });
    expect(limitAfterKills({ policy, overrides }, { request: '200Mi', limit: '200Mi' })).toBe(memory('300Mi'));
  });

  test('stays where it is above its bound already', () => {
    const policy = aPolicy(memory('512Mi'), { rule: 'Keep', ratio: null });
    expect(limitAfterKills({ policy }, { request: '1Gi', limit: '2Gi' })).toBe(memory('2Gi'));
  });

  test('never exceeds its bound for any policy, template and node', () => {
    const mebibytes = fc.integer({ min: 64, max: 8192 });
    fc.assert(
      fc.property(
        fc.record({ max: fc.option(mebibytes), request: mebibytes, times: fc.double({ min: 1, max: 4, noNaN: true }) }),
        fc.constantFrom('Keep', 'Ratio'),
        ({ max, request, times }, rule) => {
          const deployed = { request: `${request}Mi`, limit: `${Math.ceil(request * times)}Mi` };
          const limitPolicy = { rule, ratio: null } as const;
          const maxRequest = max === null ? null : memory(`${max}Mi`);
          const bound = limitBound({
            guaranteed: false,
            resource: 'memory',
            maxRequest,
            limit: limitPolicy,
            template: { requests: amounts('500m', deployed.request), limits: amounts(null, deployed.limit) },
            largestNode: NODE,
          });
          const limit = limitAfterKills({ policy: aPolicy(maxRequest, limitPolicy) }, deployed);
          expect(limit).toBeLessThanOrEqual(Math.max(bound ?? 0, memory(deployed.limit)));
        },
      ),
      { numRuns: 50 },
    );
  });
});
