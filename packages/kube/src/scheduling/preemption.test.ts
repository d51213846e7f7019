import { describe, expect, test } from '@jest/globals';
import { aSchedulingNode, aSchedulingPod, aSchedulingView } from '../../../../test/builders/scheduling.ts';
import { compareQueued, explainGates } from './queue-order.ts';
import type { Budget } from './preemption.ts';
import { selectNode } from './select-node.ts';
import type { SchedulingPod } from './scheduling-model.ts';

const there = (name: string, priority: number, cpu: number, more: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  aSchedulingPod({ startedAt: 0, labels: { app: name }, ...more, name, priority, requests: { cpu } });
const node = (name: string, ...pods: readonly SchedulingPod[]) => aSchedulingNode({ name, allocatable: { cpu: 1000 }, pods });
const urgent = (cpu: number, more: Partial<Omit<SchedulingPod, 'requests'>> = {}): SchedulingPod =>
  there('urgent', 100, cpu, { startedAt: null, ...more });
const budget = (fields: Partial<Budget> = {}): Budget => ({
  namespace: 'shop',
  selector: { matchLabels: { app: 'kept' } },
  disruptionsAllowed: 0,
  disrupted: new Set(),
  ...fields,
});

function room(pod: SchedulingPod, nodes: ReturnType<typeof node>[], budgets: readonly Budget[] = []) {
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
  test('takes no more than it must, and the least important', () => {
    const full = node('a', there('low', 1, 400), there('lower', 0, 300), there('small', 0, 100));
    expect(room(urgent(500), [full])).toEqual({ node: 'a', victims: ['lower'], violations: 0 });
  });

  test('leaves equals alone', () => {
    expect(room(urgent(500), [node('a', there('equal', 100, 900))])).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });

  test('does not clear a node that is too small anyway', () => {
    expect(room(urgent(1001), [node('a', there('low', 0, 900))])).toMatch(/1 Preemption is not helpful for scheduling\.$/);
  });

  test('a pod whose policy is Never waits', () => {
    expect(room(urgent(500, { mayPreempt: false }), [node('a', there('low', 0, 900))])).toMatch(
      /preemption: not eligible due to preemptionPolicy=Never\.$/,
    );
  });

  test('spares whom a budget keeps where another will do', () => {
    const pods = [there('kept', 0, 500), there('free', 0, 500)];
    expect(room(urgent(500), [node('a', ...pods)], [budget()])).toEqual({ node: 'a', victims: ['free'], violations: 0 });
    expect(room(urgent(500), [node('a', ...pods)], [budget({ selector: { matchLabels: { app: 'free' } } })])).toMatchObject({
      victims: ['kept'],
    });
  });

  test.each<[string, Partial<Budget>, number]>([
    ['nothing left', {}, 1],
    ['one left', { disruptionsAllowed: 1 }, 0],
    ['counted already', { disrupted: new Set(['kept']) }, 0],
    ['of another namespace', { namespace: 'ops' }, 0],
    ['that asks for nothing', { selector: {} }, 0],
  ])('breaks a budget only when nothing else helps: %s', (_, fields, violations) => {
    expect(room(urgent(900), [node('a', there('kept', 0, 900))], [budget(fields)])).toEqual({ node: 'a', victims: ['kept'], violations });
  });

  test.each<[string, readonly SchedulingPod[], readonly SchedulingPod[]]>([
    ['keeps budgets', [there('kept', 0, 900)], [there('x', 5, 900)]],
    ['hits the less important', [there('x', 5, 900)], [there('y', 1, 900)]],
    ['adds up to less', [there('x', 5, 500), there('y', 5, 500)], [there('z', 5, 900)]],
    ['hits those who began later', [there('x', 5, 900, { startedAt: 1 })], [there('y', 5, 900, { startedAt: 2 })]],
    ['is first by name, all else equal', [], []],
  ])('chooses the node where it %s', (_, worse, better) => {
    if (better.length === 0)
      expect(room(urgent(900), [node('b', there('x', 5, 900)), node('a', there('y', 5, 900))])).toMatchObject({ node: 'a' });
    else expect(room(urgent(900), [node('a', ...worse), node('b', ...better)], [budget()])).toMatchObject({ node: 'b' });
  });

  test('makes room for a pod that others keep away, too', () => {
    const term = {
      topologyKey: 'kubernetes.io/hostname',
      selector: { matchLabels: { app: 'urgent' } },
      namespaces: [],
      namespaceSelector: null,
    };
    expect(room(urgent(1), [node('a', there('hermit', 0, 1, { antiAffinity: [term] }))])).toEqual({
      node: 'a',
      victims: ['hermit'],
      violations: 0,
    });
  });
});

describe('the queue', () => {
  test('serves the more important, then the older, then by name', () => {
    const pods = [there('b', 0, 1), there('a', 0, 1), there('old', 0, 1, { createdAt: -5 }), there('high', 9, 1)];
    expect(pods.sort(compareQueued).map(({ name }) => name)).toEqual(['high', 'old', 'a', 'b']);
  });

  test('holds gated pods back', () => {
    expect(explainGates(aSchedulingPod({ gates: ['x', 'y'] }))).toBe('waiting for scheduling gates: [x y]');
    expect(explainGates(aSchedulingPod())).toBeNull();
  });
});
