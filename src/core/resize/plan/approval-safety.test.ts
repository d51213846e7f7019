import { expect, test } from '@jest/globals';
import { APPROVE, approved, cpusOf, memoryOf, run, two } from '../../../../test/builders/approvals.ts';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  NO_OVERRIDES,
  pods,
  T0,
} from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import type { RequestsAndLimits } from '#kube/records/resources';
import { decideWorkload } from '../layers/decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../model/situation.ts';
import { correctFutureTimestamps } from '../status/memory-codec.ts';

const NONE = amounts(null, null);
const LEARNT: RequestsAndLimits = { requests: amounts('100m', '128Mi'), limits: NONE };
function approvedBy(s: WorkloadSituation, values: RequestsAndLimits, by = 'ann', at = s.now): WorkloadSituation {
  return { ...s, userRequests: { ...NO_USER_REQUESTS, approved: { at, by, values: new Map([['main', values]]) } } };
}
/** All pods of a deployment with these requests, a moment after its roll-out. */
function deployed(s: WorkloadSituation, requests: RequestsAndLimits['requests'], now = s.now + HOUR_MS): WorkloadSituation {
  const all = pods(s.pods.length, { container: { requests }, createdAt: now - HOUR_MS, readySince: now - HOUR_MS });
  return { ...s, now, workload: aWorkloadRecord({}, { requests }), pods: all };
}
const PROXY = { container: 'proxy' };
const proxyIn = (mode: 'Off' | 'Recommend' | 'Approve') => [{ name: { text: 'proxy' }, policy: { ...autoPolicy().container, mode } }];
const KEDA = { namespace: 'shop', name: 'web', hpa: 'other', utilizationOf: ['cpu'] } as never;

test.each(['Off', 'Recommend', 'Approve'] as const)('new pods keep the deployed size of a container whose mode is now %s', (mode) => {
  const { s } = run(two({ policy: autoPolicy() }), 180);
  const fresh = two().pods.map((p) => ({ ...p, uid: `new-${p.uid}`, createdAt: s.now, readySince: s.now }));
  const after = run({ ...s, policy: autoPolicy({ exceptions: proxyIn(mode) }), pods: fresh }, 60).s;
  expect(cpusOf(after, 1)).toEqual([500, 500, 500]);
});
test('a change under way reduces no further pods of a container whose mode is now Off', () => {
  const { s } = run(two({ policy: autoPolicy() }, 30), 5);
  const after = run({ ...s, now: s.now + MINUTE_MS, policy: autoPolicy({ exceptions: proxyIn('Off') }) }, 180).s;
  expect(cpusOf(after, 1).filter((cpu) => cpu === 100).length).toBeLessThanOrEqual(1);
});
test('a smaller request that is deployed for a container in mode Off stays', () => {
  const { s } = run(approved(two({ policy: { ...APPROVE, exceptions: proxyIn('Off') } })), 120);
  const later = two({}, 3, amounts('200m', '512Mi'));
  const after = run({ ...s, now: s.now + HOUR_MS, workload: later.workload, pods: later.pods }, 60).s;
  expect(cpusOf(after, 1)).toEqual([200, 200, 200]);
});

test('an approval that waits lapses once greater values are deployed, before the first change, too', () => {
  const gateState = { ...aSituation().gateState, warmUpUntil: T0 + 2 * HOUR_MS };
  const { s } = run(approved(aSituation({ policy: APPROVE, gateState })), 30);
  expect(cpusOf(run(deployed(s, amounts('2', '2Gi')), 180).s)).toEqual([2000, 2000, 2000]);
});

