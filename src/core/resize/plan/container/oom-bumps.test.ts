// Memory limits after OOM kills: which pods are raised, how often, and the effect of a kill by the node.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  memory,
  pods,
  resized,
} from '../../../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES } from '../../../recommender/advice.ts';
import { classifyKill, OomLog } from '../../../recommender/memory/oom-log.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { readOverrides } from '../../policy/workload-overrides.ts';
import { bumpsOfChange } from './oom-bumps.ts';

const DEPLOYED = { requests: amounts('500m', '256Mi'), limits: amounts(null, '512Mi') };
const NODE = { cpuMillicores: 16_000, memoryBytes: memory('64Gi') };

/** Replicas whose OOM kills are evidence for decisions. */
class KilledWorkload {
  readonly #log = new OomLog();
  readonly events: string[] = [];
  situation: WorkloadSituation;
  decision: WorkloadDecision | null = null;

  constructor(count: number, situation: Partial<WorkloadSituation> = {}) {
    this.situation = aSituation({
      workload: aWorkloadRecord({}, DEPLOYED),
      pods: pods(count, { container: DEPLOYED }),
      largestNode: NODE,
      ...situation,
    });
  }

  get limits(): readonly number[] {
    return this.situation.pods.map(({ containers }) => (containers[0]?.limits.memoryBytes ?? 0) / MiB);
  }

  get requests(): readonly number[] {
    return this.situation.pods.map(({ containers }) => (containers[0]?.requests.memoryBytes ?? 0) / MiB);
  }

  /** @param usedShare last working set of the pod as a share of its limit; null: not measured */
  kill(index: number, usedShare: number | null = 0.95): void {
    const { now, pods: all } = this.situation;
    const limitBytes = all[index]?.containers[0]?.limits.memoryBytes ?? null;
    const used = usedShare === null || limitBytes === null ? null : Math.floor(limitBytes * usedShare);
    this.#log.add({ at: now, limitBytes: limitBytes ?? 0, cause: classifyKill(limitBytes, used), workingSetBytes: used ?? 0 });
    const lastTermination = { reason: 'OOMKilled', exitCode: 137, startedAt: now - HOUR_MS, finishedAt: now };
    const killed = (pod: PodRecord): PodRecord => ({
      ...pod,
      containers: pod.containers.map((each) => ({ ...each, lastTermination, restarts: each.restarts + 1 })),
    });
    this.situation = { ...this.situation, pods: all.map((pod, at) => (at === index ? killed(pod) : pod)) };
    this.decide();
  }

  /** A process is OOM-killed while its container keeps running, which only the counter shows. */
  count(index: number, workingSetShare: number): void {
    const { now, pods: all } = this.situation;
    const { uid = '', containers = [] } = all[index] ?? {};
    const limitBytes = containers[0]?.limits.memoryBytes ?? 0;
    const workingSetBytes = Math.floor(limitBytes * workingSetShare);
    this.#log.add({ at: now, limitBytes, cause: classifyKill(limitBytes, workingSetBytes), workingSetBytes });
    const countedKills = new Map(this.situation.countedKills);
    countedKills.set(uid, [...(countedKills.get(uid) ?? []), { container: 'main', at: now }]);
    this.situation = { ...this.situation, countedKills };
    this.decide();
  }

  wait(ms: number): void {
    this.situation = { ...this.situation, now: this.situation.now + ms };
    this.decide();
  }

