import { describe, expect, test } from '@jest/globals';
import { aContainer, amounts, anAdvice, aPodRecord, aSituation, autoPolicy, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import type { PodRecord, PodResizeStatus } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';
import { hasSameValues } from '../model/container-values.ts';
import type { NodePoolOfNode, WorkloadSituation } from '../model/situation.ts';
import { raisesWaitingForNodes } from './steps/waiting-raises.ts';
import { readMemory, writeMemory } from '../status/memory-codec.ts';

const NODES: ReadonlyMap<string, NodePoolOfNode> = new Map([
  ['n1', { pool: 'blue', size: '4cpu-16Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 30 * DAY_MS }],
  ['n2', { pool: 'blue', size: '4cpu-16Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 30 * DAY_MS }],
  ['large', { pool: 'blue', size: '16cpu-64Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 30 * DAY_MS }],
  ['other', { pool: 'green', size: '4cpu-16Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 30 * DAY_MS }],
]);
// Only codes decide, so the messages differ from those of a kubelet.
const STATIC_CPU: Answer = { message: 'no more CPU here', refusal: { code: 'cpu-manager', resource: 'cpu' } };
const SWAP: Answer = { message: 'no more memory here', refusal: { code: 'swap', resource: 'memory' } };
const TOO_MUCH_MEMORY: Answer = { message: 'that is a lot', refusal: { code: 'node-capacity', resource: 'memory' } };
const TOO_MUCH: Answer = { message: 'that is a lot', refusal: { code: 'node-capacity', resource: null } };

type Answer = Required<Pick<PodResizeStatus, 'message' | 'refusal'>>;

/** Refusal of a resize by a kubelet; null: it actuates the resize. */
type Kubelet = (pod: PodRecord, changed: ReadonlySet<'cpu' | 'memory'>) => Answer | null;

/** Decides and applies the steps every minute. */
function live(start: WorkloadSituation, kubelet: Kubelet, minutes: number) {
  let situation = start;
  const asked: string[] = [];
  let last = decideWorkload(situation);
  for (let minute = 0; minute < minutes; minute += 1) {
    const pods = resized(situation.pods, last.steps).map((pod): PodRecord => {
      const step = last.steps.find((each) => each.pod.uid === pod.uid);
      if (step === undefined) return pod;
      const changed = new Set(
        step.containers.flatMap(({ from, to }) => [
          ...(from.requests.cpuMillicores === to.requests.cpuMillicores ? [] : ['cpu' as const]),
          ...(from.requests.memoryBytes === to.requests.memoryBytes ? [] : ['memory' as const]),
        ]),
      );
      const before = situation.pods.find(({ uid }) => uid === pod.uid);
      // A revert to the actual values, which no kubelet refuses.
      const isBack = step.containers.every(({ name, to }) => {
        const actual = before?.containers.find((each) => each.name === name)?.actual ?? null;
        return actual !== null && hasSameValues(actual, to);
      });
      if (isBack) return { ...pod, resize: { state: 'none', message: '', since: null } };
      asked.push(`${pod.name}: ${[...changed].join(' and ')}`);
      const answer = kubelet(pod, changed);
      if (answer === null || before === undefined) return { ...pod, resize: { state: 'none', message: '', since: null } };
      const containers = pod.containers.map((container, at) => ({ ...container, actual: before.containers[at]?.actual ?? null }));
      return { ...pod, containers, resize: { state: 'infeasible', ...answer, since: situation.now } };
    });
    // Stored and read as by a new leader.
    const memory = readMemory(writeMemory(last.memory));
    situation = { ...situation, memory, pods, now: situation.now + MINUTE_MS };
    last = decideWorkload(situation);
  }
  return { asked, last, situation };
}

const short = anAdvice({ cpu: '900m', memory: '1Gi' });
const pod = (name: string, node: string): PodRecord => aPodRecord({ name, node });
const situationOf = (pods: readonly PodRecord[], more: Partial<WorkloadSituation> = {}): WorkloadSituation =>
  aSituation({
    pods,
    nodePools: NODES,
    kubeletVersions: new Map([...NODES.keys()].map((name) => [name, 'v1.36.0'])),
    advice: [short],
    ...more,
  });
const refusesMemory =
  (answer: Answer): Kubelet =>
  (_, changed) =>
    changed.has('memory') ? answer : null;

describe('an infeasible resize', () => {
  test('is retried once with the other resource alone, which stays in force', () => {
    const { asked, last, situation } = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 120);
    expect(asked).toEqual(['web-1: cpu and memory', 'web-1: cpu']);
    expect(situation.pods[0]?.containers[0]?.requests).toEqual(amounts('900m', '512Mi'));
    expect(situation.memory.lastApplied?.values.get('main')?.requests).toEqual(amounts('900m', '1Gi'));
    expect([last.state, last.message]).toEqual(['awaiting', `web-1: node pool blue/v1.36.0: ${SWAP.message}`]);
  });

  test('of Guaranteed pods with exclusive CPUs leaves their memory to be resized', () => {
    const container = aContainer({ requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') });
    const guaranteed = aPodRecord({ node: 'n1', containers: [container] });
    const demand = [{ container: 'main', windows: [], throttlingMeasuredAt: T0 }];
    const { asked, situation } = live(
      situationOf([guaranteed], { advice: [anAdvice({ cpu: '100m', memory: '128Mi' })], demand }),
      (_, changed) => (changed.has('cpu') ? STATIC_CPU : null),
      180,
    );
    expect(asked.filter((each) => each.includes('cpu'))).toHaveLength(1);
    expect(asked.at(-1)).toBe('web-1: memory');
    expect(situation.pods[0]?.containers[0]?.requests.cpuMillicores).toBe(500);
  });

  test('without a named resource is retried with CPU alone, and then with neither', () => {
    const { asked } = live(situationOf([pod('web-1', 'n1')]), () => TOO_MUCH, 120);
    expect(asked).toEqual(['web-1: cpu and memory', 'web-1: cpu']);
  });

  test('is stored by node pool: neither a new pod nor another node of the pool is tried', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 30);
    const created = { ...pod('web-9', 'n2'), createdAt: first.situation.now };
    const second = live({ ...first.situation, pods: [created] }, refusesMemory(SWAP), 30);
    expect(second.asked).toEqual(['web-9: cpu']);
    const elsewhere = live({ ...first.situation, pods: [pod('web-9', 'other')] }, () => null, 30);
    expect(elsewhere.asked).toEqual(['web-9: cpu and memory']);
  });

  test('for missing capacity applies only to nodes of the same size', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(TOO_MUCH_MEMORY), 30);
    expect(live({ ...first.situation, pods: [pod('web-9', 'n2')] }, () => null, 30).asked).toEqual(['web-9: cpu']);
    expect(live({ ...first.situation, pods: [pod('web-9', 'large')] }, () => null, 30).asked).toEqual(['web-9: cpu and memory']);
  });

  test('for missing capacity does not forbid smaller requests', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(TOO_MUCH_MEMORY), 30);
    const less = live({ ...first.situation, advice: [anAdvice({ cpu: '900m', memory: '800Mi' })] }, () => null, 60);
    expect(less.asked).toEqual(['web-1: memory']);
  });

  test('above the node’s allocatable is requested once, until the request is smaller or the node larger', () => {
    const nodesOfPods = new Map([['n1', { cpuMillicores: 4_000, memoryBytes: 1_000 * MiB }]]);
    const first = live(situationOf([pod('web-1', 'n1')], { nodesOfPods }), refusesMemory(TOO_MUCH_MEMORY), 13 * 60);
    expect(first.asked).toEqual(['web-1: cpu and memory', 'web-1: cpu']);
    expect(first.last).toMatchObject({ state: 'awaiting', reason: 'node-capacity', until: null });
    const later = { ...first.situation, now: T0 + 3 * DAY_MS };
    expect(live(later, refusesMemory(TOO_MUCH_MEMORY), 30).asked).toEqual([]);
    expect(raisesWaitingForNodes(later, decideWorkload(later))?.pods).toBe(1);
    expect(live({ ...later, advice: [anAdvice({ cpu: '900m', memory: '800Mi' })] }, () => null, 60).asked).toEqual(['web-1: memory']);
    const larger = new Map([['n1', { cpuMillicores: 4_000, memoryBytes: 2_000 * MiB }]]);
    expect(live({ ...later, nodesOfPods: larger }, () => null, 30).asked).toEqual(['web-1: memory']);
  });

  test('is retried once after a day, or after 6 hours where capacity was missing', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 30);
    const at = (later: number): WorkloadSituation => ({ ...first.situation, now: T0 + later });
    expect(live(at(23 * HOUR_MS), refusesMemory(SWAP), 30).asked).toEqual([]);
    expect(live(at(24 * HOUR_MS + MINUTE_MS), refusesMemory(SWAP), 30).asked).toEqual(['web-1: memory']);
    const capacity = live(situationOf([pod('web-1', 'n1')]), refusesMemory(TOO_MUCH_MEMORY), 30);
    expect(live({ ...capacity.situation, now: T0 + 6 * HOUR_MS + MINUTE_MS }, () => null, 30).asked).toEqual(['web-1: memory']);
  });

  test('for a permanent reason is retried with a doubled back-off of at most 8 days', () => {
    let situation = situationOf([pod('web-1', 'n1')]);
    const tries: number[] = [];
    for (let day = 0; day < 40; day += 1) {
      const { asked, situation: after } = live({ ...situation, now: T0 + day * (DAY_MS + MINUTE_MS) }, refusesMemory(SWAP), 10);
      if (asked.some((each) => each.includes('memory'))) tries.push(day);
      situation = after;
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 23, 31, 39]);
  });

  test('for a reason that has ended is not stored any longer', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 10);
    const second = live({ ...first.situation, now: T0 + DAY_MS + HOUR_MS }, () => null, 10);
    expect(second.situation.pods[0]?.containers[0]?.requests).toEqual(amounts('900m', '1Gi'));
    const last = live({ ...second.situation, now: T0 + 2 * DAY_MS + HOUR_MS }, () => null, 1);
    expect(last.situation.memory.failures).toEqual([]);
  });

  test('ends when all nodes of the pool have been replaced', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 30);
    const { now } = first.situation;
    const replaced = new Map([['n7', { pool: 'blue', size: '4cpu-16Gi', kubeletVersion: 'v1.36.0', oldestNodeAt: now - MINUTE_MS }]]);
    const second = live({ ...first.situation, pods: [pod('web-9', 'n7')], nodePools: replaced }, () => null, 30);
    expect(second.asked).toEqual(['web-9: cpu and memory']);
  });

  test('ends on each node whose kubelet has been upgraded since', () => {
    const first = live(situationOf([pod('web-1', 'n1')]), refusesMemory(SWAP), 30);
    const upgraded = new Map([...NODES].map(([name, node]) => [name, name === 'n1' ? { ...node, kubeletVersion: 'v1.37.0' } : node]));
    const at = (nodePools: typeof NODES) => ({ ...first.situation, nodePools, now: T0 + HOUR_MS, pods: first.situation.pods });
    expect(live(at(upgraded), () => null, 30).asked).toEqual(['web-1: memory']);
    expect(live({ ...at(upgraded), pods: [pod('web-9', 'n2')] }, () => null, 30).asked).toEqual(['web-9: cpu']);
  });

  test('of a reduction does not stop the verification of the other resource', () => {
    const lowered = situationOf([pod('web-1', 'n1'), pod('web-2', 'n1'), pod('web-3', 'n1')], {
      advice: [anAdvice({ cpu: '100m', memory: '128Mi' })],
      policy: autoPolicy(),
    });
    const { asked, situation } = live(lowered, refusesMemory(SWAP), 240);
    expect(asked.filter((each) => each.includes('memory'))).toHaveLength(1);
    expect(situation.pods.map(({ containers }) => containers[0]?.requests)).toEqual(Array(3).fill(amounts('100m', '512Mi')));
    expect(situation.memory.apply).toBeNull();
  });
});