test('an approval whose time is two hours ahead is not applied again after it was rolled back', () => {
  const s = approvedBy(aSituation({ policy: APPROVE }), LEARNT, 'ann', T0 + 2 * HOUR_MS);
  // Each pod that the change reduces is killed.
  const { decisions } = run(s, 6 * 24 * 60, 30, ({ now, pods: all, memory: { apply } }) => ({
    pods: all.map((p) => {
      if (apply === null || p.containers[0]!.requests.memoryBytes !== 128 * MiB) return p;
      const lastTermination = { reason: 'OOMKilled', exitCode: 137, startedAt: now - 5000, finishedAt: now - 1000 };
      return { ...p, containers: p.containers.map((c) => ({ ...c, restarts: c.restarts + 3, lastTermination })) };
    }),
  }));
  expect(decisions.flatMap(({ events }) => events.filter(({ reason }) => reason === 'RolledBack')).length).toBe(1);
});
test('an approval whose time is ahead lapses by a deployment and after 7 days', () => {
  const { s } = run(approvedBy(aSituation({ policy: APPROVE }), LEARNT, 'ann', T0 + 365 * DAY_MS), 90);
  expect(cpusOf(run(deployed(s, amounts('1', '1Gi'), T0 + 30 * DAY_MS), 90).s)).toEqual([1000, 1000, 1000]);
});

