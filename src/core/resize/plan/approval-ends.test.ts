// An approval that ends while its change is under way, and the end of one part of an approved change.

import { expect, test } from '@jest/globals';
import { APPROVE, approved, cpusOf, memoryOf, run, two } from '../../../../test/builders/approvals.ts';
import {
  amounts,
  anAdvice,
  anHpaRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  NO_OVERRIDES,
  pods,
} from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import { NO_USER_REQUESTS, type UserRequests, type WorkloadSituation } from '../model/situation.ts';

const PROXY = { container: 'proxy' };
const NONE = amounts(null, null);

/** 30 pods, of which the canary has the approved values, five minutes later. */
function underWay(change: Partial<WorkloadSituation> = {}): WorkloadSituation {
  const { s } = run(approved(two(change, 30)), 5);
  expect(cpusOf(s).filter((cpu) => cpu === 100).length).toBe(1);
  return { ...s, now: s.now + 5 * MINUTE_MS };
}
const requests = (change: Partial<UserRequests>) => ({ userRequests: { ...NO_USER_REQUESTS, ...change } });
const mainAt = (cpu: string) => new Map([['main', { requests: amounts(cpu, '128Mi'), limits: NONE }]]);

test.each<[string, (s: WorkloadSituation) => Partial<WorkloadSituation>]>([
  ['is withdrawn', () => requests({})],
  ['is replaced by a rejection', (s) => requests({ rejected: s.userRequests.approved })],
  ['is rejected besides', (s) => requests({ approved: s.userRequests.approved, rejected: s.userRequests.approved })],
  ['lapses', () => ({ advice: [anAdvice({ cpu: '130m', cpuAdvice: { lowerBound: 50 } }), anAdvice(PROXY)] })],
  ['is older than 7 days', (s) => ({ now: s.now + 7 * DAY_MS })],
  ['leaves out its values', (s) => requests({ approved: { at: s.now, by: 'bob', values: new Map() } })],
])('a change whose approval %s is ended and taken back', (_, change) => {
  const s = underWay();
  const after = run({ ...s, ...change(s) }, 90);
  expect(new Set(cpusOf(after.s))).toEqual(new Set([500]));
  expect(after.s.memory.apply).toBeNull();
});

test('an approval that lapsed while its change was under way is not carried out later', () => {
  const advice = (cpu: string) => ({ advice: [anAdvice({ cpu, cpuAdvice: { lowerBound: 50 } }), anAdvice(PROXY)] });
  // The recommendation rises above the tolerance and falls back every half hour.
  const { s, decisions } = run({ ...underWay(), ...advice('130m') }, 12 * 60, 5, (_, m) => advice(m % 60 < 30 ? '130m' : '100m'));
  expect(new Set(cpusOf(s))).toEqual(new Set([500]));
  expect(decisions.flatMap(({ steps }) => steps).length).toBe(1);
  expect(decisions.at(-1)).toMatchObject({ state: 'awaiting', reason: 'approval' });
});

test('a change under way reduces no pod below the values of a newer approval', () => {
  const s = underWay();
  const newer = { approved: { at: s.now, by: 'bob', values: new Map([...mainAt('109m'), ['proxy', mainAt('300m').get('main')!]]) } };
  const advice = [anAdvice(), anAdvice({ ...PROXY, cpu: '300m', cpuAdvice: { lowerBound: 50 } })];
  const after = run({ ...s, ...requests(newer), advice }, 180);
  expect(new Set(cpusOf(after.s, 1))).toEqual(new Set([300]));
});

test('an autoscaler that is created while an approved change is under way keeps its replicas', () => {
  const { s } = run(approved(aSituation({ policy: APPROVE, pods: pods(30) })), 25);
  expect(cpusOf(s).filter((cpu) => cpu === 100).length).toBe(15);
  expect(cpusOf(s)).toContain(500);
  const after = run({ ...s, now: s.now + MINUTE_MS, hpas: [anHpaRecord()] }, 90).s;
  expect(new Set(cpusOf(after))).toEqual(new Set([500]));
});