describe('a raise that every node refuses', () => {
  const tooMuch: Kubelet = () => TOO_MUCH;
  const refused = live(situationOf([pod('web-1', 'n1'), pod('web-2', 'n1')]), tooMuch, 30);

  test('is neither sent nor started again, and the stored memory does not change', () => {
    const later = live(refused.situation, tooMuch, 60);
    expect(later.asked).toEqual([]);
    const words = [refused.last.state, refused.last.reason, refused.last.message];
    expect([later.last.state, later.last.reason, later.last.message]).toEqual(words);
    expect(writeMemory(later.last.memory)).toEqual(writeMemory(refused.last.memory));
  });

  test('does not keep a new pod from the values in force', () => {
    const values = { requests: amounts('500m', '600Mi'), limits: amounts(null, null) };
    const lastApplied = { at: T0, by: 'evenkeel', reason: '', pods: 2, values: new Map([['main', values]]) };
    const memory = { ...refused.situation.memory, lastApplied };
    const { steps } = decideWorkload({ ...refused.situation, memory, pods: [pod('web-9', 'n2')] });
    expect(steps.map(({ kind, containers }) => [kind, containers[0]?.to.requests])).toEqual([['correct-drift', amounts('500m', '600Mi')]]);
  });

  test('is made once a node has capacity for it', () => {
    const moved = live({ ...refused.situation, pods: [pod('web-9', 'large')] }, () => null, 30);
    expect(moved.asked).toEqual(['web-9: cpu and memory']);
    expect(moved.situation.pods[0]?.containers[0]?.requests).toEqual(amounts('900m', '1Gi'));
    expect(moved.last.state).toBe('applied');
    const waited = live({ ...refused.situation, now: T0 + 6 * HOUR_MS + 10 * MINUTE_MS }, () => null, 30);
    expect(waited.asked).toEqual(['web-1: cpu and memory', 'web-2: cpu and memory']);
  });
});

