import { describe, expect, test } from '@jest/globals';
import { approved } from '../../../../test/builders/approvals.ts';
import {
  aContainer,
  amounts,
  anAdvice,
  anHpaRecord,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  oomAdvice,
  memory,
  pods,
  resized,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { aSample, FIVE_MINUTES } from '../../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES } from '../../recommender/advice.ts';
import { ContainerModel } from '../../recommender/container-model.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import { NO_MEMORY, type WorkloadSituation } from '../model/situation.ts';

const APPROVE = autoPolicy({ mode: 'Approve' });
const toOf = (d: WorkloadDecision, container: string) => d.steps[0]?.containers.find(({ name }) => name === container)?.to.requests;

/** main is too small, proxy too large; proxy has a CPU limit and no throttling is measured. */
function twoContainers(change: Partial<WorkloadSituation> = {}): WorkloadSituation {
  const cs = [aContainer({ name: 'main' }), aContainer({ name: 'proxy', limits: amounts('1', null) })];
  return aSituation({
    policy: APPROVE,
    pods: [1, 2, 3].map((i) => aPodRecord({ name: `web-${i}`, containers: cs })),
    workload: aWorkloadRecord({
      containers: cs.map(({ name, requests, limits }) => ({ name, requests, limits, sidecar: false, image: name })),
    }),
    advice: [
      anAdvice({ container: 'main', cpu: '500m', memory: '900Mi', lastOomAt: T0 - HOUR_MS, oomKills: 2 }),
      anAdvice({ container: 'proxy' }),
    ],
    demand: [{ container: 'proxy', windows: [], throttlingMeasuredAt: null }],
    ...change,
  });
}
const rolledBack = {
  at: T0 - HOUR_MS,
  reason: 'x',
  message: 'OOM kill',
  requestedAt: null,
  heldUntil: T0 + 23 * HOUR_MS,
  count: 1,
  values: new Map(),
};

test('an approved raise after an OOM kill does not wait for a reduction of another container', () => {
  expect(toOf(decideWorkload(approved(twoContainers())), 'main')?.memoryBytes).toBe(900 * MiB);
});

describe('an approved reduction while usage is above it', () => {
  test.each([false, true])('a canary reduced to 105m that needs 400m stops the change (lasting: %s)', (lasting) => {
    const model = new ContainerModel();
    let at = T0 - 14 * DAY_MS;
    const feed = (to: number, usage: number) => {
      for (; at < to; at += FIVE_MINUTES) for (const p of ['web-1', 'web-2', 'web-3']) model.observe(p, aSample(at + 1000, usage, 100));
    };
    feed(T0 - FIVE_MINUTES, 100);
    const adviceAt = (now: number) => [model.advise('main', now, { ...RULES, lasting })!];
    let s = approved(aSituation({ policy: APPROVE, advice: adviceAt(T0) }));
    for (let m = 0; m <= 60; m += 5) {
      const now = T0 + m * MINUTE_MS;
      feed(now - 1000, m > 10 ? 400 : 100);
      s = { ...s, now, advice: adviceAt(now), demand: [{ container: 'main', windows: [], throttlingMeasuredAt: now }] };
      const d = decideWorkload(s);
      s = { ...s, memory: d.memory, pods: resized(s.pods, d.steps) };
    }
    expect(s.pods.map((p) => p.containers[0]!.requests.cpuMillicores)).toEqual([500, 500, 500]);
  });

  test.each([false, true])('no approved reduction starts below the usage of this minute (lasting: %s)', (lasting) => {
    const model = new ContainerModel();
    for (let at = T0 - 14 * DAY_MS; at < T0 - 1000; at += FIVE_MINUTES)
      for (const p of ['web-1', 'web-2', 'web-3']) model.observe(p, aSample(at + 1000, at >= T0 - 15 * MINUTE_MS ? 450 : 100, 100));
    const s = aSituation({ policy: APPROVE, advice: [model.advise('main', T0, { ...RULES, lasting })!] });
    expect(toOf(decideWorkload(approved(s)), 'main')?.cpuMillicores ?? 500).toBeGreaterThanOrEqual(450);
  });
});

describe('an approved raise carries no blocked reduction', () => {
  const s = (change: Partial<WorkloadSituation>) =>
    approved(aSituation({ policy: APPROVE, advice: [anAdvice({ cpu: '900m' })], ...change }));
  test.each<[string, Partial<WorkloadSituation>]>([
    ['warm-up', { gateState: { ...aSituation().gateState, warmUpUntil: T0 + HOUR_MS } }],
    ['roll-out', { workload: aWorkloadRecord({ rolloutInProgress: true }) }],
    ['ScaledObject on memory', { scaledObjects: [{ namespace: 'shop', name: 'web', hpa: 'other', utilizationOf: ['memory'] }] as never }],
    ['hold after a roll-back', { memory: { ...NO_MEMORY, rolledBack } }],
  ])('of the same container: %s', (_, change) => {
    expect(toOf(decideWorkload(s(change)), 'main')?.memoryBytes ?? 512 * MiB).toBe(512 * MiB);
  });
  test('of another container, during the hold after a roll-back', () => {
    const held = twoContainers({ memory: { ...NO_MEMORY, rolledBack }, demand: aSituation().demand });
    expect(toOf(decideWorkload(approved(held)), 'proxy')?.memoryBytes ?? 512 * MiB).toBe(512 * MiB);
  });
});

describe('what is shown of a workload with an autoscaler can be approved', () => {
  const scaled = (change: Partial<WorkloadSituation>) => aSituation({ policy: APPROVE, hpas: [anHpaRecord()], ...change });
  test.each<[string, WorkloadSituation]>([
    ['at minReplicas', scaled({ hpas: [anHpaRecord({ minReplicas: 3 })], advice: [anAdvice({ cpuAdvice: { peak: 200 } })] })],
    [
      'a container without a request',
      scaled({
        pods: [1, 2, 3].map((i) =>
          aPodRecord({ name: `web-${i}`, containers: [aContainer(), aContainer({ name: 'proxy', requests: amounts(null, null) })] }),
        ),
      }),
    ],
    [
      'a ScaledObject whose HPA is unknown',
      scaled({ hpas: [], scaledObjects: [{ namespace: 'shop', name: 'web', hpa: 'other', utilizationOf: ['cpu'] }] as never }),
    ],
  ])('%s', (_, s) => {
    expect(decideWorkload(s).reason).toBe('approval');
    expect(decideWorkload(approved(s)).state).toBe('applying');
  });
  test('an OOM kill of yesterday, with an autoscaler on memory', () => {
    const c = { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') };
    const at = T0 - 30 * HOUR_MS;
    const s = scaled({
      hpas: [anHpaRecord({ metrics: [{ resource: 'memory' }] })],
      pods: pods(3, { container: c }),
      workload: aWorkloadRecord({}, c),
      advice: [anAdvice({ memory: '900Mi', lastOomAt: at, oomKills: 1, oom: oomAdvice(memory('1300Mi'), at) })],
    });
    expect(decideWorkload(s).reason).toBe('approval');
  });
  test('while no pod is running, the request of the template is kept', () => {
    const s = scaled({
      policy: autoPolicy({ mode: 'Recommend' }),
      pods: [],
      workload: aWorkloadRecord({ replicas: { desired: 0, current: 0, ready: 0 } }),
    });
    expect(decideWorkload(s).containers[0]?.target?.requests.cpuMillicores).toBe(500);
  });
  test.each(['Auto', 'Approve', 'Recommend'] as const)('a target that was restored by GitOps three times: %s', (mode) => {
    const c = { requests: amounts('334m', '128Mi') };
    const s = scaled({
      policy: autoPolicy({ mode }),
      pods: pods(3, { container: c }),
      hpas: [anHpaRecord({ metricsWriter: 'argocd' })],
      memory: {
        ...NO_MEMORY,
        lastApplied: {
          at: T0 - 2 * DAY_MS,
          by: 'evenkeel',
          reason: 'x',
          pods: 3,
          values: new Map([['main', { requests: amounts('334m', '128Mi'), limits: amounts(null, null) }]]),
        },
        autoscalers: [
          {
            name: 'web',
            targets: [{ resource: 'cpu', container: null, percent: 60, request: 500, set: 90 } as never],
            issuedAt: T0 - 2 * DAY_MS,
            reverts: 2,
            revertedAt: null,
            revertedBy: null,
            isReverted: false,
            refusedAt: null,
            refusal: null,
          },
        ],
      },
    });
    expect(decideWorkload(s).containers[0]?.target?.requests.cpuMillicores).toBe(500);
  });
});

test('a reduction that mode Auto began ends once the mode is Approve', () => {
  const s = aSituation({ hpas: [anHpaRecord()] });
  const begun = decideWorkload(s);
  const switched = decideWorkload({ ...s, policy: APPROVE, memory: begun.memory, now: T0 + MINUTE_MS });
  expect(switched.steps).toEqual([]);
});

test('a container in mode Approve of a workload in mode Auto is not changed', () => {
  const policy = autoPolicy({ container: { ...autoPolicy().container, mode: 'Approve' } });
  expect(decideWorkload(aSituation({ policy })).steps).toEqual([]);
});
