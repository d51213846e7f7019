import { describe, expect, test } from '@jest/globals';
import { aSchedulingNode, aSchedulingPod, aSchedulingView } from '../../testing/scheduling.ts';
import { compareQueued, explainGates } from './queue-order.ts';
import type { Budget } from './preemption.ts';
import { selectNode } from './select-node.ts';
import type { SchedulingPod } from './scheduling-model.ts';

const existing = (name: string, priority: number, cpu: number, fields: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  aSchedulingPod({ startedAt: 0, labels: { app: name }, ...fields, name, priority, requests: { cpu } });
const node = (name: string, ...pods: readonly SchedulingPod[]) => aSchedulingNode({ name, allocatable: { cpu: 1000 }, pods });
const urgent = (cpu: number, fields: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  existing('urgent', 100, cpu, { startedAt: null, ...fields });
const budget = (fields: Partial<Budget> = {}): Budget => ({
  namespace: 'shop',
  selector: { matchLabels: { app: 'protected' } },
  disruptionsAllowed: 0,
  disrupted: new Set(),
  ...fields,
});

function preemptFor(pod: SchedulingPod, nodes: ReturnType<typeof node>[], budgets: readonly Budget[] = []) {
  const placement = selectNode(pod, aSchedulingView(nodes), { budgets: () => budgets, ineligible: null });
  if (placement.kind === 'placed') return 'placed';
  if (placement.preemption === null) return placement.message;
  return {
    node: placement.preemption.node.name,
    victims: placement.preemption.victims.map(({ name }) => name),
    violations: placement.preemption.budgetViolations,
  };
}

describe('preemption', () => {
  test('evicts the minimum of pods, lowest priority first', () => {
    const full = node('a', existing('low', 1, 400), existing('lower', 0, 300), existing('small', 0, 100));
    expect(preemptFor(urgent(500), [full])).toEqual({ node: 'a', victims: ['lower'], violations: 0 });
  });

  test('does not evict pods of equal priority', () => {
    expect(preemptFor(urgent(500), [node('a', existing('equal', 100, 900))])).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });

  test('does not preempt on a node that is too small when empty', () => {
    expect(preemptFor(urgent(1001), [node('a', existing('low', 0, 900))])).toMatch(/1 Preemption is not helpful for scheduling\.$/);
  });

  test('a pod with preemptionPolicy Never does not preempt', () => {
    expect(preemptFor(urgent(500, { mayPreempt: false }), [node('a', existing('low', 0, 900))])).toMatch(
      /preemption: not eligible due to preemptionPolicy=Never\.$/,
    );
  });

  test('spares a pod protected by a budget if another victim suffices', () => {
    const pods = [existing('protected', 0, 500), existing('free', 0, 500)];
    expect(preemptFor(urgent(500), [node('a', ...pods)], [budget()])).toEqual({ node: 'a', victims: ['free'], violations: 0 });
    expect(preemptFor(urgent(500), [node('a', ...pods)], [budget({ selector: { matchLabels: { app: 'free' } } })])).toMatchObject({
      victims: ['protected'],
    });
  });

  test.each<[string, Partial<Budget>, number]>([
    ['no disruption left', {}, 1],
    ['one disruption left', { disruptionsAllowed: 1 }, 0],
    ['already counted as disrupted', { disrupted: new Set(['protected']) }, 0],
    ['of another namespace', { namespace: 'ops' }, 0],
    ['with an empty selector', { selector: {} }, 0],
  ])('counts budget violations: %s', (_, fields, violations) => {
    expect(preemptFor(urgent(900), [node('a', existing('protected', 0, 900))], [budget(fields)])).toEqual({
      node: 'a',
      victims: ['protected'],
      violations,
    });
  });

  test.each<[string, readonly SchedulingPod[], readonly SchedulingPod[]]>([
    ['violates no budget', [existing('protected', 0, 900)], [existing('x', 5, 900)]],
    ['evicts a lower priority', [existing('x', 5, 900)], [existing('y', 1, 900)]],
    ['has the lower priority sum', [existing('x', 5, 500), existing('y', 5, 500)], [existing('z', 5, 900)]],
    ['evicts pods that started later', [existing('x', 5, 900, { startedAt: 1 })], [existing('y', 5, 900, { startedAt: 2 })]],
    ['is first by name, all else being equal', [], []],
  ])('chooses the node where it %s', (_, worse, better) => {
    if (better.length === 0)
      expect(preemptFor(urgent(900), [node('b', existing('x', 5, 900)), node('a', existing('y', 5, 900))])).toMatchObject({ node: 'a' });
    else expect(preemptFor(urgent(900), [node('a', ...worse), node('b', ...better)], [budget()])).toMatchObject({ node: 'b' });
  });

  test('evicts a pod whose anti-affinity excludes the incoming pod', () => {
    const term = {
      topologyKey: 'kubernetes.io/hostname',
      selector: { matchLabels: { app: 'urgent' } },
      namespaces: [],
      namespaceSelector: null,
    };
    expect(preemptFor(urgent(1), [node('a', existing('exclusive', 0, 1, { antiAffinity: [term] }))])).toEqual({
      node: 'a',
      victims: ['exclusive'],
      violations: 0,
    });
  });
});

describe('the scheduling queue', () => {
  test('orders by priority, then age, then name', () => {
    const pods = [existing('b', 0, 1), existing('a', 0, 1), existing('old', 0, 1, { createdAt: -5 }), existing('high', 9, 1)];
    expect(pods.sort(compareQueued).map(({ name }) => name)).toEqual(['high', 'old', 'a', 'b']);
  });

  test('excludes gated pods', () => {
    expect(explainGates(aSchedulingPod({ gates: ['x', 'y'] }))).toBe('waiting for scheduling gates: [x y]');
    expect(explainGates(aSchedulingPod())).toBeNull();
  });
});
