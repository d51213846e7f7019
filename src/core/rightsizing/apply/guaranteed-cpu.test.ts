import { describe, expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, autoPolicy, aWorkloadRecord, pods } from '../../../../test/builders/rightsizing.ts';
import { decideWorkload } from './decide-workload.ts';

const equal = amounts('1', '512Mi');
const container = { requests: equal, limits: equal };
const advice = anAdvice({ cpu: '200m', memory: '256Mi', cpuAdvice: { peak: 360 } });

describe('CPU of a Guaranteed pod', () => {
  test('falls only so far that its limit, which falls along, would not have held back what was seen', () => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [advice] }),
    );
    expect(decision.containers[0]?.target).toMatchObject({ requests: { cpuMillicores: 450 }, limits: { cpuMillicores: 450 } });
    const steps = decision.containers[0]?.target?.steps.filter(({ resource }) => resource === 'cpu') ?? [];
    expect(steps.at(-1)).toMatchObject({ step: 'limit', value: 450, detail: expect.stringContaining('Guaranteed') });
  });

  test('rises while there is no room left above what is seen', () => {
    const small = amounts('400m', '512Mi');
    const tight = { requests: small, limits: small };
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container: tight }), workload: aWorkloadRecord({}, tight), advice: [advice] }),
    );
    expect(decision.steps[0]?.containers[0]?.to.limits.cpuMillicores).toBe(450);
  });

  test.each([
    ['of a Burstable pod', { requests: equal, limits: amounts('2', '1Gi') }, autoPolicy()],
    [
      'whose policy leaves limits alone',
      container,
      autoPolicy({ container: { ...autoPolicy().container, controlled: 'requests' as const } }),
    ],
  ])('%s is what the advice says', (_case, sizes, policy) => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container: sizes }), workload: aWorkloadRecord({}, sizes), advice: [advice], policy }),
    );
    expect(decision.containers[0]?.target?.steps.some(({ detail }) => detail.includes('would hold back'))).toBe(false);
  });
});
