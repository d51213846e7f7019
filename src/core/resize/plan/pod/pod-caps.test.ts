import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, anAdvice, aPodRecord, aSituation, memory } from '../../../../../test/builders/rightsizing.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import type { LimitRangeRecord } from '../../../model/cluster-records.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { planContainers } from '../plan-containers.ts';

const limitRange: LimitRangeRecord = {
  namespace: 'shop',
  name: 'pods',
  min: UNSET_RESOURCES,
  max: UNSET_RESOURCES,
  maxLimitRequestRatio: { cpu: null, memory: null },
};

/** Two containers of 500m, unless other pods are given; `main` needs 800m, `proxy` 100m. */
function aPair(situation: Partial<WorkloadSituation>): WorkloadSituation {
  const containers = [aContainer(), aContainer({ name: 'proxy' })];
  return aSituation({
    pods: [aPodRecord({ containers })],
    advice: [anAdvice({ cpu: '800m', memory: '512Mi' }), anAdvice({ container: 'proxy', cpu: '100m', memory: '512Mi' })],
    ...situation,
  });
}

/** A pod with two containers of 300m. */
const small = [
  aPodRecord({
    containers: ['main', 'proxy'].map((name) => aContainer({ name, requests: amounts('300m', '512Mi') })),
  }),
];

function cpusOf(situation: WorkloadSituation): readonly (number | null | undefined)[] {
  return planContainers(situation).map(({ target }) => target?.requests.cpuMillicores);
}

describe('the total requests of a pod', () => {
  test.each<[string, Partial<WorkloadSituation>, readonly number[]]>([
    ['nothing bounds it', {}, [800, 100]],
    [
      'free capacity on the nodes is for all of its containers together: a raise ends there',
      { pods: small, freeForPod: { cpuMillicores: 750, memoryBytes: memory('64Gi') } },
      [650, 100],
    ],
    [
      'where no node is left that is large enough, nothing is raised, and nothing is lowered for it',
      { pods: small, freeForPod: { cpuMillicores: 200, memoryBytes: memory('64Gi') } },
      [500, 100],
    ],
    ['the maximum of a LimitRange', { limitRanges: [{ ...limitRange, podMax: amounts('750m', null) }] }, [666, 83]],
    ['the minimum of a LimitRange', { limitRanges: [{ ...limitRange, podMin: amounts('1', null) }] }, [800, 200]],
  ])('%s', (_, situation, expected) => {
    expect(cpusOf(aPair(situation))).toEqual(expected);
  });

  test('and the explanation names the bound', () => {
    const [main] = planContainers(aPair({ pods: small, freeForPod: { cpuMillicores: 750, memoryBytes: memory('64Gi') } }));
    expect(main?.target?.steps.at(-1)).toEqual({
      resource: 'cpu',
      step: 'node',
      detail: 'no node that accepts this pod has more than 750m free for it besides DaemonSets',
      total: 650,
    });
  });
});
