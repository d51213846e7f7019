// Rules that hold for any sequence of events in a cluster, with default settings.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAdvice, aSituation, autoPolicy, aWorkloadRecord, amounts, pods, resized } from '../../../../test/builders/rightsizing.ts';
import type { PodRecord, PodResizeStatus } from '#kube/records/pod';
import { HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { hasReduction } from '../model/container-values.ts';
import { stageMs } from '../plan/due/stages.ts';
import { decideWorkload } from './decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';

/** One event of a pod or of the workload. */
type ClusterEvent =
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'need'; readonly cpu: number; readonly memoryMib: number; readonly latestMib: number; readonly confidence: number }
  | { readonly kind: 'node'; readonly pod: number; readonly state: PodResizeStatus['state'] }
  | { readonly kind: 'kill'; readonly pod: number }
  | { readonly kind: 'replaced'; readonly pod: number }
  | { readonly kind: 'unready'; readonly pod: number; readonly ready: boolean }
  | { readonly kind: 'rollout'; readonly underWay: boolean }
  | { readonly kind: 'request'; readonly request: 'rollback' | 'none' };

const podIndex = fc.integer({ min: 0, max: 4 });
const clusterEvents: fc.Arbitrary<ClusterEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('time' as const), minutes: fc.constantFrom(1, 5, 11, 61, 1441) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('need' as const),
      cpu: fc.integer({ min: 10, max: 6000 }),
      memoryMib: fc.integer({ min: 16, max: 8192 }),
      latestMib: fc.integer({ min: 1, max: 8192 }),
      confidence: fc.constantFrom(0, 0.5, 0.95),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('node' as const),
      pod: podIndex,
      state: fc.constantFrom<PodResizeStatus['state'][]>('none', 'deferred', 'infeasible', 'in-progress', 'error'),
    }),
  },
  fc.record({ kind: fc.constant('kill' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('replaced' as const), pod: podIndex }),
  fc.record({ kind: fc.constant('unready' as const), pod: podIndex, ready: fc.boolean() }),
  fc.record({ kind: fc.constant('rollout' as const), underWay: fc.boolean() }),
  fc.record({ kind: fc.constant('request' as const), request: fc.constantFrom('rollback' as const, 'none' as const) }),
);

const TEMPLATE = { requests: amounts('1', '1Gi'), limits: amounts('2', '2Gi') };

function firstSituation(): WorkloadSituation {
  return aSituation({
    pods: pods(5, { container: TEMPLATE }),
    workload: aWorkloadRecord({}, TEMPLATE),
    policy: autoPolicy(),
    freeOnNodes: new Map([['n1', { cpuMillicores: 100_000, memoryBytes: 400_000 * MiB }]]),
  });
}

function after(situation: WorkloadSituation, event: ClusterEvent): WorkloadSituation {
  const { now } = situation;
  const changed = (index: number, change: (pod: PodRecord) => PodRecord): WorkloadSituation => ({
    ...situation,
    pods: situation.pods.map((pod, at) => (at === index ? change(pod) : pod)),
  });
  switch (event.kind) {
    case 'time':
      return { ...situation, now: now + event.minutes * MINUTE_MS };
    case 'need': {
      const { cpu, memoryMib, latestMib, confidence } = event;
      const advice = anAdvice({
        cpu: `${cpu}m`,
        memory: `${memoryMib}Mi`,
        cpuAdvice: { confidence },
        memoryAdvice: { confidence },
        lastSampleAt: now,
      });
      return { ...situation, advice: [{ ...advice, memoryEvidence: { ...advice.memoryEvidence!, latest: latestMib * MiB } }] };
    }
    case 'node':
      return changed(event.pod, (pod) => ({ ...pod, resize: { state: event.state, message: 'the node says so', since: now } }));
    case 'kill': {
      const advice = situation.advice.map((each) => ({ ...each, lastOomAt: now, oomKills: each.oomKills + 1 }));
      const lastTermination = { reason: 'OOMKilled', exitCode: 137, finishedAt: now };
      const killed = (pod: PodRecord): PodRecord => ({
        ...pod,
        containers: pod.containers.map((container) => ({ ...container, restarts: container.restarts + 1, lastTermination })),
      });
      return { ...changed(event.pod, killed), advice };
    }
    case 'replaced':
      return changed(event.pod, ({ name, uid }) => ({ ...pods(1, { container: TEMPLATE })[0]!, name, uid: `${uid}'`, createdAt: now }));
    case 'unready':
      return changed(event.pod, (pod) => ({ ...pod, ready: event.ready, readySince: event.ready ? now : null }));
    case 'rollout':
      return { ...situation, workload: { ...situation.workload, rolloutInProgress: event.underWay } };
    case 'request':
      return {
        ...situation,
        userRequests: { ...NO_USER_REQUESTS, rollback: event.request === 'rollback' ? { at: now, by: 'ops' } : null },
      };
  }
}