describe('a start-up boost', () => {
  test('that the CPU manager of one node refuses is not tried in its node pool', () => {
    const container = aContainer({ requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') });
    const starting = (name: string, node: string, now: number): PodRecord =>
      aPodRecord({
        name,
        node,
        createdAt: now,
        readySince: null,
        unreadySince: now,
        ready: false,
        containers: [{ ...container, startedAt: now }],
      });
    const policy = autoPolicy({ startup: { boostRatio: 2, durationMs: 2 * MINUTE_MS } });
    const advice = [anAdvice({ cpu: '500m', memory: '512Mi' })];
    const freeOnNodes = new Map([...NODES.keys()].map((name) => [name, { cpuMillicores: 8000, memoryBytes: 8 * 2 ** 30 }]));
    const first = live(situationOf([starting('web-1', 'n1', T0)], { policy, advice, freeOnNodes }), () => STATIC_CPU, 5);
    expect(first.asked).toEqual(['web-1: cpu']);
    const next = { ...first.situation, pods: [starting('web-2', 'n2', first.situation.now)] };
    expect(live(next, () => STATIC_CPU, 5).asked).toEqual([]);
  });
});

test('a pod that is evicted for its size is not evicted again where its successor comes to a node of the same pool', () => {
  const policy = autoPolicy({ apply: 'InPlaceOrEvict' });
  const pods = [pod('web-1', 'n1'), pod('web-2', 'other'), pod('web-3', 'other')];
  const start = situationOf(pods, { policy });
  const tooSmall: Kubelet = ({ node }, changed) => (node === 'n1' && changed.has('memory') ? TOO_MUCH_MEMORY : null);
  const first = live(start, tooSmall, 1).situation;
  const evicted = decideWorkload({ ...first, now: first.now + 5 * MINUTE_MS }).evict;
  expect(evicted?.name).toBe('web-1');
  const successor = { ...pod('web-9', 'n2'), createdAt: first.now + 5 * MINUTE_MS };
  const next = { ...first, pods: [successor, ...first.pods.slice(1)], now: first.now + 10 * MINUTE_MS };
  expect(decideWorkload(next).evict).toBeNull();
});
