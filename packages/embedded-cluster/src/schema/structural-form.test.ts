import { describe, expect, test } from '@jest/globals';
import { BUILTIN_RULES } from './builtin-rules/builtin-rules.ts';
import kubernetes from './published/kubernetes-schemas.generated.json' with { type: 'json' };
import { SchemaRegistry } from './schema-registry.ts';
import type { StructuralSchema } from './structural-schema.ts';

const registry = new SchemaRegistry();
const schemaOf = (name: string): StructuralSchema | undefined => registry.resolve(`io.k8s.api.${name}`);

describe('structuralForm', () => {
  test.each([
    [
      'a quantity',
      'core.v1.ResourceRequirements',
      'limits',
      { type: 'object', additionalProperties: { type: 'string', format: 'quantity' } },
    ],
    ['a time', 'core.v1.PodStatus', 'startTime', { type: 'string', format: 'date-time' }],
    ['a number or text', 'apps.v1.RollingUpdateDeployment', 'maxSurge', { 'x-kubernetes-int-or-string': true, default: '25%' }],
    ['another type', 'core.v1.Pod', 'spec', { $ref: 'io.k8s.api.core.v1.PodSpec' }],
  ])('reads %s', (_, type, field, form) => {
    expect(schemaOf(type)?.properties?.[field]).toEqual(expect.objectContaining(form));
  });

  test('lets a RawExtension be any value', () => {
    expect(registry.resolve('io.k8s.apimachinery.pkg.runtime.RawExtension')).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  test('adds what Kubernetes has in its code alone', () => {
    expect(schemaOf('core.v1.ContainerPort')?.properties).toMatchObject({
      protocol: { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
      containerPort: { minimum: 1, maximum: 65535 },
    });
    expect(schemaOf('core.v1.Container')?.required).toEqual(['name', 'image']);
  });

  test('defaults what Go writes without omitempty, also required fields of a status', () => {
    expect(schemaOf('core.v1.ServiceStatus')?.properties?.['loadBalancer']).toMatchObject({ default: {} });
    expect(schemaOf('autoscaling.v2.HorizontalPodAutoscalerStatus')?.properties?.['desiredReplicas']).toMatchObject({ default: 0 });
  });

  test('defaults no field that a client must give, and no struct with such fields', () => {
    expect(schemaOf('core.v1.ContainerPort')?.properties?.['containerPort']).not.toHaveProperty('default');
    expect(schemaOf('apps.v1.Deployment')?.properties?.['spec']).not.toHaveProperty('default');
  });

  test('omits a published default where Go omits the value', () => {
    expect(schemaOf('core.v1.ReplicationControllerSpec')?.properties?.['minReadySeconds']).not.toHaveProperty('default');
  });
});

describe('rules of built-in types', () => {
  const published = new Map(
    Object.entries(kubernetes.schemas as unknown as Record<string, { properties?: object }>).map(([name, schema]) => [
      name.split('.').slice(-3).join('.'),
      Object.keys(schema.properties ?? {}),
    ]),
  );

  test.each(Object.entries(BUILTIN_RULES))('of %s are about fields that it has', (type, { required = [], fields = {} }) => {
    expect(published.get(type)).toEqual(expect.arrayContaining([...required, ...Object.keys(fields)]));
  });
});