test('mode Auto: a change whose values are rejected is ended and taken back', () => {
  const s = underWay({ policy: autoPolicy() });
  const after = run({ ...s, ...requests({ rejected: s.userRequests.approved }) }, 90);
  expect(new Set(cpusOf(after.s))).toEqual(new Set([500]));
  expect(after.decisions.at(-1)?.reason).toBe('rejected');
});

/** Memory is reduced on all pods; the CPU part, which waited for the end of a burst, has reached the canary. */
function secondPart(): WorkloadSituation {
  const advice = (m: number) => ({ advice: [anAdvice({ cpuAdvice: { recentPeak: m < 60 ? 300 : 70, latest: 70 } })] });
  const { s } = run(approved(aSituation({ policy: APPROVE, pods: pods(12), ...advice(0) })), 70, 10, (_, m) => advice(m));
  expect([cpusOf(s)[0], cpusOf(s)[11], new Set(memoryOf(s))]).toEqual([100, 500, new Set([128])]);
  return { ...s, now: s.now + MINUTE_MS };
}

test('a hold ends the second part of an approved change and leaves the first one', () => {
  const s = secondPart();
  const held = run({ ...s, overrides: { ...NO_OVERRIDES, heldUntil: s.now + HOUR_MS } }, 20).s;
  expect([new Set(cpusOf(held)), new Set(memoryOf(held))]).toEqual([new Set([500]), new Set([128])]);
});

test('a burst of CPU ends no second part that lowers memory alone', () => {
  const keda = { namespace: 'shop', name: 'web', hpa: 'other', utilizationOf: ['memory'] } as never;
  const { s: first } = run(approved(aSituation({ policy: APPROVE, pods: pods(12), scaledObjects: [keda] })), 60);
  expect([new Set(cpusOf(first)), new Set(memoryOf(first))]).toEqual([new Set([100]), new Set([512])]);
  const advice = [anAdvice({ cpuAdvice: { recentPeak: 300, latest: 300 } })];
  const { s, decisions } = run({ ...first, now: first.now + MINUTE_MS, scaledObjects: [], advice }, 90);
  expect([new Set(cpusOf(s)), new Set(memoryOf(s))]).toEqual([new Set([100]), new Set([128])]);
  expect(decisions.filter(({ state }) => state === 'applied').length).toBeGreaterThan(0);
});

test('a change under way is reported as a dry run once its policy is in dry run', () => {
  const s = underWay();
  // The canary is still watched, so that nothing else is due.
  const d = decideWorkload({ ...s, now: s.now - MINUTE_MS, policy: autoPolicy({ mode: 'Approve', dryRun: true }) });
  expect(d).toMatchObject({ state: 'awaiting', reason: 'dry-run' });
});

test("a policy's max below an approved value that is already in force starts no reduction", () => {
  const c = { requests: amounts('3m', '512Mi'), limits: amounts(null, '512Mi') };
  const { container } = APPROVE;
  const memory = { ...container.memory, max: 256 * MiB };
  const policy = { ...APPROVE, container: { ...container, controlled: 'requests' as const, memory } };
  const all = pods(3, { container: c });
  const advice = [anAdvice({ cpu: '4m', memory: '900Mi' })];
  const { s, decisions } = run(approved(aSituation({ policy, advice, pods: all, workload: aWorkloadRecord({}, c) })), 90);
  expect([s.memory.endedApprovalAt, s.memory.apply]).toEqual([null, null]);
  expect(decisions.flatMap(({ steps }) => steps)).toEqual([]);
});

test('a change is not started while it can resize no pod, so that a pod that comes and goes does not start and end it', () => {
  const s = approved(aSituation({ policy: APPROVE, pods: pods(1, { ready: false, readySince: null }) }));
  const unread = (m: number) => ({ unreadPods: new Set(m % 10 === 0 ? [] : [s.pods[0]!.uid]) });
  const { decisions } = run(s, 60, 5, (_, m) => unread(m));
  expect(decisions.filter(({ memory }) => memory.apply !== null)).toEqual([]);
  expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(['rollout', 'stale-data']));
});
