import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAdvice, aSituation, autoPolicy, aWorkloadRecord, pods, resized } from '../../../../test/builders/rightsizing.ts';
import { MINUTE_MS } from '#kube/units';
import { hasReduction, qosOf } from '../model/container-values.ts';
import { decideWorkload } from './decide-workload.ts';
import type { WorkloadSituation } from '../model/situation.ts';

describe('for any usage, limits and bounds', () => {
  const amount = (least: number, most: number) => fc.integer({ min: least, max: most });
  const mib = 1024 * 1024;
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });
  const situations = fc
    .record({
      cpu: amount(10, 4000),
      memoryMiB: amount(16, 4096),
      cpuLimit: optional(amount(1, 4)),
      memoryLimit: optional(amount(1, 4)),
      cpuNeed: amount(10, 4000),
      memoryNeedMiB: amount(16, 4096),
      latestMiB: amount(1, 6000),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      rule: fc.constantFrom('Keep' as const, 'Ratio' as const),
      version: fc.constantFrom('v1.33.2', 'v1.36.0'),
      controlled: fc.constantFrom('requests' as const, 'requestsAndLimits' as const),
      count: amount(1, 12),
    })
    .map((given): WorkloadSituation => {
      const container = {
        requests: { cpuMillicores: given.cpu, memoryBytes: given.memoryMiB * mib },
        limits: {
          cpuMillicores: given.cpuLimit === null ? null : given.cpu * given.cpuLimit,
          memoryBytes: given.memoryLimit === null ? null : given.memoryMiB * mib * given.memoryLimit,
        },
      };
      const advice = anAdvice({
        cpu: `${given.cpuNeed}m`,
        memory: `${given.memoryNeedMiB}Mi`,
        cpuAdvice: { confidence: given.confidence },
        memoryAdvice: { confidence: given.confidence },
      });
      const base = autoPolicy();
      const rules = {
        ...base.container,
        controlled: given.controlled,
        cpu: { ...base.container.cpu, limit: { rule: given.rule, ratio: 1.5 } },
      };
      return aSituation({
        pods: pods(given.count, { container }),
        workload: aWorkloadRecord({}, container),
        advice: [{ ...advice, memoryEvidence: { ...advice.memoryEvidence!, latest: given.latestMiB * mib } }],
        policy: { ...base, container: rules },
        kubeletVersions: new Map([['n1', given.version]]),
      });
    });

  test('QoS never changes, requests stay within limits, nothing shrinks while another resource is short, no memory limit falls near its use', () => {
    fc.assert(
      fc.property(situations, (start) => {
        let situation = start;
        for (let round = 0; round < 25; round += 1) {
          const decision = decideWorkload(situation);
          const advice = situation.advice[0]!;
          for (const step of decision.steps) {
            const { from, to } = step.containers[0]!;
            expect(qosOf([to])).toBe(step.pod.qosClass);
            for (const field of ['cpuMillicores', 'memoryBytes'] as const) {
              expect(to.requests[field] ?? 0).toBeLessThanOrEqual(to.limits[field] ?? Number.POSITIVE_INFINITY);
              expect(from.limits[field] === null).toBe(to.limits[field] === null);
            }
            const isShort =
              (from.requests.cpuMillicores ?? 0) < advice.cpu!.lowerBound - 5 ||
              (from.requests.memoryBytes ?? 0) < advice.memory!.lowerBound - 4 * mib;
            const target = decision.containers[0]!.target!;
            // Above the dead band.
            const canGrow =
              target.requests.cpuMillicores! >= from.requests.cpuMillicores! + 5 ||
              target.requests.memoryBytes! >= from.requests.memoryBytes! + 4 * mib;
            if (isShort && canGrow) expect(hasReduction(from, to)).toBe(false);
            if ((to.limits.memoryBytes ?? 0) < (from.limits.memoryBytes ?? 0)) {
              expect(to.limits.memoryBytes).toBeGreaterThanOrEqual(advice.memoryEvidence!.latest * 1.25);
            }
          }
          situation = {
            ...situation,
            memory: decision.memory,
            pods: resized(situation.pods, decision.steps),
            now: situation.now + 10 * MINUTE_MS,
          };
        }
      }),
      { numRuns: 300 },
    );
  });

  test('the explanation adds up to the recommended request', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const target = decideWorkload(situation).containers[0]?.target;
        if (target === null || target === undefined) return;
        const last = (resource: 'cpu' | 'memory') => target.steps.filter((step) => step.resource === resource).at(-1)?.total;
        expect([last('cpu'), last('memory')]).toEqual([target.requests.cpuMillicores, target.requests.memoryBytes]);
      }),
    );
  });

  test('the same situation gives the same decision', () => {
    fc.assert(
      fc.property(situations, (situation) => expect(decideWorkload(situation)).toEqual(decideWorkload(situation))),
      { numRuns: 30 },
    );
  });
});