test.each(['requests', 'requestsAndLimits'] as const)(
  'an approved limit above the recommended and the present one lapses: %s',
  (controlled) => {
    const c = { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') };
    const policy = autoPolicy({ mode: 'Approve', container: { ...autoPolicy().container, controlled } });
    const s = aSituation({ policy, pods: pods(3, { container: c }), workload: aWorkloadRecord({}, c) });
    const after = run(approvedBy(s, { ...LEARNT, limits: amounts('64', '512Gi') }), 60).s;
    expect(after.pods[0]!.containers[0]!.limits).toEqual(c.limits);
  },
);

test.each(['Auto', 'Approve'] as const)('a request that is deployed where none was set is kept in mode %s', (mode) => {
  const c = { requests: amounts('500m', null) };
  const start = aSituation({ policy: autoPolicy({ mode }), pods: pods(3, { container: c }), workload: aWorkloadRecord({}, c) });
  const { s } = run(mode === 'Approve' ? approved(start) : start, 240);
  // In mode Auto a reduction of its own may begin, with one pod.
  expect(memoryOf(run(deployed(s, amounts('500m', '2Gi')), 5).s).slice(1)).toEqual([2048, 2048]);
});

test('an approval by a user called evenkeel is carried out', () => {
  const { s, decisions } = run(approvedBy(aSituation({ policy: APPROVE }), LEARNT, 'evenkeel'), 300, 1);
  expect(decisions.at(-1)?.state).toBe('applied');
  expect(cpusOf(s)).toEqual([100, 100, 100]);
});

test.each(['Auto', 'Approve'] as const)('an urgent raise joins no change where an autoscaler blocks it: mode %s', (mode) => {
  const advice = (cpu: string, lowerBound: number) => [
    anAdvice({ cpu, memory: '128Mi', cpuAdvice: { lowerBound } }),
    anAdvice({ ...PROXY, cpu: '500m', memory: '512Mi' }),
  ];
  const begun = run(approved(two({ policy: autoPolicy({ mode }), scaledObjects: [KEDA], advice: advice('500m', 400) }, 30)), 5).s;
  const { s } = run(approved({ ...begun, now: begun.now + MINUTE_MS, advice: advice('900m', 800) }), 30);
  expect(cpusOf(s)[0]).toBe(500);
});

test('an approval of the second in which greater values were accepted is carried out', () => {
  const applied = run(approved(aSituation({ policy: APPROVE })), 90).s;
  const seen = run(deployed(applied, amounts('1', '1Gi'), applied.now + DAY_MS + 700), 0).s;
  // kubectl and `evenkeel approve` give whole seconds.
  const at = Math.floor(seen.now / 1000) * 1000;
  expect(cpusOf(run(approvedBy({ ...seen, now: seen.now + 200 }, LEARNT, 'ann', at), 90).s)).toEqual([100, 100, 100]);
});

test('a raise in the template of a container in mode Off does not end the approval of the others', () => {
  const advice = (recentPeak: number) => ({ advice: [anAdvice({ cpuAdvice: { recentPeak } }), anAdvice(PROXY)] });
  const part = run(approved(two({ policy: { ...APPROVE, exceptions: proxyIn('Off') }, ...advice(300) })), 60).s;
  const later = two({}, 3, amounts('600m', '512Mi'));
  const { s } = run({ ...part, ...advice(70), now: part.now + HOUR_MS, workload: later.workload, pods: later.pods }, 120);
  expect(cpusOf(s)).toEqual([100, 100, 100]);
});

test('an approval that a deployment ended stays ended after the clock is set back by 20 minutes', () => {
  const s = run(approved(aSituation({ policy: APPROVE })), 90).s;
  const later = run(deployed(approvedBy(s, LEARNT), amounts('1', '1Gi'), s.now + 5 * MINUTE_MS), 10).s;
  const now = later.now - 20 * MINUTE_MS;
  expect(cpusOf(run({ ...later, now, memory: correctFutureTimestamps(later.memory, now) }, 60).s)).toEqual([1000, 1000, 1000]);
});

test('no approved value passes a floor or a ceiling that was set since', () => {
  const bounded = (cpu: string, overrides: Partial<typeof NO_OVERRIDES>, lowerBound: number) =>
    cpusOf(
      run(
        {
          ...approved(aSituation({ policy: APPROVE, advice: [anAdvice({ cpu, cpuAdvice: { lowerBound } })] })),
          overrides: { ...NO_OVERRIDES, ...overrides },
        },
        60,
      ).s,
    )[0]!;
  expect(bounded('100m', { floor: new Map([['main', amounts('109m', null)]]) }, 90)).toBeGreaterThanOrEqual(109);
  expect(bounded('550m', { ceiling: new Map([['main', amounts('500m', null)]]) }, 540)).toBeLessThanOrEqual(500);
});

test('no approved value passes a max that the policy has got since', () => {
  const { container } = APPROVE;
  const max = { ...APPROVE, container: { ...container, cpu: { ...container.cpu, max: 510 } } };
  const advice = (cpu: string) => [anAdvice({ cpu, memory: '512Mi', cpuAdvice: { lowerBound: 505 } })];
  const s = approved(aSituation({ policy: APPROVE, advice: advice('550m') }));
  expect(new Set(cpusOf(run({ ...s, policy: max, advice: advice('510m') }, 30).s))).toEqual(new Set([510]));
});

/** The requests of the first pod an hour after an approval of 100m and 128Mi, or a part of them, under these annotations and rules. */
function requestsAfter(
  given: Partial<RequestsAndLimits['requests']>,
  overrides: Partial<typeof NO_OVERRIDES>,
  change: Partial<WorkloadSituation> = {},
) {
  const requests = { cpuMillicores: null, memoryBytes: null, ...given };
  const s = aSituation({ policy: APPROVE, overrides: { ...NO_OVERRIDES, ...overrides }, ...change });
  return run(approvedBy(s, { requests, limits: NONE }), 60).s.pods[0]!.containers[0]!.requests;
}
const MEMORY = { memoryBytes: 128 * MiB };

test('an approval of memory alone changes no CPU, whatever floor, ceiling or max there is', () => {
  const { container } = APPROVE;
  const max = { ...APPROVE, container: { ...container, cpu: { ...container.cpu, max: 200 } } };
  for (const [bound, policy] of [
    [{ floor: new Map([['main', amounts('900m', null)]]) }, APPROVE],
    [{ ceiling: new Map([['main', amounts('200m', null)]]) }, APPROVE],
    [{}, max],
  ] as const) {
    expect(requestsAfter(MEMORY, bound, { policy })).toEqual({ cpuMillicores: 500, ...MEMORY });
  }
});

test('a ceiling below an approved reduction reduces no further than approved', () => {
  const ceiling = new Map([['main', amounts('120m', null)]]);
  expect(requestsAfter({ cpuMillicores: 300 }, { ceiling }).cpuMillicores).toBe(300);
});

test.each([
  ['request', amounts(null, null), { requests: amounts('630m', null), limits: NONE }, [600, null]],
  ['limit', amounts('620m', null), { requests: amounts('590m', null), limits: amounts('640m', null) }, [590, 620]],
])('an approved %s passes no node, also within the tolerance', (_, limits, values, expected) => {
  const c = { requests: amounts('500m', '512Mi'), limits };
  const node = { cpuMillicores: 600, memoryBytes: 64 * 1024 * MiB };
  const advice = [anAdvice({ cpu: '590m', memory: '512Mi', cpuAdvice: { lowerBound: 550 } })];
  const nodesOfPods = new Map([['n1', node]]);
  const change = { largestNode: node, nodesOfPods, advice, pods: pods(3, { container: c }), workload: aWorkloadRecord({}, c) };
  const { requests, limits: after } = run(approvedBy(aSituation({ policy: APPROVE, ...change }), values), 30).s.pods[0]!.containers[0]!;
  expect([requests.cpuMillicores, after.cpuMillicores]).toEqual(expected);
});

test('an approved raise that only a node without pods of the workload has capacity for is applied', () => {
  const nodesOfPods = new Map([['n1', { cpuMillicores: 550, memoryBytes: 2 ** 40 }]]);
  const largestNode = { cpuMillicores: 64_000, memoryBytes: 2 ** 40 };
  const advice = [anAdvice({ cpu: '2', memory: '512Mi', cpuAdvice: { lowerBound: 1_000 } })];
  const s = approved(aSituation({ policy: APPROVE, advice, nodesOfPods, largestNode }));
  expect(decideWorkload(s).memory.apply?.values.get('main')?.requests.cpuMillicores).toBe(2000);
});

test('an approved limit of a container without limits lapses', () => {
  const s = approvedBy(aSituation({ policy: APPROVE }), { ...LEARNT, limits: amounts('105m', '140Mi') });
  const { s: after, decisions } = run(s, 60);
  expect(decisions.at(-1)?.message).toContain('the approved limit of cpu of main differs from the recommendation');
  expect(cpusOf(after)).toEqual([500, 500, 500]);
});

test.each<[string, RequestsAndLimits, RequestsAndLimits['limits']]>([
  ['stay where they are greater', { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') }, amounts('1', '1Gi')],
  ['stay equal to the requests', { requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') }, amounts('200m', '320Mi')],
])('limits that an approval leaves out %s', (_, c, limits) => {
  const qosClass = c.requests.cpuMillicores === c.limits.cpuMillicores ? ('Guaranteed' as const) : ('Burstable' as const);
  const s = aSituation({ policy: APPROVE, pods: pods(3, { container: c, qosClass }), workload: aWorkloadRecord({}, c) });
  const { requests } = decideWorkload(s).containers[0]!.target!;
  const { s: after } = run(approvedBy(s, { requests, limits: NONE }), 90);
  expect(after.pods.map(({ containers }) => containers[0]!.limits)).toEqual([limits, limits, limits]);
  expect(after.memory.lastApplied?.values.get('main')).toEqual({ requests, limits });
});

test('an approval without containers is none', () => {
  const s = {
    ...aSituation({ policy: APPROVE }),
    userRequests: { ...NO_USER_REQUESTS, approved: { at: T0, by: 'ann', values: new Map() } },
  };
  expect(decideWorkload(s)).toMatchObject({ reason: 'approval', message: decideWorkload(aSituation({ policy: APPROVE })).message });
});

test.each(['Auto', 'Approve'] as const)('the message lists no container in a more restrictive mode: mode %s', (mode) => {
  const d = decideWorkload(two({ policy: autoPolicy({ mode, exceptions: proxyIn('Recommend') }) }));
  expect(d.message).toContain('main: cpu 500m → 100m');
  expect(d.message).not.toContain('proxy');
});
