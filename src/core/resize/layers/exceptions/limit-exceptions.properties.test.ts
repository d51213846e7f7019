import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { requestsOnlyPolicy } from '../../../../../test/builders/exceptions.ts';
import { amounts, anAdvice, aSituation, memory, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';
import { readMemory } from '../../status/memory-codec.ts';
import { recommendationStatus } from '../../status/recommendation-status.ts';

const BASE_MIB = 256;
const fit = anAdvice({ cpu: '100m', memory: '128Mi' });

/** Working set in MiB, time and user decision between two decisions. */
const step = fc.record({
  usedMib: fc.integer({ min: 20, max: 700 }),
  afterMs: fc.constantFrom(MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 13 * HOUR_MS),
  says: fc.constantFrom(null, null, null, 'approve', 'reject'),
  stale: fc.constantFrom(false, false, false, true),
});

/** Stores and reads the memory after each decision, as after a restart. */
function remembered(situation: WorkloadSituation, decision: ReturnType<typeof decideWorkload>): WorkloadSituation['memory'] {
  const facts = { now: situation.now, generation: 1, replicas: 2, savingsPerMonthUsd: null, costPerMonthUsd: null, source: null };
  return readMemory(recommendationStatus(decision, facts, undefined));
}

test('for any demand and decisions an overage stays within the ratio, above present usage, in one record, and ends', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), fc.constantFrom(1.2, 2), (steps, maxRatio) => {
      const policy = requestsOnlyPolicy({ limitOverage: { mode: 'Temporary', maxRatio, forMs: 24 * HOUR_MS } });
      const container = { requests: amounts('100m', '128Mi'), limits: amounts(null, `${BASE_MIB}Mi`) };
      let situation: WorkloadSituation = aSituation({ pods: pods(2, { container }), advice: [fit], policy });
      let base = BASE_MIB;
      const live = ({ usedMib, afterMs, says, stale }: { usedMib: number; afterMs: number; says: string | null; stale: boolean }): void => {
        const used = usedMib * MiB;
        const windows = [2, 1, 0].map((ago) => ({
          at: situation.now - ago * MINUTE_MS,
          memoryBytes: used * (1 - ago / 100),
          cpuMillicores: 50,
          throttledRatio: null,
        }));
        const decisions =
          says === null ? [] : [{ container: 'main', resource: 'memory', decision: says, value: null, at: situation.now, by: 'ann' }];
        const now: WorkloadSituation = {
          ...situation,
          demand: [{ container: 'main', windows }],
          advice: [{ ...fit, memoryEvidence: { ...fit.memoryEvidence!, latest: used } }],
          gateState: { ...situation.gateState, stale: stale ? { source: 'usage', message: 'old' } : null },
          userRequests: { ...NO_USER_REQUESTS, exceptionDecisions: decisions as never },
        };
        const decision = decideWorkload(now);
        if (stale) expect(decision.steps).toEqual([]);
        for (const { containers } of decision.steps) {
          for (const { from, to } of containers) {
            const [before, after] = [from.limits.memoryBytes ?? 0, to.limits.memoryBytes ?? 0];
            if (after < before) expect(after).toBeGreaterThanOrEqual(used * 1.25);
          }
        }
        const approved = decision.memory.limitExceptions.flatMap(({ state, decided }) =>
          state === 'approved' ? [decided?.value ?? 0] : [],
        );
        base = Math.max(base, ...approved.map((value) => value / MiB));
        const after = resized(now.pods, decision.steps);
        for (const pod of after) {
          const limit = (pod.containers[0]!.limits.memoryBytes ?? 0) / MiB;
          expect(limit).toBeGreaterThanOrEqual(BASE_MIB);
          expect(limit).toBeLessThanOrEqual(base * maxRatio);
        }
        expect(new Set(decision.memory.limitExceptions.map(({ container: name, resource }) => `${name}/${resource}`)).size).toBe(
          decision.memory.limitExceptions.length,
        );
        situation = { ...now, memory: remembered(now, decision), pods: after, now: now.now + afterMs };
      };
      for (const each of steps) live(each);
      for (let hour = 0; hour < 60; hour += 1) live({ usedMib: 20, afterMs: HOUR_MS, says: null, stale: false });
      const inForce = situation.memory.lastApplied?.values.get('main')?.limits.memoryBytes ?? memory(`${BASE_MIB}Mi`);
      expect(situation.pods.map((pod) => pod.containers[0]!.limits.memoryBytes)).toEqual([inForce, inForce]);
      expect(situation.memory.limitExceptions.filter(({ state }) => state === 'open')).toEqual([]);
      expect(situation.now).toBeGreaterThan(T0);
    }),
    { numRuns: 60 },
  );
});
