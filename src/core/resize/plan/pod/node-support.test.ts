import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, anAdvice, aPodRecord, aSituation, T0 } from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import type { FailedResize, WorkloadSituation } from '../../model/situation.ts';

const situationOf = (more: Partial<WorkloadSituation>): WorkloadSituation =>
  aSituation({ pods: [aPodRecord()], advice: [anAdvice({ cpu: '900m', memory: '1Gi' })], ...more });

describe('before a resize', () => {
  test('the operating system of the node is checked', () => {
    const decision = decideWorkload(situationOf({ windowsNodes: new Set(['n1']) }));
    expect([decision.steps, decision.state, decision.reason, decision.message]).toEqual([
      [],
      'awaiting',
      'node-unsupported',
      'web-1: node n1 runs Windows, which does not support in-place resizes',
    ]);
  });

  test.each([
    ['v1.32.9-eks-1', 'node-unsupported'],
    ['v1.33.0', null],
    ['v2.0.0', null],
    // An unknown version is tried.
    ['', null],
  ])('the version of the kubelet is checked: %s', (version, reason) => {
    const decision = decideWorkload(situationOf({ kubeletVersions: new Map([['n1', version]]) }));
    expect(decision.reason).toBe(reason);
    if (reason !== null) expect(decision.message).toBe(`web-1: the kubelet of node n1 is ${version}; in-place resizes require v1.33`);
  });

  describe('refusals of other workloads in the node pool apply:', () => {
    const nodePools = new Map([['n1', { pool: 'blue', size: '4cpu-16Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 30 * DAY_MS }]]);
    const refusal = (code: FailedResize['code'], resource: FailedResize['resource'], more: Partial<FailedResize> = {}): FailedResize => ({
      pod: 'db-0',
      uid: 'uid-db-0',
      pool: 'blue/v1.36.0',
      resource,
      state: 'infeasible',
      since: T0 - HOUR_MS,
      code,
      message: code,
      values: new Map(),
      ...more,
    });
    const asked = (poolRefusals: readonly FailedResize[], more: Partial<WorkloadSituation> = {}) =>
      decideWorkload(situationOf({ nodePools, poolRefusals, ...more })).steps.map(({ containers }) => containers[0]?.to);
    const raised = { requests: amounts('900m', '1Gi'), limits: amounts(null, null) };

    test('swap, for the memory of Burstable pods', () => {
      expect(asked([refusal('swap', 'memory')])).toEqual([{ ...raised, requests: amounts('900m', '512Mi') }]);
      const critical = aPodRecord({ priority: 2_000_000_000 });
      expect(asked([refusal('swap', 'memory')], { pods: [critical] })).toEqual([raised]);
    });

    test('not for containers whose memory request equals the limit, which never swap', () => {
      const container = aContainer({ requests: amounts('500m', '512Mi'), limits: amounts(null, '512Mi') });
      const equal = situationOf({
        nodePools,
        pods: [aPodRecord({ containers: [container] })],
        advice: [anAdvice({ cpu: '900m', memory: '256Mi' })],
      });
      const without = decideWorkload(equal).steps;
      expect(without).toHaveLength(1);
      expect(decideWorkload({ ...equal, poolRefusals: [refusal('swap', 'memory')] }).steps).toEqual(without);
    });

    test('static managers, for Guaranteed pods alone', () => {
      expect(asked([refusal('cpu-manager', 'cpu'), refusal('memory-manager', 'memory')])).toEqual([raised]);
    });

    test('no resize at all, for every pod', () => {
      const decision = decideWorkload(situationOf({ nodePools, poolRefusals: [refusal('no-resize', null)] }));
      expect([decision.steps, decision.reason, decision.message]).toEqual([
        [],
        'node-unsupported',
        'web-1: node pool blue/v1.36.0: no-resize',
      ]);
    });

    test('for a day, in that pool', () => {
      expect(asked([refusal('swap', 'memory', { since: T0 - DAY_MS })])).toEqual([raised]);
      expect(asked([refusal('swap', 'memory', { pool: 'green' })])).toEqual([raised]);
    });
  });
});
