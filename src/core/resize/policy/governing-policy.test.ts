import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PodResizePolicy, PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';
import { governanceOf, isProtectedPolicy, protectionOf, isSelected, type Selectable } from './governing-policy.ts';

function policy(name: string, spec: PodResizePolicySpec, createdAt = '2026-01-01T00:00:00Z'): PodResizePolicy {
  return { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name, creationTimestamp: createdAt }, spec };
}

const web: Selectable = { namespace: 'shop', kind: 'Deployment', labels: { app: 'web' }, namespaceLabels: { team: 'a' } };

describe('a policy selects', () => {
  test.each<[string, PodResizePolicySpec, Partial<Selectable>, boolean]>([
    ['all other namespaces by default', {}, {}, true],
    ['not kube-system by default', {}, { namespace: 'kube-system' }, false],
    ['not Evenkeel’s namespace by default', {}, { namespace: 'evenkeel-system' }, false],
    ['kube-system by its name', { namespaces: ['kube-system'] }, { namespace: 'kube-system' }, true],
    ['not kube-system by a glob', { namespaces: ['*'] }, { namespace: 'kube-system' }, false],
    ['not kube-system by a selector', { namespaceSelector: {} }, { namespace: 'kube-system' }, false],
    ['a namespace by glob', { namespaces: ['sh*'] }, {}, true],
    ['not a namespace with another name', { namespaces: ['other'] }, {}, false],
    ['a namespace by its labels', { namespaceSelector: { matchLabels: { team: 'a' } } }, {}, true],
    ['not a namespace with other labels', { namespaceSelector: { matchLabels: { team: 'b' } } }, {}, false],
    ['a workload by its labels', { workloadSelector: { matchLabels: { app: 'web' } } }, {}, true],
    ['not a workload with other labels', { workloadSelector: { matchLabels: { app: 'db' } } }, {}, false],
    ['a workload by its kind', { kinds: ['Deployment'] }, {}, true],
    ['not a workload of another kind', { kinds: ['StatefulSet'] }, {}, false],
    ['not an excluded namespace that is also named', { namespaces: ['shop'], excludeNamespaces: ['s*'] }, {}, false],
  ])('%s', (_, spec, traits, expected) => {
    expect(isSelected(policy('p', spec), { ...web, ...traits }, 'evenkeel-system')).toBe(expected);
  });
});

describe('user requests are refused for', () => {
  test.each<[string, readonly PodResizePolicySpec[], Partial<Selectable>, string | null]>([
    ['no other workload without policies', [], {}, null],
    ['kube-system, also where a policy names it', [{ namespaces: ['kube-system'] }], { namespace: 'kube-system' }, 'the cluster'],
    ['Evenkeel’s namespace', [], { namespace: 'evenkeel-system' }, 'the Evenkeel installation'],
    ['a namespace that a policy excludes', [{ excludeNamespaces: ['sh*'] }], {}, 'PodResizePolicy p0 excludes namespace shop'],
    ['not an excluded namespace that another policy selects', [{ excludeNamespaces: ['sh*'] }, { namespaces: ['shop'] }], {}, null],
    ['not a workload that no policy selects', [{ kinds: ['StatefulSet'] }], {}, null],
  ])('%s', (_, specs, traits, expected) => {
    const policies = specs.map((spec, index) => policy(`p${index}`, spec));
    const protection = protectionOf(policies, { ...web, ...traits }, 'evenkeel-system');
    if (expected === null) expect(protection).toBeNull();
    else expect(protection).toContain(expected);
  });
});

describe('a policy whose cycle users cannot trigger', () => {
  test.each<[string, PodResizePolicySpec, boolean]>([
    ['selects kube-system alone', { namespaces: ['kube-system'] }, true],
    ['selects kube-system and Evenkeel’s namespace', { namespaces: ['kube-system', 'evenkeel-system'] }, true],
    ['excludes all others that it names', { namespaces: ['kube-system', 'shop'], excludeNamespaces: ['sh*'] }, true],
    ['is not one that also selects another namespace', { namespaces: ['kube-system', 'shop'] }, false],
    ['nor one with a glob, which never selects a reserved namespace', { namespaces: ['kube-*'] }, false],
    ['nor one with a glob of which a part is excluded', { namespaces: ['b*'], excludeNamespaces: ['b?'] }, false],
    ['nor one with a selector', { namespaceSelector: {} }, false],
    ['nor one for every namespace', {}, false],
  ])('%s', (_, spec, expected) => {
    expect(isProtectedPolicy(policy('system', spec), 'evenkeel-system')).toBe(expected);
  });
});

describe('the governing policy', () => {
  const all = policy('all', {});
  const byNamespace = policy('by-namespace', { namespaces: ['shop'] }, '2026-02-01T00:00:00Z');
  const byWorkload = policy('by-workload', { workloadSelector: { matchLabels: { app: 'web' } } }, '2026-03-01T00:00:00Z');
  const byBoth = policy('by-both', { ...byNamespace.spec, ...byWorkload.spec }, '2026-04-01T00:00:00Z');

  test('is the most specific: by workload selector, then by namespace', () => {
    const order = ['by-both', 'by-workload', 'by-namespace', 'all'];
    const { governing, outranked } = governanceOf([all, byBoth, byNamespace, byWorkload], web, 'evenkeel-system');
    expect([governing, ...outranked].map((each) => each?.metadata.name)).toEqual(order);
  });

  test('is the oldest of equally specific ones, and the first by name of equally old ones', () => {
    const younger = policy('a-younger', { namespaces: ['s*'] }, '2026-02-02T00:00:00Z');
    const twin = policy('z-twin', { namespaces: ['shop'] }, '2026-02-01T00:00:00Z');
    expect(governanceOf([younger, twin, byNamespace], web, 'x').governing?.metadata.name).toBe('by-namespace');
  });

  test('is null where no policy selects the workload', () => {
    expect(governanceOf([policy('other', { namespaces: ['other'] })], web, 'x')).toEqual({ governing: null, outranked: [] });
  });

  test('does not depend on the order in which policies are listed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([all, byNamespace, byWorkload, byBoth], { minLength: 4 }), (shuffled) => {
        expect(governanceOf(shuffled, web, 'x').governing?.metadata.name).toBe('by-both');
      }),
    );
  });
});
