import { describe, expect, test } from '@jest/globals';
import { ServedResources } from '../../resources/served-resources.ts';
import { fieldPredicate, parseFieldSelector } from './field-selection.ts';
import type { KubeObject } from '../../kube-object.ts';
import { labelPredicate, parseLabelSelector } from './label-selection.ts';

describe('label selectors', () => {
  test.each([
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'api' }, false],
    ['app!=web', {}, true],
    ['app', { app: '' }, true],
    ['!app', { app: '' }, false],
    ['tier in (a, b),app', { tier: 'b', app: 'x' }, true],
    ['tier in (a,b)', {}, false],
    ['tier notin (a,b)', {}, true],
    ['tier notin (a,b)', { tier: 'a' }, false],
    ['example.com/size>3', { 'example.com/size': '4' }, true],
    ['size<3', { size: '4' }, false],
    ['app=', { app: '' }, true],
  ])('%s on %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text)?.(labels)).toBe(expected);
  });

  test('an empty selection selects everything', () => {
    expect(parseLabelSelector('')).toBeNull();
    expect(labelPredicate(undefined)).toBeNull();
    expect(labelPredicate({})).toBeNull();
  });

  test.each(['app in a', 'a b', '=x', 'app=a b'])('refuses %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(/unable to parse requirement/);
  });

  test('the object form knows all four operators', () => {
    const selects = labelPredicate({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'zone', operator: 'Exists' },
        { key: 'size', operator: 'NotIn', values: ['xl'] },
      ],
    });
    expect(selects?.({ app: 'web', tier: 'a', zone: '' })).toBe(true);
    expect(selects?.({ app: 'web', tier: 'a', zone: '', size: 'xl' })).toBe(false);
  });
});

describe('field selectors', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: {} } as unknown as KubeObject;
  const nodes = new ServedResources().findById('nodes')!;
  const isSelected = (text: string): boolean | undefined => fieldPredicate(parseFieldSelector(text, nodes))?.(node);

  test('a field that is not set reads as its zero value', () => {
    expect(isSelected('spec.unschedulable=false')).toBe(true);
    expect(isSelected('metadata.name=n1,metadata.namespace=')).toBe(true);
    expect(isSelected('metadata.name!=n1')).toBe(false);
  });

  test('refuses unsupported fields', () => {
    expect(() => isSelected('spec.podCIDR=x')).toThrow('field label not supported: spec.podCIDR');
  });
});
