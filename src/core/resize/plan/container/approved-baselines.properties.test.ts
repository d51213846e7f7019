import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, anAdvice, aSituation, autoPolicy, pods, resized } from '../../../../../test/builders/rightsizing.ts';
import type { ResourceName } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { FIELD } from '../../model/container-values.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { readMemory } from '../../status/memory-codec.ts';
import { recommendationStatus } from '../../status/recommendation-status.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../model/situation.ts';
import type { LimitPolicy, PolicyRules } from '../../policy/policy-rules.ts';
import type { LimitException } from '../../model/limit-exception.ts';

/** A deployed limit and the approved one, in millicores or bytes. */
const AMOUNTS = { cpu: { limit: 400, approved: 900 }, memory: { limit: 256 * MiB, approved: 448 * MiB } };

/** Usage and time between two decisions. */
const step = fc.record({
  cpuMillicores: fc.integer({ min: 10, max: 1500 }),
  memoryMib: fc.integer({ min: 20, max: 700 }),
  afterMs: fc.constantFrom(MINUTE_MS, 30 * MINUTE_MS, 5 * HOUR_MS, 2 * DAY_MS),
});
const rule = fc.constantFrom<LimitPolicy>(
  { rule: 'Keep', ratio: null },
  { rule: 'Ratio', ratio: null },
  { rule: 'Ratio', ratio: 1.2 },
  { rule: 'Ratio', ratio: 3 },
);

function anOpenException(resource: ResourceName, now: number): LimitException {
  const { limit, approved } = AMOUNTS[resource];
  return {
    container: 'main',
    resource,
    type: 'usage-over-limit',
    state: 'open',
    bound: 'limit',
    limit,
    observed: limit,
    proposed: approved,
    evidence: 'its demand passed it',
    openedAt: now - HOUR_MS,
    lastSeenAt: now - HOUR_MS,
    occurrences: 1,
    clearSince: null,
    openCount: [now - HOUR_MS],
    closedAt: null,
    decided: null,
    inEffect: false,
    approvedBaseline: null,
    overage: null,
    leakApprovedAt: null,
    ceilingReached: false,
  };
}

function withRules(cpu: LimitPolicy, memory: LimitPolicy): PolicyRules {
  const policy = autoPolicy();
  const container = {
    ...policy.container,
    cpu: { ...policy.container.cpu, limit: cpu },
    memory: { ...policy.container.memory, limit: memory },
  };
  return { ...policy, container };
}

/** The situation after one decision, with the memory stored and read again as after a restart. */
function lived(now: WorkloadSituation): WorkloadSituation {
  const decision = decideWorkload(now);
  const facts = { now: now.now, generation: 1, replicas: 2, savingsPerMonthUsd: null, costPerMonthUsd: null, source: null };
  return { ...now, memory: readMemory(recommendationStatus(decision, facts, undefined)), pods: resized(now.pods, decision.steps) };
}

function approvedWorkload(resource: ResourceName, policy: PolicyRules, guaranteed: boolean): WorkloadSituation {
  const limits = amounts('400m', '256Mi');
  const container = { requests: guaranteed ? limits : amounts('100m', '128Mi'), limits };
  const qosClass = guaranteed ? 'Guaranteed' : 'Burstable';
  const start = aSituation({ pods: pods(2, { container }).map((pod) => ({ ...pod, qosClass })), policy });
  const says = { container: 'main', resource, decision: 'approve', value: null, at: start.now, by: 'ann' } as const;
  return lived({
    ...start,
    memory: { ...start.memory, limitExceptions: [anOpenException(resource, start.now)] },
    userRequests: { ...NO_USER_REQUESTS, exceptionDecisions: [says] },
  });
}

const minOf = ({ pods: all }: WorkloadSituation, resource: ResourceName): number =>
  Math.min(...all.map((pod) => pod.containers[0]!.limits[FIELD[resource]] ?? 0));

function lookedAt(
  situation: WorkloadSituation,
  { cpuMillicores, memoryMib, afterMs }: { cpuMillicores: number; memoryMib: number; afterMs: number },
) {
  const advice = [anAdvice({ cpu: `${cpuMillicores}m`, memory: `${memoryMib}Mi` })];
  return lived({ ...situation, advice, now: situation.now + afterMs });
}

test('an approved limit is a lower bound under any rule, demand, time and restarts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ResourceName>('cpu', 'memory'),
      rule,
      rule,
      fc.boolean(),
      fc.array(step, { minLength: 1, maxLength: 30 }),
      (resource, cpu, memory, guaranteed, steps) => {
        const { approved } = AMOUNTS[resource];
        let situation = approvedWorkload(resource, withRules(cpu, memory), guaranteed);
        expect(situation.memory.lastApplied?.values.get('main')?.limits[FIELD[resource]]).toBe(approved);
        let reached = false;
        for (const each of steps) {
          situation = lookedAt(situation, each);
          const { apply, lastApplied } = situation.memory;
          for (const { values } of [apply, lastApplied].filter((made) => made !== null)) {
            expect(values.get('main')?.limits[FIELD[resource]]).toBeGreaterThanOrEqual(approved);
          }
          const least = minOf(situation, resource);
          if (reached) expect(least).toBeGreaterThanOrEqual(approved);
          reached ||= least >= approved;
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('an approved limit is lowered after a requested roll-back', () => {
  const policy = withRules({ rule: 'Ratio', ratio: 1.2 }, { rule: 'Keep', ratio: null });
  const calm = { cpuMillicores: 100, memoryMib: 128, afterMs: HOUR_MS };
  let situation = approvedWorkload('cpu', policy, false);
  for (let hour = 0; hour < 24 * 9; hour += 1) situation = lookedAt(situation, calm);
  expect(minOf(situation, 'cpu')).toBe(900);
  situation = { ...situation, userRequests: { ...NO_USER_REQUESTS, rollback: { at: situation.now, by: 'ann' } } };
  for (let hour = 0; hour < 24 * 3; hour += 1) situation = lookedAt(situation, calm);
  expect(minOf(situation, 'cpu')).toBeLessThan(900);
});
