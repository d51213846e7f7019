import { expect, test } from '@jest/globals';
import type { Recommendation } from '../apis/v1alpha1/index.ts';
import { recommendationName } from '../core/recommendations/recommendation-name.ts';
import { ClusterState } from '../state/cluster-state.ts';
import { onNewIntent } from './intent-watch.ts';

const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const REJECTED = { by: 'ada', at: '2026-11-20T14:30:00Z', containers: [] };

/** Applies Recommendations one after the other, and counts the reports of new requests after each. */
function reportsAfter(specs: readonly (Recommendation['spec'] | null)[]): readonly number[] {
  const state = new ClusterState();
  let reports = 0;
  onNewIntent(state, () => (reports += 1));
  const name = recommendationName(TARGET);
  return specs.map((spec, index) => {
    const object = { metadata: { name, namespace: 'shop', generation: index + 1 }, spec };
    const record = spec === null ? null : { plural: 'recommendations', namespace: 'shop', name, object };
    state.apply({ kind: 'own', key: `recommendations/shop/${name}`, record });
    return reports;
  });
}

test('a Recommendation that Evenkeel creates, or whose policy it changes, is no request', () => {
  const created = { targetRef: TARGET };
  expect(reportsAfter([created, { ...created, policyRef: { name: 'everything' } }, null])).toEqual([0, 0, 0]);
});

test('a request in the spec of a Recommendation is reported once, and its end too', () => {
  const rejected = { targetRef: TARGET, rejected: REJECTED };
  expect(reportsAfter([rejected, { ...rejected }, { targetRef: TARGET }])).toEqual([1, 1, 2]);
});
