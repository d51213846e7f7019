import { expect, test } from '@jest/globals';
import { amounts } from '../../../test/builders/rightsizing.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { findDrift, worstDrift, type ContainerSizes, type Drift } from './drift.ts';

const sizes = (cpu: string | null, memory: string | null, limit: string | null = null): RequestsAndLimits => ({
  requests: amounts(cpu, memory),
  limits: amounts(null, limit),
});
const TEMPLATE = sizes('500m', '512Mi');
const APPLIED = sizes('120m', '200Mi');
const NEWER = sizes('250m', '300Mi');
const HAND = sizes('900m', '512Mi');

const auditedContainer = (fields: Partial<ContainerSizes>): ContainerSizes => ({
  template: TEMPLATE,
  defaultsFilledIn: false,
  recommended: APPLIED,
  settled: false,
  ours: [APPLIED],
  pods: [],
  ...fields,
});

test.each<[Drift, string, Partial<ContainerSizes>]>([
  ['none', 'no pods', {}],
  ['none', 'pods with the values of the template', { pods: [TEMPLATE, TEMPLATE] }],
  ['none', 'a request that is missing beside a limit', { template: sizes(null, null, '1Gi'), pods: [sizes(null, '1Gi', '1Gi')] }],
  ['none', 'defaults of a LimitRange', { template: sizes(null, null), defaultsFilledIn: true, pods: [sizes('50m', '64Mi', '128Mi')] }],
  ['none', 'a container that admission adds', { template: null, recommended: null, ours: [], pods: [HAND] }],
  ['resized', 'all pods with the recommended values', { pods: [APPLIED, APPLIED] }],
  ['resized', 'no recommendation any more', { recommended: null, pods: [APPLIED] }],
  ['resized', 'within tolerance of the recommendation', { recommended: NEWER, ours: [APPLIED, NEWER], settled: true, pods: [APPLIED] }],
  [
    'resized',
    'a limit that could not be changed',
    { ours: [sizes('120m', '200Mi', '250Mi')], template: sizes('500m', '512Mi', '1Gi'), pods: [sizes('120m', '200Mi', '1Gi')] },
  ],
  ['resized', 'an added container that was resized', { template: null, pods: [APPLIED] }],
  ['stale', 'another value is recommended now', { recommended: NEWER, ours: [APPLIED, NEWER], pods: [APPLIED, APPLIED] }],
  ['partial', 'one pod has the recommended values, another does not', { pods: [APPLIED, TEMPLATE] }],
  ['partial', 'pods of two changes', { recommended: NEWER, ours: [APPLIED, NEWER], pods: [APPLIED, NEWER] }],
  ['manual', 'a pod that a user resized', { pods: [APPLIED, HAND] }],
  ['manual', 'a value that the template does not have', { template: sizes(null, null), pods: [sizes('50m', null)] }],
])('%s: %s', (drift, _, fields) => {
  expect(findDrift(auditedContainer(fields))).toBe(drift);
});

test('the most severe drift of the containers is that of the workload', () => {
  expect(worstDrift(['resized', 'manual', 'none'])).toBe('manual');
  expect(worstDrift([])).toBe('none');
});
