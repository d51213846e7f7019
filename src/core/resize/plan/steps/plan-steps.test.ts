import { describe, expect, test } from '@jest/globals';
import {
  aContainer,
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  memory,
  pods,
  resized,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';
import { correctDrift } from '../correct-drift.ts';

const SETTLED = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };

/** Ten pods whose main container needs 2.8 cores and requests 500m, with a proxy that is over-provisioned. */
function shortBesideProxy(): WorkloadSituation {
  const containers = [aContainer({ name: 'main' }), aContainer({ name: 'proxy' })];
  const workload = aWorkloadRecord({
    containers: containers.map(({ name }) => ({ name, ...SETTLED, sidecar: false, image: `${name}:1` })),
  });
  const main = anAdvice({ cpu: '3', memory: '512Mi', cpuAdvice: { lowerBound: 2800, latest: 2800 } });
  const proxy = anAdvice({ container: 'proxy', cpu: '500m', memory: '128Mi' });
  return aSituation({ workload, pods: pods(10, { containers }), advice: [main, proxy] });
}

/** Advice for a container that needs the given CPU and a quarter of its memory. */
function needs(millicores: number) {
  const cpuAdvice = { lowerBound: Math.round(millicores * 0.95), latest: Math.round(millicores * 0.8) };
  return [anAdvice({ cpu: `${millicores}m`, memory: '128Mi', cpuAdvice })];
}

function cpuOf({ pods: all }: Pick<WorkloadSituation, 'pods'>): readonly (number | null | undefined)[] {
  return all.map(({ containers }) => containers[0]?.requests.cpuMillicores);
}

/** The situation after one decision whose steps are applied. */
function carriedOut(situation: WorkloadSituation): WorkloadSituation {
  const decision = decideWorkload(situation);
  return { ...situation, memory: decision.memory, pods: resized(situation.pods, decision.steps), now: situation.now + MINUTE_MS };
}