  decide(): void {
    const { now } = this.situation;
    const oom = this.#log.advise(now, DEFAULT_RECOMMENDER_RULES.oom, () => memory('128Mi'));
    const base = anAdvice({ cpu: '500m', memory: '256Mi', lastOomAt: this.#log.lastAt, oom });
    const memoryEvidence = base.memoryEvidence && {
      ...base.memoryEvidence,
      lastOomAt: this.#log.lastAt,
      minLimitByKills: oom.killedPodNeed,
    };
    this.decision = decideWorkload({ ...this.situation, advice: [{ ...base, memoryEvidence }] });
    this.events.push(...this.decision.events.map(({ reason, message }) => `${reason}: ${message}`));
    const { memory: remembered, steps } = this.decision;
    this.situation = { ...this.situation, memory: remembered, pods: resized(this.situation.pods, steps), now: now + MINUTE_MS };
  }

  get openExceptions(): readonly string[] {
    return this.situation.memory.limitExceptions.filter(({ state }) => state === 'open').map(({ type }) => type);
  }
}

describe('An OOM kill at the limit', () => {
  test('raises the killed pod first, and the other replicas after a second kill', () => {
    const web = new KilledWorkload(3);
    web.kill(1);
    expect(web.limits).toEqual([512, 615, 512]);
    web.kill(0);
    web.wait(MINUTE_MS);
    expect(web.limits).toEqual([615, 615, 615]);
  });

  test.each([
    ['is raised for while evenkeel.io/floor cannot be read', { 'evenkeel.io/floor': '2GG' }, [512, 615, 512]],
    ['waits while evenkeel.io/ceiling cannot be read, which may forbid it', { 'evenkeel.io/ceiling': '2GG' }, [512, 512, 512]],
    ['waits while evenkeel.io/held-until cannot be read, which may forbid it', { 'evenkeel.io/held-until': 'soon' }, [512, 512, 512]],
  ])('%s', (_case, annotations, limits) => {
    const web = new KilledWorkload(3, { overrides: readOverrides(annotations) });
    web.kill(1);
    expect(web.decision?.reason).toBe('invalid-annotation');
    expect(web.limits).toEqual(limits);
  });

  test('of a process whose container kept running counts like one of the container', () => {
    const web = new KilledWorkload(3);
    web.count(1, 0.69);
    expect(web.limits).toEqual([512, 512, 512]);
    web.count(1, 0.95);
    expect(web.limits).toEqual([512, 615, 512]);
    web.count(0, 0.95);
    web.wait(MINUTE_MS);
    expect(web.limits).toEqual([615, 615, 615]);
  });

  test('raises the request by the highest usage, not by the limit', () => {
    const web = new KilledWorkload(1);
    web.kill(0, 0.75);
    // Usage of 384 MiB plus the minimum bump of 100 MiB, which is more than 20 %.
    expect(web.requests).toEqual([484]);
  });

  test('raises no request past its max', () => {
    const { container } = autoPolicy();
    const policy = autoPolicy({ container: { ...container, memory: { ...container.memory, max: memory('300Mi') } } });
    const web = new KilledWorkload(1, { policy });
    web.kill(0, 0.75);
    expect(web.limits).toEqual([600]);
    expect(web.requests).toEqual([300]);
  });

  test('without measured usage counts when it recurs: a container that is killed at its start', () => {
    const web = new KilledWorkload(1);
    web.kill(0, null);
    expect(web.limits).toEqual([512]);
    web.kill(0, null);
    expect(web.limits).toEqual([615]);
  });

  test('is not raised more than three times in 7 days: then a limit exception opens, and nothing is written', () => {
    const web = new KilledWorkload(2);
    const seen = new Set<number>();
    for (let kill = 0; kill < 40; kill += 1) {
      web.kill(kill % 2);
      web.wait(HOUR_MS);
      for (const limit of web.limits) seen.add(limit);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([512, 615, 738, 886]);
    expect(web.openExceptions).toEqual(['oom-killed']);
    expect(web.decision?.steps).toEqual([]);
    expect(web.events.filter((note) => note.startsWith('LimitExceeded'))).toHaveLength(1);
  });

  test('is counted once for any number of refused and retried raises', () => {
    const web = new KilledWorkload(2);
    for (const pod of [0, 0, 0, 1]) web.kill(pod);
    const [plan] = web.decision?.containers ?? [];
    const inForce = { requests: amounts('500m', '256Mi'), limits: amounts(null, '738Mi') };
    const values = new Map([['main', { requests: amounts('500m', '256Mi'), limits: amounts(null, '886Mi') }]]);
    let { oomBumps } = web.situation.memory;
    for (let hour = 0; hour < 40; hour += 1)
      oomBumps = bumpsOfChange({ oomBumps }, [{ ...plan!, inForce }], values, web.situation.now + hour * HOUR_MS);
    expect(new Set(oomBumps.map(({ limit }) => limit / MiB))).toEqual(new Set([615, 738, 886]));
  });

  test('is raised by at most oom.maxBumps bumps', () => {
    const web = new KilledWorkload(1, { policy: autoPolicy({ oom: { ...autoPolicy().oom, maxBumps: 1 } }) });
    for (let kill = 0; kill < 5; kill += 1) web.kill(0);
    expect(web.limits).toEqual([615]);
    const never = new KilledWorkload(1, { policy: autoPolicy({ oom: { ...autoPolicy().oom, maxBumps: 0 } }) });
    for (let kill = 0; kill < 5; kill += 1) never.kill(0);
    expect(never.limits).toEqual([512]);
    expect(never.openExceptions).toEqual(['oom-killed']);
  });

  test('never raises a limit above its bound, and by at most three bumps a week, for any sequence of kills', () => {
    const happening = fc.record({
      pod: fc.integer({ min: 0, max: 2 }),
      used: fc.constantFrom(null, 0.1, 0.7, 1),
      hours: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(happening, { minLength: 5, maxLength: 40 }), fc.constantFrom(memory('700Mi'), memory('64Gi')), (kills, node) => {
        const web = new KilledWorkload(3, { largestNode: { ...NODE, memoryBytes: node } });
        const raised: { readonly at: number; readonly limit: number }[] = [];
        for (const { pod, used, hours } of kills) {
          const before = Math.max(...web.limits);
          web.kill(pod, used);
          web.wait(hours * HOUR_MS);
          const after = Math.max(...web.limits);
          if (after > before) raised.push({ at: web.situation.now, limit: after });
          expect(after * MiB).toBeLessThanOrEqual(Math.max(node * 0.8, memory('512Mi')));
        }
        for (const { at } of raised) {
          expect(raised.filter((other) => other.at > at - 7 * DAY_MS && other.at <= at).length).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});

test('An OOM kill far below the limit was made by the node: nothing changes, and one Event reports it', () => {
  const web = new KilledWorkload(3);
  for (let kill = 0; kill < 3; kill += 1) {
    web.kill(1, 0.2);
    web.wait(MINUTE_MS);
  }
  expect([web.limits, web.requests]).toEqual([
    [512, 512, 512],
    [256, 256, 256],
  ]);
  expect(web.openExceptions).toEqual([]);
  const nodeOomEvents = web.events.filter((note) => note.startsWith('NodeOutOfMemory'));
  expect(nodeOomEvents).toHaveLength(3);
  expect(nodeOomEvents[0]).toContain('its node ran out of memory: it used 102Mi of its limit of 512Mi');
});
