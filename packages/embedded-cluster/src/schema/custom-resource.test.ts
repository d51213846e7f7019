import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../api/kube-object.ts';
import { readCustomResourceDefinition } from './custom-resource.ts';
import type { StructuralSchema } from './structural-schema.ts';

interface Changes {
  readonly spec?: Record<string, unknown>;
  readonly names?: Record<string, unknown>;
  readonly version?: Record<string, unknown>;
  readonly schema?: unknown;
  readonly name?: string;
}

function aDefinition({
  spec = {},
  names = {},
  version = {},
  schema = { type: 'object' },
  name = 'things.example.org',
}: Changes = {}): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: {
        plural: 'things',
        singular: 'thing',
        kind: 'Thing',
        listKind: 'ThingList',
        shortNames: ['th'],
        categories: ['all'],
        ...names,
      },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

function problems(changes: Changes): string[] {
  return readCustomResourceDefinition(aDefinition(changes)).errors.map(({ field, message }) => `${field}: ${message}`);
}

function inSpec(spec: StructuralSchema | Record<string, unknown>): Changes {
  return { schema: { type: 'object', properties: { spec } } };
}

const AT = 'spec.validation.openAPIV3Schema';
const SPEC = `${AT}.properties[spec]`;

describe('readCustomResourceDefinition', () => {
  test('describes the resource', () => {
    const subresources = {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
    };
    const reading = readCustomResourceDefinition(
      aDefinition({ version: { subresources, selectableFields: [{ jsonPath: '.spec.colour' }] } }),
    );
    expect(reading.errors).toEqual([]);
    expect(reading.descriptors).toEqual([
      {
        group: 'example.org',
        version: 'v1',
        kind: 'Thing',
        listKind: 'ThingList',
        plural: 'things',
        singular: 'thing',
        shortNames: ['th'],
        categories: ['all'],
        namespaced: true,
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        subresources: ['status', 'scale'],
        hasGeneration: true,
        schemaName: 'org.example.v1.Thing',
        fieldSelectors: ['spec.colour'],
      },
    ]);
    expect(reading.scalePaths.get('v1')).toEqual({
      specReplicas: ['spec', 'replicas'],
      statusReplicas: ['status', 'replicas'],
      labelSelector: ['status', 'selector'],
    });
  });

  test('puts the stored version first and omits unserved ones', () => {
    const version = (name: string, served: boolean, storage: boolean): object => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: { type: 'object' } },
    });
    const versions = [version('v1alpha1', true, false), version('v1', true, true), version('v0', false, false)];
    const reading = readCustomResourceDefinition(aDefinition({ spec: { versions } }));
    expect(reading.descriptors.map((each) => each.version)).toEqual(['v1', 'v1alpha1']);
    expect([reading.storageVersion, [...reading.schemas.keys()]]).toEqual(['v1', ['v1alpha1', 'v1', 'v0']]);
  });

  test.each<[string, Changes, string]>([
    ['its name', { name: 'x' }, 'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group'],
    [
      'its group',
      { spec: { group: 'example' }, name: 'things.example' },
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    ],
    [
      'its kind',
      { names: { kind: 'A b' } },
      'spec.names.kind: Invalid value: "A b": may have mixed case, but should otherwise match a DNS label',
    ],
    [
      'a short name',
      { names: { shortNames: ['T'] } },
      'spec.names.shortNames: Invalid value: "T": must be a lower-case DNS label that begins with a letter',
    ],
    [
      'the stored version',
      { version: { storage: false } },
      'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as storage version',
    ],
    ['a missing schema', { version: { schema: {} } }, `${AT}: Required value: schemas are required`],
    ['no type', inSpec({ properties: {} }), `${SPEC}.type: Required value: must not be empty for specified object fields`],
    [
      'an unknown type',
      inSpec({ type: 'text' }),
      `${SPEC}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
    ['no items', inSpec({ type: 'array' }), `${SPEC}.items: Required value: must be specified`],
    ['$ref', inSpec({ type: 'object', $ref: '#/x' }), `${SPEC}.$ref: Forbidden: $ref is not supported`],
    [
      'additionalProperties false',
      inSpec({ type: 'object', additionalProperties: false }),
      `${SPEC}.additionalProperties: Forbidden: additionalProperties cannot be set to false`,
    ],
    [
      'properties beside additionalProperties',
      inSpec({ type: 'object', properties: {}, additionalProperties: { type: 'string' } }),
      `${SPEC}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      'uniqueItems',
      inSpec({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
      `${SPEC}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      'structure in a junction',
      inSpec({ type: 'string', anyOf: [{ type: 'string' }] }),
      `${SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      'a field in a junction alone',
      inSpec({ type: 'object', oneOf: [{ properties: { a: {} } }] }),
      `${SPEC}.oneOf[0].properties[a]: Required value: must be specified outside as well`,
    ],
    [
      'a map list without keys',
      inSpec({ type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } }),
      `${SPEC}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
    ],
    [
      'an optional key',
      inSpec({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' } } },
      }),
      `${SPEC}.items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      'a wrong default',
      inSpec({ type: 'integer', default: 'x' }),
      `${SPEC}.default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
    [
      'a wrong pattern',
      inSpec({ type: 'string', pattern: '(' }),
      `${SPEC}.pattern: Invalid value: "(": must be a valid regular expression`,
    ],
    [
      'a rule on a field that is not there',
      inSpec({ type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-validations': [{ rule: 'self.b == "x"' }] }),
      `${SPEC}.x-kubernetes-validations[0].rule: Invalid value: "self.b == \\"x\\"": compilation failed: ERROR: undefined field 'b'`,
    ],
    [
      'a rule with an unknown reason',
      inSpec({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""', reason: 'Odd' }] }),
      `${SPEC}.x-kubernetes-validations[0].reason: Unsupported value: "Odd": supported values: "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"`,
    ],
    [
      'what it says of metadata',
      { schema: { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } } },
      `${AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
    [
      'a scale path',
      { version: { subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: '.status.replicas' } } } },
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
    ],
    [
      'a column',
      { version: { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] } },
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
  ])('refuses %s', (_, changes, expected) => {
    expect(problems(changes)).toEqual([expected]);
  });

  test.each(['self.a >', 'self.size() + 1', 'unknown.a == 1', '"a" + 1 == 2'])('refuses the rule %s', (rule) => {
    const [first, ...rest] = problems(inSpec({ type: 'string', 'x-kubernetes-validations': [{ rule }] }));
    expect(rest).toEqual([]);
    expect(first).toContain(
      `${SPEC}.x-kubernetes-validations[0].rule: Invalid value: ${JSON.stringify(rule)}: compilation failed: ERROR: `,
    );
  });

  test('requires approval for groups of Kubernetes', () => {
    const [first] = problems({ spec: { group: 'metrics.k8s.io' }, name: 'things.metrics.k8s.io' });
    expect(first).toContain(
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation',
    );
  });
});