describe('a raise beside a reduction', () => {
  test('goes to all pods at once, the reduction to the canary alone', () => {
    const { steps, memory: remembered } = decideWorkload(shortBesideProxy());
    expect(remembered.apply?.stage).toBe('Canary');
    expect(steps).toHaveLength(10);
    expect(steps.filter(({ lowers }) => lowers).map(({ pod }) => pod.name)).toEqual(['web-1']);
    expect(new Set(steps.map(({ containers }) => containers[0]?.to.requests.cpuMillicores))).toEqual(new Set([3000]));
  });

  test('of the same container does not wait for the stages of the reduction', () => {
    const start = carriedOut(aSituation({ pods: pods(10), advice: needs(500) }));
    const short = carriedOut({ ...start, advice: needs(2000) });
    expect(new Set(cpuOf(short))).toEqual(new Set([2000]));
    expect(short.pods.map(({ containers }) => containers[0]?.requests.memoryBytes)).toEqual([
      memory('128Mi'),
      ...Array.from({ length: 9 }, () => memory('512Mi')),
    ]);
  });

  test('does not exceed a ResourceQuota', () => {
    const quota = {
      namespace: 'shop',
      name: 'cpu',
      hardRequests: amounts('15', null),
      usedRequests: amounts('10', null),
      hardLimits: amounts(null, null),
      usedLimits: amounts(null, null),
    };
    const { steps, message } = decideWorkload({ ...shortBesideProxy(), quotas: [quota] });
    expect(steps.map(({ pod }) => pod.name)).toEqual(['web-1', 'web-2']);
    expect(message).toContain('ResourceQuota cpu');
  });

  test('is made although the memory limit cannot fall yet', () => {
    const container = { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') };
    const values = { requests: amounts('1', '256Mi'), limits: amounts(null, '512Mi') };
    const used = anAdvice({ cpu: '1', memory: '256Mi' });
    const advice = [{ ...used, memoryEvidence: { ...used.memoryEvidence!, latest: memory('500Mi') } }];
    const lastApplied = { at: T0 - HOUR_MS, by: 'evenkeel', reason: '', pods: 1, values: new Map([['main', values]]) };
    const { steps } = decideWorkload(
      aSituation({ workload: aWorkloadRecord({}, container), pods: pods(1, { container }), advice, memory: { ...NO_MEMORY, lastApplied } }),
    );
    expect(steps.map(({ containers }) => containers[0]?.to)).toEqual([{ requests: amounts('1', '512Mi'), limits: amounts(null, '1Gi') }]);
  });

  test('reaches a new pod while nothing may be lowered after a start', () => {
    const values = { requests: amounts('1', '256Mi'), limits: amounts(null, null) };
    const lastApplied = { at: T0 - HOUR_MS, by: 'evenkeel', reason: '', pods: 1, values: new Map([['main', values]]) };
    const base = aSituation({
      pods: [aPodRecord()],
      advice: [anAdvice({ cpu: '1', memory: '256Mi' })],
      memory: { ...NO_MEMORY, lastApplied },
    });
    const { steps } = decideWorkload({ ...base, gateState: { ...base.gateState, warmUpUntil: T0 + MINUTE_MS } });
    expect(steps.map(({ containers }) => containers[0]?.to.requests)).toEqual([amounts('1', '512Mi')]);
  });
});

describe('a load that grows while a reduction spreads', () => {
  test('is followed in every pod, and the reduction continues', () => {
    let situation = aSituation({ pods: pods(10), policy: autoPolicy(), advice: needs(500) });
    let short = 0;
    for (let minute = 0; minute < 120; minute += 1) {
      const need = minute < 2 ? 500 : Math.round(700 * 1.1 ** Math.floor(minute / 8));
      const demand = [{ container: 'main', windows: [], throttlingMeasuredAt: situation.now }];
      situation = carriedOut({ ...situation, advice: needs(need), demand });
      short += cpuOf(situation).filter((cpu) => (cpu ?? 0) < Math.round(need * 0.95)).length;
    }
    expect(short).toBe(0);
    expect(new Set(situation.pods.map(({ containers }) => containers[0]?.requests.memoryBytes))).toEqual(new Set([memory('128Mi')]));
  });
});

describe('a resource that was not measured lately', () => {
  test.each(['cpu', 'memory'] as const)('is not reduced: %s', (resource) => {
    const [known] = [anAdvice()];
    const other = resource === 'cpu' ? 'memory' : 'cpu';
    const unmeasured = known[resource] && { ...known[resource], isMeasured: false };
    const advice = [{ ...known, [resource]: unmeasured, [other]: null }];
    const decision = decideWorkload(aSituation({ pods: pods(3), advice }));
    expect([decision.steps, decision.reason]).toEqual([[], 'stale-data']);
    expect(decision.message).toContain(`${resource} of main was not measured for 15 minutes`);
  });

  test('is raised by earlier usage', () => {
    const advice = needs(2000).map((each) => ({ ...each, cpu: each.cpu && { ...each.cpu, isMeasured: false } }));
    expect(decideWorkload(aSituation({ pods: pods(3), advice })).steps.length).toBeGreaterThan(0);
  });
});

describe('pods whose node reports no usage', () => {
  const onTwoNodes = pods(4).map((pod, index) => (index === 3 ? { ...pod, node: 'n2' } : pod));
  const unreadPods = new Set(onTwoNodes.slice(3).map(({ uid }) => uid));

  test('are raised, and not reduced', () => {
    const { steps } = decideWorkload(aSituation({ pods: onTwoNodes, advice: needs(2000), unreadPods }));
    expect(steps.find(({ pod }) => pod.node === 'n2')?.containers[0]?.to.requests).toEqual(amounts('2', '512Mi'));
    const lowered = decideWorkload(aSituation({ pods: onTwoNodes.slice(3), unreadPods }));
    expect([lowered.steps, lowered.reason]).toEqual([[], 'stale-data']);
  });

  test('are reduced only by a requested roll-back that is younger than the pods', () => {
    const values = new Map([['main', { requests: amounts('200m', '512Mi'), limits: amounts(null, null) }]]);
    const at = T0 - HOUR_MS;
    const rolledBack = { at, reason: 'restarts', message: 'more restarts', heldUntil: T0 + HOUR_MS, count: 1, values };
    const lastApplied = { at, by: 'policy', reason: 'rolled back', pods: 4, values };
    const conformed = (createdAt: number, requestedAt: number | null = at): readonly string[] => {
      const remembered = { ...NO_MEMORY, lastApplied, rolledBack: { ...rolledBack, requestedAt } };
      const all = onTwoNodes.map((pod) => ({ ...pod, createdAt }));
      return correctDrift(aSituation({ pods: all, unreadPods, memory: remembered }), []).steps.map(({ pod }) => pod.name);
    };
    expect(conformed(at - HOUR_MS)).toEqual(onTwoNodes.map(({ name }) => name));
    const read = onTwoNodes.slice(0, 3).map(({ name }) => name);
    expect(conformed(at + 1)).toEqual(read);
    expect(conformed(at - HOUR_MS, null)).toEqual(read);
  });

  test('are raised where there are no others', () => {
    const short = shortBesideProxy();
    const { steps } = decideWorkload({ ...short, unreadPods: new Set(short.pods.map(({ uid }) => uid)) });
    expect([steps.length, steps.some(({ lowers }) => lowers)]).toEqual([10, false]);
  });

  test('do not keep a raise from being completed that their node does not actuate', () => {
    const advice = needs(2000).map((each) => ({ ...each, memory: null }));
    const start = aSituation({ pods: onTwoNodes, advice, unreadPods });
    const raised = carriedOut(start);
    const all = raised.pods.map((pod) => (pod.node === 'n2' ? { ...pod, resize: { ...pod.resize, state: 'in-progress' as const } } : pod));
    expect(decideWorkload({ ...raised, pods: all }).memory).toMatchObject({ apply: null, lastApplied: { pods: 3 } });
  });
});