/** Applies the events and the decisions after each; passes every decision with its situation to the check. */
function live(
  sequence: readonly ClusterEvent[],
  look: (situation: WorkloadSituation, decision: ReturnType<typeof decideWorkload>) => void,
): void {
  let situation = firstSituation();
  for (const event of sequence) {
    situation = after(situation, event);
    const decision = decideWorkload(situation);
    look(situation, decision);
    situation = { ...situation, memory: decision.memory, pods: resized(situation.pods, decision.steps), now: situation.now + 1000 };
  }
}

const sequences = fc.array(clusterEvents, { minLength: 5, maxLength: 40 });

describe('over any sequence of events', () => {
  // The default is apply: InPlace.
  test('no pod is evicted', () => {
    fc.assert(
      fc.property(sequences, (sequence) => live(sequence, (_situation, decision) => expect(decision.evict).toBeNull())),
      { numRuns: 150 },
    );
  });

  test('a reduction begins with one pod, and the next ones follow only after its verification', () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        let provenFor: { readonly startedAt: number; readonly stage: string } | null = null;
        live(sequence, (situation, decision) => {
          const under = decision.memory.apply;
          const lowered = decision.steps.filter(
            ({ kind, containers }) => kind === 'change' && containers.some(({ from, to }) => hasReduction(from, to)),
          );
          if (lowered.length === 0 || under === null) return;
          if (under.stage === 'Canary') expect(lowered.length).toBe(1);
          if (provenFor !== null && provenFor.startedAt === under.startedAt && provenFor.stage !== under.stage) {
            expect(situation.now - under.startedAt).toBeGreaterThanOrEqual(stageMs(situation.policy));
          }
          provenFor = { startedAt: under.startedAt, stage: under.stage };
        });
      }),
      { numRuns: 150 },
    );
  });

  test('no memory limit falls below 1.25 × present usage', () => {
    fc.assert(
      fc.property(sequences, (sequence) =>
        live(sequence, (situation, { steps }) => {
          const latest = situation.advice[0]?.memoryEvidence?.latest ?? 0;
          for (const { kind, containers } of steps) {
            for (const { from, to } of containers) {
              if (kind === 'revert' || (to.limits.memoryBytes ?? 0) >= (from.limits.memoryBytes ?? 0)) continue;
              expect(to.limits.memoryBytes).toBeGreaterThanOrEqual(latest * 1.25);
            }
          }
        }),
      ),
      { numRuns: 150 },
    );
  });

  test('a decision is always made again within an hour', () => {
    fc.assert(
      fc.property(sequences, (sequence) =>
        live(sequence, (_situation, { reconcileAfterMs }) => {
          expect(reconcileAfterMs).toBeGreaterThan(0);
          expect(reconcileAfterMs).toBeLessThanOrEqual(HOUR_MS);
        }),
      ),
      { numRuns: 50 },
    );
  });
});
