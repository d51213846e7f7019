// The cross-field rules of the CRDs, evaluated as the embedded API server does.

import { describe, expect, test } from '@jest/globals';
import { evaluateRules } from '#embedded-cluster/schema/cel/cel';
import { readCustomResourceDefinition } from '#embedded-cluster/schema/custom-resource';
import { applyDefaults } from '#embedded-cluster/schema/defaults';
import { prune } from '#embedded-cluster/schema/prune';
import { SchemaRegistry } from '#embedded-cluster/schema/schema-registry';
import { validateAgainst } from '#embedded-cluster/schema/validate';
import type { KubeObject } from '#embedded-cluster/api/kube-object';
import { crds, samples } from '../builders/crds.ts';

const readings = new Map(crds().map((crd) => [crd.spec.names.kind, readCustomResourceDefinition(crd as unknown as KubeObject)]));
const noReferences = (): undefined => undefined;

/** Errors of an object, as `field: message`, after defaulting as on the server. */
function faults(kind: string, object: object, old?: object): string[] {
  const schema = readings.get(kind)!.schemas.get('v1alpha1')!;
  // Not structuredClone: in Jest its arrays belong to another realm, which the CEL library does not recognize.
  const value = JSON.parse(JSON.stringify({ apiVersion: 'evenkeel.io/v1alpha1', kind, metadata: { name: 'x' }, ...object })) as object;
  applyDefaults(schema, value, noReferences);
  const errors = [...validateAgainst(schema, value, noReferences), ...evaluateRules(schema, value, old, noReferences)];
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const window = { name: 'morning', start: '0 7 * * *', duration: '1h' };

/** The schema that describes a CRD itself. */
const DEFINITION = { $ref: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition' };

describe('the CRDs as the embedded API server reads them', () => {
  test.each(crds().map((crd) => [crd.spec.names.kind, crd] as const))(
    'the definition of %s has only known fields and valid values',
    (_, crd) => {
      const { resolver } = new SchemaRegistry();
      expect(prune(DEFINITION, crd, resolver)).toEqual([]);
      applyDefaults(DEFINITION, crd, resolver);
      expect(validateAgainst(DEFINITION, crd, resolver)).toEqual([]);
    },
  );

  test.each([...readings])('%s has a structural schema, and its rules compile', (_, reading) => {
    expect(reading.errors).toEqual([]);
  });

  test.each(samples().map(({ file, object }) => [file, object] as const))('sample %s passes schema and rules', (_, object) => {
    expect(faults(String(object['kind']), object)).toEqual([]);
  });

  test('an empty policy gets the documented defaults', () => {
    const schema = readings.get('PodResizePolicy')!.schemas.get('v1alpha1')!;
    const policy = { spec: {} };
    applyDefaults(schema, policy, noReferences);
    expect(policy.spec).toMatchObject({
      mode: 'Recommend',
      apply: 'InPlace',
      goal: 'Balanced',
      cpu: { limit: { rule: 'Keep' } },
      memory: { limit: { rule: 'Keep', ratio: 1.25 } },
      history: { window: '14d' },
      oom: { bumpRatio: 1.2, minBump: '100Mi' },
      limitOverage: { mode: 'Never' },
      hpa: 'Preserve',
      cooldown: '1h',
      maxConcurrent: '10%',
      interval: '5m',
      paused: false,
      dryRun: false,
    });
    expect(policy.spec).not.toHaveProperty('minConfidence');
  });
});

describe('rules of one value', () => {
  test.each<[string, object, string, string]>([
    ['PodResizePolicy', { cooldown: '1 hour' }, 'spec.cooldown', 'write a duration such as 90s, 5m or 1h30m'],
    ['PodResizePolicy', { kinds: ['deployment'] }, 'spec.kinds[0]', 'write a kind such as Deployment or StatefulSet'],
    ['PodResizePolicy', { cpu: { min: '-1' } }, 'spec.cpu.min', 'write a quantity such as 250m or 2'],
    ['PodResizePolicy', { cpu: { min: -1 } }, 'spec.cpu.min', 'write a quantity such as 250m or 2'],
    ['PodResizePolicy', { cpu: { min: '500u' } }, 'spec.cpu.min', 'CPU below 1m is too small'],
    ['PodResizePolicy', { memory: { max: '1KB', min: '1Gi' } }, 'spec.memory.max', 'write a quantity such as 128Mi or 2Gi'],
    ['PodResizePolicy', { memory: { min: '100m' } }, 'spec.memory.min', 'memory below 1Mi is too small'],
    ['PodResizePolicy', { memory: { min: 512 } }, 'spec.memory.min', 'memory below 1Mi is too small'],
    ['PodResizePolicy', { oom: { minBump: '100m' } }, 'spec.oom.minBump', 'memory below 1Mi is too small'],
    ['PodResizePolicy', { cpu: { min: 3, max: '2500m' } }, 'spec.cpu.min', 'min must not be greater than max'],
    ['PodResizePolicy', { maxConcurrent: '0%' }, 'spec.maxConcurrent', 'write a count such as 5 or a percentage from 1% to 100%'],
    [
      'NodeScalingPolicy',
      { headroom: { cpu: 'lots' } },
      'spec.headroom.cpu',
      'write a quantity such as 250m or 2, or a percentage such as 10%',
    ],
    ['NodeScalingPolicy', { consolidation: { maxDisruption: 'half' } }, 'spec.consolidation.maxDisruption', 'write a count such as 5'],
    [
      'ScheduledScalePolicy',
      { targetRef: target, windows: [{ ...window, name: 'Morning', minReplicas: 1 }] },
      'spec.windows[0].name',
      'write a name of lower-case letters',
    ],
    [
      'AccessPolicy',
      { grants: [{ email: 'Upper@example.com', role: 'viewer' }] },
      'spec.grants[0].email',
      'write an e-mail address in lower case',
    ],
  ])('%s %j is refused with an example', (kind, spec, field, words) => {
    const found = faults(kind, { spec });
    expect(found.filter((fault) => fault.startsWith(`${field}: `) && fault.includes(words))).toHaveLength(1);
    expect(found.join('\n')).not.toContain('should match');
  });

  test.each<[string, object]>([
    ['PodResizePolicy', { cpu: { min: 1, max: 2 }, memory: { min: 134_217_728, max: '1.5Gi' } }],
    ['PodResizePolicy', { cpu: { min: '0', max: '2' }, memory: { min: 0 } }],
    ['NodeScalingPolicy', { headroom: { cpu: 2, memory: '10%' }, limits: { cpu: 100, memory: '1Ti' } }],
  ])('%s %j is accepted', (kind, spec) => {
    expect(faults(kind, { spec })).toEqual([]);
  });
});

describe('cross-field rules', () => {
  test.each<[string, object, string]>([
    ['PodResizePolicy', { spec: { namespaces: ['a'], namespaceSelector: {} } }, 'not both'],
    ['PodResizePolicy', { spec: { cpu: { min: '2', max: '1500m' } } }, 'min must not be greater than max'],
    ['PodResizePolicy', { spec: { containers: [{ name: 'a', memory: { min: '1Gi', max: '1G' } }] } }, 'min must not be greater than max'],
    ['PodResizePolicy', { spec: { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } }, 'values is required for In'],
    ['NodeScalingPolicy', { spec: { nodePools: ['a'], nodePoolSelector: {} } }, 'not both'],
    ['NodeScalingPolicy', { spec: { minNodes: 5, maxNodes: 3 } }, 'minNodes must not be greater'],
    ['NodeScalingPolicy', { spec: { pools: [{ name: 'a', minNodes: 5, maxNodes: 3 }] } }, 'minNodes must not be greater'],
    ['NodeScalingPolicy', { spec: { scaleUpThreshold: 0.5, scaleDownThreshold: 0.5 } }, 'scaleDownThreshold must be less'],
    ['NodeScalingPolicy', { spec: { maxNodes: 3, schedules: [{ window, minNodes: 4 }] } }, 'minNodes of a schedule'],
    ['RebalancePolicy', { spec: { thresholds: { minUtilization: 0.9 } } }, 'minUtilization must be less'],
    ['RebalancePolicy', { spec: { maxParallel: 21 } }, 'maxParallel must not be greater'],
    [
      'RebalanceRun',
      { spec: { trigger: 'api', execute: { at: '2026-01-01T00:00:00Z' }, discard: { at: '2026-01-01T00:00:00Z' } } },
      'not both',
    ],
    [
      'ScheduledScalePolicy',
      { spec: { targetRef: target, windows: [{ ...window, end: '0 8 * * *', minReplicas: 1 }] } },
      'set either end or duration',
    ],
    ['ScheduledScalePolicy', { spec: { targetRef: target, windows: [window] } }, 'mode Floor requires minReplicas'],
    [
      'ScheduledScalePolicy',
      { spec: { targetRef: target, mode: 'Fixed', windows: [{ ...window, minReplicas: 1 }] } },
      'mode Fixed requires replicas',
    ],
    [
      'Recommendation',
      {
        spec: {
          targetRef: target,
          exceptionDecisions: [{ container: 'a', resource: 'cpu', decision: 'reject', value: '1', at: '2026-01-01T00:00:00Z' }],
        },
      },
      'value is only allowed if decision is approve',
    ],
  ])('%s %j is refused', (kind, object, words) => {
    expect(faults(kind, object).join('\n')).toContain(words);
  });

  test.each<[string, object, object, string]>([
    ['Recommendation', { spec: { targetRef: target } }, { spec: { targetRef: { ...target, name: 'api' } } }, 'targetRef cannot change'],
    [
      'RebalanceRun',
      { spec: { trigger: 'api', execute: { at: '2026-01-01T00:00:00Z' } } },
      { spec: { trigger: 'api' } },
      'execute cannot be unset',
    ],
    [
      'RebalanceRun',
      { spec: { trigger: 'api', movements: [{ order: 0, wave: 0, namespace: 'a', pod: 'b', uid: 'c', from: 'n1' }] } },
      { spec: { trigger: 'api', movements: [{ order: 0, wave: 0, namespace: 'a', pod: 'b', uid: 'c', from: 'n2' }] } },
      'a movement of a plan cannot change',
    ],
  ])('%s %j cannot become %j', (kind, before, after, words) => {
    expect(faults(kind, after, before).join('\n')).toContain(words);
    expect(faults(kind, before, before)).toEqual([]);
  });
});
