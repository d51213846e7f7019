// Which memory limits change: by the policy's rule, the deployed values and the language runtime.

import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, aWorkloadRecord, memory, pods } from '../../../../test/builders/rightsizing.ts';
import type { ContainerRuntime } from '#kube/records/container-runtime';
import type { OptionalResources } from '#kube/records/resources';
import { decideWorkload } from '../layers/decide-workload.ts';
import { DEFAULT_POLICY_RULES, type LimitPolicy, type PolicyRules } from '../policy/policy-rules.ts';
import { planContainers } from './plan-containers.ts';

interface Deployed {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
  readonly runtime?: ContainerRuntime;
}

const BURSTABLE = { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') };
const ONE_TO_ONE = { requests: amounts('500m', '1Gi'), limits: amounts(null, '1Gi') };
const GUARANTEED = { requests: amounts('500m', '1Gi'), limits: amounts('500m', '1Gi') };

function withRule(limit: LimitPolicy): PolicyRules {
  const { container } = DEFAULT_POLICY_RULES;
  return autoPolicy({ container: { ...container, memory: { ...container.memory, limit } } });
}

/** Memory of the container's target: request and limit. */
function targetOf(deployed: Deployed, needs: string, policy = autoPolicy()): readonly (number | null)[] {
  const { requests, limits, runtime } = deployed;
  const workload = aWorkloadRecord({}, { requests, limits });
  const containers = workload.containers.map((each) => (runtime === undefined ? each : { ...each, runtime }));
  const base = anAdvice({ cpu: '500m', memory: needs });
  const evidence = base.memoryEvidence && { ...base.memoryEvidence, ...(runtime === undefined ? {} : { runtime }) };
  const [plan] = planContainers(
    aSituation({
      workload: { ...workload, containers },
      pods: pods(1, { container: { requests, limits } }),
      advice: [{ ...base, memoryEvidence: evidence }],
      policy,
    }),
  );
  return [plan?.target?.requests.memoryBytes ?? null, plan?.target?.limits.memoryBytes ?? null];
}

describe('The memory limit of a Burstable container', () => {
  test('is kept by default, while its request falls', () => {
    expect(targetOf(BURSTABLE, '128Mi')).toEqual([memory('128Mi'), memory('1Gi')]);
  });

  test('is not raised by a forecast: the request ends at it', () => {
    expect(targetOf(BURSTABLE, '1200Mi')).toEqual([memory('1Gi'), memory('1Gi')]);
  });

  test('follows the request, both ways, where the policy says Ratio', () => {
    const policy = withRule({ rule: 'Ratio', ratio: 1.5 });
    expect(targetOf(BURSTABLE, '1200Mi', policy)).toEqual([memory('1200Mi'), memory('1800Mi')]);
    expect(targetOf(BURSTABLE, '256Mi', policy)[1]).toBeLessThan(memory('1Gi'));
  });

  test('follows by the ratio that is deployed where the policy gives none', () => {
    expect(targetOf(BURSTABLE, '800Mi', withRule({ rule: 'Ratio', ratio: null }))).toEqual([memory('800Mi'), memory('1600Mi')]);
  });

  test.each([
    ['of the limit itself', { name: 'JVM', option: 'by default', heapBytes: null, heapShare: 0.25 }, memory('1Gi')],
    ['of explicit flags', { name: 'JVM', option: '-Xmx', heapBytes: memory('100Mi'), heapShare: null }, null],
  ] as const)('falls under Ratio only where a runtime does not size itself by it: %s', (_, runtime, kept) => {
    const [, limit] = targetOf({ ...BURSTABLE, runtime }, '256Mi', withRule({ rule: 'Ratio', ratio: 1.25 }));
    if (kept === null) expect(limit).toBeLessThan(memory('1Gi'));
    else expect(limit).toBe(kept);
  });
});

describe.each([
  ['A container of equal memory request and limit', ONE_TO_ONE],
  ['A Guaranteed container', GUARANTEED],
])('%s', (_, deployed) => {
  test('falls as one', () => {
    const [request, limit] = targetOf(deployed, '256Mi');
    expect(request).toBeLessThan(memory('1Gi'));
    expect(limit).toBe(request);
  });

  test('is lowered as far as its recommendation shows, and no less far', () => {
    const situation = aSituation({
      workload: aWorkloadRecord({}, deployed),
      pods: pods(1, { container: deployed }),
      advice: [anAdvice({ cpu: '500m', memory: '256Mi' })],
    });
    const shown = planContainers(situation)[0]?.target?.requests.memoryBytes;
    expect(decideWorkload(situation).steps.map(({ containers }) => containers[0]?.to.requests.memoryBytes)).toEqual([shown]);
  });

  test('rises as one, no further than what is deployed', () => {
    const small = (amount: OptionalResources): OptionalResources => ({ ...amount, memoryBytes: memory('300Mi') });
    const at = (needs: string) => {
      const base = anAdvice({ cpu: '500m', memory: needs });
      const situation = aSituation({
        workload: aWorkloadRecord({}, deployed),
        pods: pods(1, { container: { requests: small(deployed.requests), limits: small(deployed.limits) } }),
        advice: [{ ...base, memoryEvidence: base.memoryEvidence && { ...base.memoryEvidence, typical: memory('100Mi') } }],
      });
      const target = planContainers(situation)[0]?.target;
      return [target?.requests.memoryBytes, target?.limits.memoryBytes];
    };
    expect(at('600Mi')).toEqual([memory('600Mi'), memory('600Mi')]);
    expect(at('1500Mi')).toEqual([memory('1Gi'), memory('1Gi')]);
  });

  test('stays where a runtime sizes itself by the limit', () => {
    const runtime = { name: 'Node.js', option: 'by default', heapBytes: null, heapShare: 0.25 } as const;
    expect(targetOf({ ...deployed, runtime }, '256Mi')).toEqual([memory('1Gi'), memory('1Gi')]);
  });
});

test('A Burstable container stays so, whatever is at its limit: no resize in place changes the QoS class', () => {
  const container = { requests: amounts('500m', '1Gi'), limits: amounts('1', '1Gi') };
  const situation = aSituation({
    workload: aWorkloadRecord({}, container),
    pods: pods(1, { container }),
    advice: [anAdvice({ cpu: '2', memory: '1Gi' })],
  });
  expect(planContainers(situation)[0]?.target?.requests).toEqual(amounts('999m', '1Gi'));
});

test('Equal memory request and limit move by the ratio where the policy says Ratio', () => {
  const [request, limit] = targetOf(ONE_TO_ONE, '256Mi', withRule({ rule: 'Ratio', ratio: 1.25 }));
  expect(request).toBe(memory('256Mi'));
  expect(limit).toBeGreaterThan(memory('256Mi'));
});
