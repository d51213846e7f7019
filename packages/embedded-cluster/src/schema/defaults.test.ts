import { describe, expect, test } from '@jest/globals';
import { applyDefaults, canonicalise } from './defaults.ts';
import { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';

const { resolver } = new SchemaRegistry();
const nothing = (): undefined => undefined;

function defaulted(kind: string, value: Record<string, unknown>): Record<string, unknown> {
  applyDefaults({ $ref: `io.k8s.api.${kind}` }, value, resolver);
  return value;
}

describe('defaults of custom resources', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      mode: { type: 'string', default: 'Recommend' },
      note: { type: 'string', nullable: true, default: 'x' },
      oom: { type: 'object', default: {}, properties: { ratio: { type: 'number', default: 1.2 } } },
      list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
    },
  };

  test('defaults outer objects before inner ones', () => {
    const value = { list: [{}] };
    applyDefaults(schema, value, nothing);
    expect(value).toEqual({ mode: 'Recommend', note: 'x', oom: { ratio: 1.2 }, list: [{ on: true }] });
  });

  test('treats a null that is not allowed as absent, and keeps an allowed one', () => {
    const value = { mode: null, note: null, extra: null };
    applyDefaults(schema, value, nothing);
    expect(value).toEqual({ mode: 'Recommend', note: null, oom: { ratio: 1.2 }, extra: null });
  });

  test('gives every object a separate copy', () => {
    const [a, b]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
    applyDefaults(schema, a, nothing);
    applyDefaults(schema, b, nothing);
    expect(a['oom']).not.toBe(b['oom']);
  });
});

describe('defaults of built-in kinds', () => {
  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry:5000/nginx', 'Always'],
    ['registry:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    const pod = defaulted('core.v1.Pod', { spec: { containers: [{ name: 'c', image }] } });
    expect(pod).toMatchObject({
      spec: { containers: [{ imagePullPolicy: policy }], restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
    });
  });

  test('defaults the rolling update of a Deployment, but not with Recreate', () => {
    const rolling = defaulted('apps.v1.Deployment', { spec: { strategy: { rollingUpdate: { maxSurge: 0 } } } });
    expect(rolling).toMatchObject({
      spec: { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } } },
    });
    const recreate = defaulted('apps.v1.Deployment', { spec: { strategy: { type: 'Recreate' } } });
    expect(recreate['spec']).toMatchObject({ strategy: { type: 'Recreate' } });
    expect(recreate['spec']).not.toHaveProperty('strategy.rollingUpdate');
  });

  test.each([
    ['batch.v1.Job', { spec: {} }, { spec: { completions: 1, parallelism: 1, backoffLimit: 6, suspend: false } }],
    ['batch.v1.Job', { spec: { parallelism: 3 } }, { spec: { parallelism: 3 } }],
    [
      'core.v1.Service',
      { spec: { ports: [{ port: 80 }] } },
      { spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }] } },
    ],
    ['core.v1.Secret', {}, { type: 'Opaque' }],
    ['networking.v1.NetworkPolicy', { spec: { egress: [{}] } }, { spec: { policyTypes: ['Ingress', 'Egress'] } }],
    ['autoscaling.v2.HorizontalPodAutoscaler', { spec: {} }, { spec: { minReplicas: 1, metrics: [{ type: 'Resource' }] } }],
    ['core.v1.Pod', { spec: { volumes: [{ name: 'v' }] } }, { spec: { volumes: [{ name: 'v', emptyDir: {} }] } }],
    [
      'core.v1.LimitRange',
      { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { memory: '1024Mi' } }] } },
      { spec: { limits: [{ default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '2', memory: '1Gi' } }] } },
    ],
  ])('%s %j', (kind, given, expected) => {
    expect(defaulted(kind, given)).toMatchObject(expected);
  });

  test.each([
    ['1000m', '1'],
    [0.5, '500m'],
    [2, '2'],
    ['1024Mi', '1Gi'],
    ['0.1Mi', '104857600m'],
    ['.1024Gi', '109951162778m'],
    ['100u', '1m'],
    ['1e3', '1e3'],
    ['lots', 'lots'],
  ])('keeps %j in a resource list as %s', (given, stored) => {
    expect(defaulted('core.v1.ResourceQuota', { spec: { hard: { x: given } } })).toMatchObject({ spec: { hard: { x: stored } } });
  });

  test('keeps a quantity outside a resource list as written, a number as a string', () => {
    const volume = (sizeLimit: unknown): unknown =>
      defaulted('core.v1.Pod', { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit } }] } });
    expect(volume('1024Mi')).toMatchObject({ spec: { volumes: [{ emptyDir: { sizeLimit: '1024Mi' } }] } });
    expect(volume(5)).toMatchObject({ spec: { volumes: [{ emptyDir: { sizeLimit: '5' } }] } });
  });

  test('stores quantities in canonical form, including numbers', () => {
    const pod = defaulted('core.v1.Pod', {
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 2, memory: '1024Mi' } } }] },
    });
    expect(pod).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: '2', memory: '1Gi' } } }] } });
  });

  test('is idempotent', () => {
    const once = defaulted('apps.v1.StatefulSet', { spec: { template: { spec: { containers: [{ name: 'c', image: 'x' }] } } } });
    const twice = defaulted('apps.v1.StatefulSet', structuredClone(once));
    expect(twice).toEqual(once);
  });

  test('canonicalise adds no fields', () => {
    const pod = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1000m' } }, env: null }] } };
    canonicalise({ $ref: 'io.k8s.api.core.v1.Pod' }, pod, resolver);
    expect(pod).toEqual({ spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } });
  });
});
