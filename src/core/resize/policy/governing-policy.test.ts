import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PodResizePolicy, PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';
import { governanceOf, isProtectedPolicy, protectionOf, selects, type Selectable } from './governing-policy.ts';

function policy(name: string, spec: PodResizePolicySpec, createdAt = '2026-01-01T00:00:00Z'): PodResizePolicy {
  return { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name, creationTimestamp: createdAt }, spec };
}

const web: Selectable = { namespace: 'shop', kind: 'Deployment', labels: { app: 'web' }, namespaceLabels: { team: 'a' } };

describe('what a policy selects', () => {
  test.each<[string, PodResizePolicySpec, Partial<Selectable>, boolean]>([
    ['everything by default', {}, {}, true],
    ['but kube-system', {}, { namespace: 'kube-system' }, false],
    ['and Evenkeel itself', {}, { namespace: 'evenkeel-system' }, false],
    ['unless it is named', { namespaces: ['kube-system'] }, { namespace: 'kube-system' }, true],
    ['a glob does not name it', { namespaces: ['*'] }, { namespace: 'kube-system' }, false],
    ['nor does a selector', { namespaceSelector: {} }, { namespace: 'kube-system' }, false],
    ['a namespace by glob', { namespaces: ['sh*'] }, {}, true],
    ['not another', { namespaces: ['other'] }, {}, false],
    ['a namespace by its labels', { namespaceSelector: { matchLabels: { team: 'a' } } }, {}, true],
    ['not one with others', { namespaceSelector: { matchLabels: { team: 'b' } } }, {}, false],
    ['a workload by its labels', { workloadSelector: { matchLabels: { app: 'web' } } }, {}, true],
    ['not one with others', { workloadSelector: { matchLabels: { app: 'db' } } }, {}, false],
    ['a kind', { kinds: ['Deployment'] }, {}, true],
    ['not another', { kinds: ['StatefulSet'] }, {}, false],
    ['exclusion wins', { namespaces: ['shop'], excludeNamespaces: ['s*'] }, {}, false],
  ])('%s', (_, spec, traits, expected) => {
    expect(selects(policy('p', spec), { ...web, ...traits }, 'evenkeel-system')).toBe(expected);
  });
});

describe('what users may ask nothing of', () => {
  test.each<[string, readonly PodResizePolicySpec[], Partial<Selectable>, string | null]>([
    ['nothing, where no policy is', [], {}, null],
    [
      'the cluster’s own namespace, though a policy names it',
      [{ namespaces: ['kube-system'] }],
      { namespace: 'kube-system' },
      'the cluster',
    ],
    ['Evenkeel’s own namespace', [], { namespace: 'evenkeel-system' }, 'the Evenkeel installation'],
    ['a namespace that a policy excludes', [{ excludeNamespaces: ['sh*'] }], {}, 'PodResizePolicy p0 excludes namespace shop'],
    ['not where another policy selects it', [{ excludeNamespaces: ['sh*'] }, { namespaces: ['shop'] }], {}, null],
    ['not what is selected by none', [{ kinds: ['StatefulSet'] }], {}, null],
  ])('%s', (_, specs, traits, expected) => {
    const policies = specs.map((spec, index) => policy(`p${index}`, spec));
    const protection = protectionOf(policies, { ...web, ...traits }, 'evenkeel-system');
    if (expected === null) expect(protection).toBeNull();
    else expect(protection).toContain(expected);
  });
});

describe('a policy of which users may trigger no cycle', () => {
  test.each<[string, PodResizePolicySpec, boolean]>([
    ['selects kube-system alone', { namespaces: ['kube-system'] }, true],
    ['selects kube-system and Evenkeel’s own namespace', { namespaces: ['kube-system', 'evenkeel-system'] }, true],
    ['excludes all others that it names', { namespaces: ['kube-system', 'shop'], excludeNamespaces: ['sh*'] }, true],
    ['is not one that selects another namespace, too', { namespaces: ['kube-system', 'shop'] }, false],
    ['nor one with a glob, which never selects a reserved namespace', { namespaces: ['kube-*'] }, false],
    ['nor one with a glob of which a part is excluded', { namespaces: ['b*'], excludeNamespaces: ['b?'] }, false],
    ['nor one with a selector', { namespaceSelector: {} }, false],
    ['nor one for every namespace', {}, false],
  ])('%s', (_, spec, expected) => {
    expect(isProtectedPolicy(policy('system', spec), 'evenkeel-system')).toBe(expected);
  });
});

describe('who governs', () => {
  const all = policy('all', {});
  const byNamespace = policy('by-namespace', { namespaces: ['shop'] }, '2026-02-01T00:00:00Z');
  const byWorkload = policy('by-workload', { workloadSelector: { matchLabels: { app: 'web' } } }, '2026-03-01T00:00:00Z');
  const byBoth = policy('by-both', { ...byNamespace.spec, ...byWorkload.spec }, '2026-04-01T00:00:00Z');

  test('the most specific: workload selector, then namespace', () => {
    const order = ['by-both', 'by-workload', 'by-namespace', 'all'];
    const { governing, outranked } = governanceOf([all, byBoth, byNamespace, byWorkload], web, 'evenkeel-system');
    expect([governing, ...outranked].map((each) => each?.metadata.name)).toEqual(order);
  });

  test('among equals the older, among equally old the first by name', () => {
    const younger = policy('a-younger', { namespaces: ['s*'] }, '2026-02-02T00:00:00Z');
    const twin = policy('z-twin', { namespaces: ['shop'] }, '2026-02-01T00:00:00Z');
    expect(governanceOf([younger, twin, byNamespace], web, 'x').governing?.metadata.name).toBe('by-namespace');
  });

  test('nobody, where none selects', () => {
    expect(governanceOf([policy('other', { namespaces: ['other'] })], web, 'x')).toEqual({ governing: null, outranked: [] });
  });

  test('the order in which policies are listed does not matter', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([all, byNamespace, byWorkload, byBoth], { minLength: 4 }), (shuffled) => {
        expect(governanceOf(shuffled, web, 'x').governing?.metadata.name).toBe('by-both');
      }),
    );
  });
});
