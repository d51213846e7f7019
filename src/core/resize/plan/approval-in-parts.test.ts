import { expect, test } from '@jest/globals';
import { APPROVE, approved, cpusOf, memoryOf, run, two } from '../../../../test/builders/approvals.ts';
import {
  amounts,
  anAdvice,
  anHpaRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  pods,
  resized,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { aSample, FIVE_MINUTES } from '../../../../test/builders/usage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES } from '../../recommender/advice.ts';
import { ContainerModel } from '../../recommender/container-model.ts';
import { decideWorkload } from '../layers/decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';

const keda = { namespace: 'shop', name: 'web', hpa: 'web', utilizationOf: ['memory'] } as never;
const memoryHpa = anHpaRecord({ metrics: [{ resource: 'memory', percent: 70 }] });

test.each<[string, Partial<WorkloadSituation>, string]>([
  ['inside the dead band', {}, '500m'],
  ['kept for an HPA at 120 %', { hpas: [anHpaRecord({ metrics: [{ percent: 120 }] })] }, '700m'],
])('an approved reduction of memory completes while CPU usage is above a CPU request that the change keeps: %s', (_, change, cpu) => {
  const advice = [anAdvice({ cpu, cpuAdvice: { latest: 600, recentPeak: 620, lowerBound: 400 } })];
  const { s, decisions } = run(approved(aSituation({ policy: APPROVE, advice, ...change })), 6 * 24 * 60);
  expect(decisions.filter(({ state }) => state === 'applying').length).toBeLessThan(20);
  expect(memoryOf(s)).toEqual([128, 128, 128]);
});

test.each(['by request', 'again'])('a roll-back %s restores all that was approved, also where the CPU part waited for a burst', (times) => {
  const advice = (m: number) => [anAdvice({ cpuAdvice: { recentPeak: m < 60 ? 300 : 70, latest: 70 } })];
  const a = run(approved(aSituation({ policy: APPROVE, advice: advice(0) })), 180, 10, (_, m) => ({ advice: advice(m) }));
  const request = (s: WorkloadSituation) => {
    const at = s.now + MINUTE_MS;
    return run({ ...s, now: at, userRequests: { ...s.userRequests, rollback: { at, by: 'ann' } } }, 10).s;
  };
  const s = times === 'again' ? request(request(a.s)) : request(a.s);
  expect(cpusOf(s)).toEqual([500, 500, 500]);
  expect(memoryOf(s)).toEqual([512, 512, 512]);
});

test('Auto: KEDA’s memory autoscaler blocks a raise of a container that was killed two months ago', () => {
  const advice = [anAdvice({ cpu: '500m', memory: '640Mi', lastOomAt: T0 - 60 * DAY_MS, oomKills: 1 })];
  expect(decideWorkload(aSituation({ hpas: [memoryHpa], scaledObjects: [keda], advice })).steps).toEqual([]);
});
test('Auto: replicas stay (memory of the busiest replica 1.5 × the mean)', () => {
  let n = 20;
  let s = aSituation({ scaledObjects: [keda], pods: pods(20, { container: { requests: amounts('500m', '512Mi') } }) });
  for (let h = 0; h < 48; h += 3) {
    const usage = (20 * 358) / n;
    const now = T0 + h * HOUR_MS;
    s = {
      ...s,
      now,
      hpas: [{ ...memoryHpa, minReplicas: 2, maxReplicas: 40, currentReplicas: n, desiredReplicas: n }],
      workload: aWorkloadRecord({ replicas: { desired: n, current: n, ready: n } }),
      advice: [anAdvice({ cpu: '500m', memory: `${Math.ceil(usage * 1.5 * 1.1)}Mi`, lastOomAt: T0 - 60 * DAY_MS, oomKills: 1 })],
    };
    const d = decideWorkload(s);
    s = { ...s, memory: d.memory, pods: resized(s.pods, d.steps) };
    const ratio = usage / memoryOf(s)[0]! / 0.7;
    if (Math.abs(ratio - 1) > 0.1) n = Math.ceil(n * ratio - 1e-9);
    s = { ...s, pods: s.pods.slice(0, n) };
  }
  expect(n).toBe(20);
});

test.each(['Recommend', 'Approve'] as const)('a request that Auto reduced at minReplicas is not to be raised back in mode %s', (mode) => {
  const advice = [anAdvice({ cpu: '150m', memory: '512Mi', cpuAdvice: { peak: 60, recentPeak: 60, latest: 50 } })];
  const { s } = run(aSituation({ hpas: [anHpaRecord({ minReplicas: 3 })], advice }), 60);
  expect(cpusOf(s)).toEqual([150, 150, 150]);
  const d = decideWorkload({ ...s, policy: autoPolicy({ mode }), now: s.now + DAY_MS });
  expect(d.containers[0]!.target!.requests.cpuMillicores).toBe(150);
});

test('an approved reduction to the policy’s max is made although usage is above it', () => {
  const c = autoPolicy().container;
  const policy = autoPolicy({ mode: 'Approve', container: { ...c, cpu: { ...c.cpu, max: 200 } } });
  const used = {
    p50: amounts('280m', '400Mi'),
    p95: amounts('310m', '400Mi'),
    p99: amounts('315m', '400Mi'),
    max: amounts('320m', '400Mi'),
  };
  const advice = [anAdvice({ cpu: '200m', memory: '512Mi', cpuAdvice: { latest: 300, recentPeak: 320 }, usage: used as never })];
  expect(cpusOf(run(approved(aSituation({ policy, advice })), 6 * 24 * 60, 30).s)).toEqual([200, 200, 200]);
});
test.each([0.5, 0.8, 0.9])('a policy’s percentile %s of noisy usage: the approved reduction is made once', (percentile) => {
  const model = new ContainerModel();
  let [at, seed] = [T0 - 14 * DAY_MS, 5];
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const feed = (to: number) => {
    for (; at < to; at += FIVE_MINUTES) {
      const usage = 100 + 100 * random();
      for (const p of ['web-1', 'web-2', 'web-3']) model.observe(p, aSample(at + 1000, usage, 100));
    }
  };
  feed(T0 - FIVE_MINUTES);
  const rules = { ...RULES, lasting: true, cpu: { ...RULES.cpu, percentile, margin: 0 } };
  const adviceAt = (now: number) => [{ ...model.advise('main', now, rules)!, memory: null }];
  const { container } = autoPolicy();
  const policy = autoPolicy({ mode: 'Approve', container: { ...container, cpu: { ...container.cpu, percentile } } });
  const start = approved(aSituation({ policy, advice: adviceAt(T0) }));
  const { decisions } = run(start, 7 * 24 * 60 - 5, 5, ({ now }) => (feed(now - 1000), { advice: adviceAt(now) }));
  const writes = decisions.flatMap(({ steps }) => steps).length;
  expect(writes).toBe(3);
});

test('an approval carries no reduction that Auto began of a container it does not name', () => {
  const auto = two(
    { policy: autoPolicy(), advice: [anAdvice({ container: 'main', cpu: '500m', memory: '512Mi' }), anAdvice({ container: 'proxy' })] },
    30,
  );
  const begun = decideWorkload(auto);
  const values = new Map([['main', { requests: amounts('500m', '512Mi'), limits: amounts(null, null) }]]);
  const userRequests = { ...NO_USER_REQUESTS, approved: { at: T0 - DAY_MS, by: 'ann', values } };
  const { s } = run(
    { ...auto, policy: APPROVE, memory: begun.memory, pods: resized(auto.pods, begun.steps), now: T0 + MINUTE_MS, userRequests },
    60,
  );
  expect(s.pods[20]!.containers[1]!.requests.cpuMillicores).toBe(500);
});

test('a raise that is shown of the neighbour of a killed container can be made, and new values can be approved meanwhile', () => {
  const advice = (cpu: string) => [
    anAdvice({ container: 'main', cpu, memory: '900Mi', lastOomAt: T0 - 30 * HOUR_MS, oomKills: 1 }),
    anAdvice({ container: 'proxy', cpu, memory: '900Mi' }),
  ];
  const s = approved(two({ hpas: [anHpaRecord({ metrics: [{ resource: 'memory' }] })], advice: advice('500m') }));
  const { decisions } = run(s, 24 * 60, 60, (_, m) => ({ advice: advice(m < 120 ? '500m' : '100m') }));
  expect(decisions.at(-1)?.reason).not.toBe('hpa');
});

test('an approved raise does not wait for maxConcurrent behind a reduction of another container', () => {
  const advice = [
    anAdvice({ container: 'main', cpu: '900m', memory: '512Mi', cpuAdvice: { lowerBound: 400 } }),
    anAdvice({ container: 'proxy' }),
  ];
  const d = decideWorkload(approved(two({ otherWorkloadsUnderWay: 99, governedWorkloads: 100, advice })));
  expect(d.steps.length).toBe(3);
});
test('an urgent approved raise carries no reduction past maxConcurrent', () => {
  const advice = [
    anAdvice({ container: 'main', cpu: '900m', memory: '512Mi', cpuAdvice: { lowerBound: 800 } }),
    anAdvice({ container: 'proxy' }),
  ];
  const d = decideWorkload(approved(two({ otherWorkloadsUnderWay: 99, governedWorkloads: 100, advice })));
  expect(d.steps[0]?.containers.find(({ name }) => name === 'proxy')).toBeUndefined();
});

test('an approval is used once: a later deployment with greater requests is not reduced by it', () => {
  const { s: applied } = run(approved(aSituation({ policy: APPROVE })), 90);
  const deployed = { requests: amounts('1', '1Gi') };
  const now = applied.now + DAY_MS;
  const { s, decisions } = run(
    { ...applied, now, workload: aWorkloadRecord({}, deployed), pods: pods(3, { container: deployed, createdAt: now }) },
    60,
  );
  expect(cpusOf(s)).toEqual([1000, 1000, 1000]);
  expect(decisions.at(-1)?.message).toContain('greater values have been deployed or recommended since the approval');
});

test('an approved raise after an OOM kill does not wait for all stages of a reduction under way', () => {
  const advice = (memory: string, lastOomAt: number | null) => [
    anAdvice({ container: 'main', cpu: '500m', memory, lastOomAt, oomKills: 2 }),
    anAdvice({ container: 'proxy' }),
  ];
  const { s: begun } = run(approved(two({ advice: advice('512Mi', null) }, 30)), 5);
  const { s, decisions } = run(approved({ ...begun, now: begun.now + MINUTE_MS, advice: advice('900Mi', begun.now) }), 30);
  expect(memoryOf(s)).toEqual(Array.from({ length: 30 }, () => 900));
  expect(decisions.at(-1)?.memory.apply).toMatchObject({ by: 'ann', reason: 'an OOM kill' });
});

test('a container in mode Recommend does not end the approval of the others, nor their rejection', () => {
  const exceptions = [{ name: { text: 'proxy' }, policy: { ...autoPolicy().container, mode: 'Recommend' as const } }];
  const advice = (cpu: string) => [anAdvice({ container: 'main' }), anAdvice({ container: 'proxy', cpu })];
  const gateState = { ...aSituation().gateState, warmUpUntil: T0 + HOUR_MS };
  const shown = two({ policy: { ...APPROVE, exceptions }, gateState, advice: advice('600m') });
  const s = approved(shown);
  expect(cpusOf(run(s, 120, 10, (_, m) => ({ advice: advice(m < 30 ? '600m' : '700m') })).s)[0]).toBe(100);
  const rejected = { ...shown, userRequests: { ...NO_USER_REQUESTS, rejected: s.userRequests.approved } };
  expect(decideWorkload({ ...rejected, advice: advice('700m') })).toMatchObject({ state: 'optimal', reason: 'rejected' });
});

test('two hours without samples do not drop a daily burst of two hours from a lasting value', () => {
  const model = new ContainerModel();
  const targets: number[] = [];
  for (let slot = 0; slot < 35 * 288; slot++) {
    const at = T0 - 35 * DAY_MS + slot * FIVE_MINUTES;
    const isBurst = [9, 10].includes(new Date(at).getUTCHours());
    if (isBurst && Math.floor(slot / 288) === 24) continue;
    model.observe('p', aSample(at + 1000, isBurst ? 700 : 60, 100));
    if (slot > 16 * 288 && slot % 12 === 11) targets.push(model.advise('app', at + 2000, { ...RULES, lasting: true })!.cpu!.target);
  }
  expect(Math.min(...targets)).toBeGreaterThanOrEqual(690);
});
