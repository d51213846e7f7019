// CPU is reduced only where a regression would be measured: throttling with a CPU limit; pressure, or a node with spare CPU, without one.

import { describe, expect, test } from '@jest/globals';
import {
  aContainer,
  amounts,
  anAdvice,
  aPodRecord,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  pods,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';
import { decideWorkload } from '../../layers/decide-workload.ts';

const LIMITED = { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') };
const FREE = { requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') };
const cpuAlone = anAdvice({ cpu: '100m', memory: '512Mi' });

function limited(situation: Partial<WorkloadSituation> = {}): WorkloadSituation {
  return aSituation({ workload: aWorkloadRecord({}, LIMITED), pods: pods(3, { container: LIMITED }), advice: [cpuAlone], ...situation });
}

const measuredAt = (throttlingMeasuredAt: number | null): WorkloadSituation['demand'] => [
  { container: 'main', windows: [], throttlingMeasuredAt },
];

describe('a CPU-limited container', () => {
  test.each([
    ['measured lately', T0 - HOUR_MS, 'applying', null],
    ['not been measured for two hours', T0 - 2 * HOUR_MS - MINUTE_MS, 'awaiting', 'unmeasured'],
    ['never been measured', null, 'awaiting', 'unmeasured'],
  ])('whose throttling has %s', (_case, at, state, reason) => {
    const decision = decideWorkload(limited({ demand: measuredAt(at) }));
    expect([decision.state, decision.reason]).toEqual([state, reason]);
  });

  test('waits with a message that names the container and the remedy', () => {
    expect(decideWorkload(limited({ demand: [] })).message).toMatch(/throttling of main is not measured.*nodes\/metrics.*prometheus\.url/);
  });

  test('uses the actual limit, not the desired one', () => {
    const lifted = { ...LIMITED, limits: amounts(null, '1Gi'), record: { actual: LIMITED } };
    expect(decideWorkload(limited({ pods: pods(3, { container: lifted }), demand: [] })).reason).toBe('unmeasured');
  });

  test('is sized in memory meanwhile, and its other containers as a whole', () => {
    const containers = [aContainer(LIMITED), aContainer({ ...FREE, name: 'helper' })];
    const advice = [anAdvice(), anAdvice({ container: 'helper' })];
    const situation = limited({ pods: [aPodRecord({ containers })], advice, demand: [] });
    const to = new Map(decideWorkload(situation).steps[0]?.containers.map((each) => [each.name, each.to.requests]));
    expect(to.get('main')).toEqual(amounts('500m', '128Mi'));
    expect(to.get('helper')).toEqual(amounts('100m', '128Mi'));
  });

  test('is still raised, and its temporary increase ends', () => {
    const more = anAdvice({ cpu: '800m', memory: '512Mi' });
    expect(decideWorkload(limited({ advice: [more], demand: [] })).state).toBe('applying');
    const memory = { ...NO_MEMORY, cpuBeforeIncrease: new Map([['main', 100]]) };
    expect(decideWorkload(limited({ demand: [], memory })).state).toBe('applying');
  });

  test.each([
    ['Recommend', 'recommended'],
    ['Approve', 'awaiting'],
  ] as const)('has its recommendation published in mode %s', (mode, state) => {
    const decision = decideWorkload(limited({ policy: autoPolicy({ mode }), demand: [] }));
    expect([decision.state, decision.containers[0]?.target?.requests.cpuMillicores]).toEqual([state, 100]);
    expect(decision.reason).not.toBe('unmeasured');
  });

  test('is not reduced by approval, either', () => {
    const values = new Map([['main', { requests: amounts('100m', '512Mi'), limits: LIMITED.limits }]]);
    const userRequests = { ...limited().userRequests, approved: { at: T0, by: 'ann', values } };
    const decision = decideWorkload(limited({ policy: autoPolicy({ mode: 'Approve' }), demand: [], userRequests }));
    expect([decision.state, decision.reason, decision.steps]).toEqual(['awaiting', 'unmeasured', []]);
  });
});

describe('a container without a CPU limit', () => {
  const on = (...used: readonly (readonly [string, number | null])[]): WorkloadSituation =>
    aSituation({
      workload: aWorkloadRecord({}, FREE),
      pods: [aPodRecord({ container: FREE, name: 'web-1', node: 'n1' }), aPodRecord({ container: FREE, name: 'web-2', node: 'n2' })],
      advice: [cpuAlone],
      demand: [],
      cpuOfNodesWithoutPressure: new Map(used),
    });

  test.each([
    ['its nodes measure pressure', on(), 'applying', null],
    ['less than 80 % of the CPU of its nodes is used', on(['n1', 0.3], ['n2', 0.79]), 'applying', null],
    ['one of them uses 80 %', on(['n1', 0.3], ['n2', 0.8]), 'awaiting', 'unmeasured'],
    ['the usage of one of them is unknown', on(['n1', null]), 'awaiting', 'unmeasured'],
  ])('where %s', (_case, situation, state, reason) => {
    const decision = decideWorkload(situation);
    expect([decision.state, decision.reason]).toEqual([state, reason]);
  });

  test('waits with a message that names the node and its state', () => {
    expect(decideWorkload(on(['n2', 0.845])).message).toMatch(/node n2 measures no pressure.*its CPU usage is 85 %.*main/);
    expect(decideWorkload(on(['n1', null])).message).toMatch(/node n1 measures no pressure.*its CPU usage is unknown/);
  });

  test('is sized in memory meanwhile', () => {
    const decision = decideWorkload({ ...on(['n2', 0.9]), advice: [anAdvice()] });
    expect(decision.steps[0]?.containers[0]?.to.requests).toEqual(amounts('500m', '128Mi'));
  });

  test('does not depend on the node with a CPU limit, whose throttling is measured', () => {
    const situation = limited({ cpuOfNodesWithoutPressure: new Map([['n1', 0.95]]), demand: measuredAt(T0) });
    expect(decideWorkload(situation).state).toBe('applying');
  });
});
