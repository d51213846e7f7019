import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { seededRandom } from '../../fakes/seeded-random.ts';
import { type MixedPod, mixedPods } from './karpenter-mix.ts';
import { dealZones, provePlacement } from './mix-zones.ts';

function podsOf(count: number, seed: number): MixedPod[] {
  const random = seededRandom(seed);
  return mixedPods(count, { next: () => random.next() });
}

function aPod(pod: Partial<MixedPod>): MixedPod {
  return { kind: 'generic', cpuMillicores: 100, memoryMib: 100, label: { key: 'my-label', value: 'a' }, selected: null, ...pod };
}

test('pods dealt to zones keep their rules, each on a node of its own', () => {
  const property = fc.property(fc.integer({ min: 1, max: 300 }), fc.integer(), (count, seed) => {
    const pods = podsOf(count, seed);
    const nodeOf = pods.map((_, pod) => `node-${pod}`);
    expect(() => provePlacement(pods, dealZones(pods), nodeOf)).not.toThrow();
  });
  fc.assert(property, { numRuns: 200 });
});

describe('a placement is refused', () => {
  const nginx = { label: { key: 'app', value: 'nginx' }, selected: 'nginx' };
  const friend = { label: { key: 'my-affinity', value: 'a' }, selected: 'a' };

  test.each([
    { rule: 'host-anti-affinity', pod: { kind: 'host-anti-affinity', ...nginx }, zones: [0, 0], nodes: ['one', 'one'] },
    { rule: 'zone-affinity', pod: { kind: 'zone-affinity', ...friend }, zones: [0, 1], nodes: ['one', 'two'] },
    { rule: 'host-spread', pod: { kind: 'host-spread', selected: 'a' }, zones: [0, 1], nodes: ['one', 'one'] },
    { rule: 'zone-spread', pod: { kind: 'zone-spread', selected: 'a' }, zones: [0, 0], nodes: ['one', 'two'] },
  ] as const)('that breaks $rule', ({ rule, pod, zones, nodes }) => {
    expect(() => provePlacement([aPod(pod), aPod(pod)], Uint8Array.from(zones), nodes)).toThrow(rule);
  });

  test('without a node for each pod', () => {
    expect(() => provePlacement([aPod({}), aPod({})], new Uint8Array(2), ['one'])).toThrow('pod 1 has no node');
  });
});
