// CustomResourceDefinitions: their acceptance, their errors, and when their kinds are served.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import { aGauge, defineGauge, definitionOf, DEFINITIONS, established, groupOf } from '../custom-kinds.ts';
import type { Json } from '../raw-client.ts';

const conditionsOf = (definition: Json): Record<string, string> =>
  Object.fromEntries(definition.status.conditions.map(({ type, status }: Json) => [type, status]));

/** Definition of the kind Gauge with this schema of `spec`. */
const withSpec = (given: CaseContext, spec: Json): Json => definitionOf(groupOf(given), { spec });

/** Path in the API server's errors: a schema that all versions share is reported outside of the versions. */
const SPEC = 'spec.validation.openAPIV3Schema.properties[spec]';

/** Invalid definitions: a change of a valid one, and the expected error. */
const REFUSED: Readonly<Record<string, readonly [(definition: Json, given: CaseContext) => void, string | RegExp]>> = {
  'a name that is not plural.group': [
    (definition) => (definition.metadata.name = 'other.example.com'),
    'metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
  ],
  'no version': [(definition) => (definition.spec.versions = []), 'must have exactly one version marked as storage version'],
  'no storage version': [
    (definition) => (definition.spec.versions[0].storage = false),
    'must have exactly one version marked as storage version',
  ],
  'no schema': [(definition) => delete definition.spec.versions[0].schema, 'spec.versions[0].schema.openAPIV3Schema: Required value'],
  'a schema whose root is not an object': [
    (definition) => (definition.spec.versions[0].schema.openAPIV3Schema = { type: 'string' }),
    'must be object at the root',
  ],
  'a field without a type': [
    (definition) => (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = { description: 'anything' }),
    `${SPEC}.type: Required value: must not be empty for specified object fields`,
  ],
  'a list without items': [
    (definition) => (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = { type: 'array' }),
    `${SPEC}.items: Required value: must be specified`,
  ],
  'an unknown scope': [
    (definition) => (definition.spec.scope = 'Global'),
    'spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
  ],
  'a default that violates its schema': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        properties: { level: { type: 'integer', maximum: 5, default: 9 } },
      }),
    `${SPEC}.properties[level].default: Invalid value: 9`,
  ],
  'a CEL rule that does not compile': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        properties: { level: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.level >' }],
      }),
    `${SPEC}.x-kubernetes-validations[0].rule: Invalid value`,
  ],
  'a CEL rule about an undefined field': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        properties: { level: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.height > 1' }],
      }),
    `${SPEC}.x-kubernetes-validations[0].rule: Invalid value`,
  ],
  'a default that violates a CEL rule, without its nested defaults': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        default: {},
        properties: { min: { type: 'integer', default: 1 }, max: { type: 'integer', default: 2 } },
        'x-kubernetes-validations': [{ rule: 'self.min < self.max' }],
      }),
    `${SPEC}.default: Invalid value`,
  ],
  'a pattern that is not a regular expression': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'object',
        properties: { name: { type: 'string', pattern: '(' } },
      }),
    `${SPEC}.properties[name].pattern: Invalid value`,
  ],
  'a printer column of an unknown type': [
    (definition) => (definition.spec.versions[0].additionalPrinterColumns = [{ name: 'Level', type: 'level', jsonPath: '.spec.level' }]),
    'spec.additionalPrinterColumns[0].type: Invalid value: "level": must be one of boolean,date,integer,number,string',
  ],
  'a map list without keys': [
    (definition) =>
      (definition.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        items: { type: 'object', properties: { name: { type: 'string' } } },
      }),
    `${SPEC}.x-kubernetes-list-map-keys: Required value`,
  ],
  'a protected group without approval': [
    (definition, given) => {
      definition.spec.group = `${given.id}.k8s.io`;
      definition.metadata.name = `gauges.${given.id}.k8s.io`;
    },
    'protected groups must have approval annotation',
  ],
};

export const DEFINITION_CASES = area('definitions', {
  ...Object.fromEntries(
    Object.entries(REFUSED).map(([fault, [spoil, words]]) => [
      `422 for ${fault}`,
      async (given: CaseContext) => {
        const definition = definitionOf(groupOf(given));
        spoil(definition, given);
        expectRefusal(await given.client.post(DEFINITIONS, definition), 422, 'Invalid', words);
      },
    ]),
  ),
  'a valid definition is established, and its names are accepted': async (given) => {
    const { definition } = await defineGauge(given);
    const { body } = await given.client.get(definition);
    expect(conditionsOf(body)).toMatchObject({ NamesAccepted: 'True', Established: 'True' });
    expect(body.status.acceptedNames).toMatchObject({ plural: 'gauges', singular: 'gauge', kind: 'Gauge', listKind: 'GaugeList' });
    expect(body.status.storedVersions).toEqual(['v1']);
  },
  'singular and listKind have defaults': async (given) => {
    const definition = withSpec(given, { type: 'object' });
    definition.spec.names = { plural: 'gauges', kind: 'Gauge' };
    const made = await given.create(DEFINITIONS, definition);
    expect(made.spec.names).toEqual({ plural: 'gauges', kind: 'Gauge', singular: 'gauge', listKind: 'GaugeList' });
    expect(made.spec.conversion).toEqual({ strategy: 'None' });
  },
  'its kind appears in discovery': async (given) => {
    const kind = await defineGauge(given, { names: { shortNames: ['gg'], categories: ['all'] } });
    const list = await given.eventually('discovery lists the kind: it is served', async () => {
      const answer = await given.client.get(`/apis/${kind.group}/v1`);
      return answer.status === 200 && answer;
    });
    expect(list.body).toMatchObject({ kind: 'APIResourceList', groupVersion: kind.apiVersion });
    const [gauges] = list.body.resources;
    expect(gauges).toMatchObject({
      name: 'gauges',
      singularName: 'gauge',
      namespaced: true,
      kind: 'Gauge',
      shortNames: ['gg'],
      categories: ['all'],
    });
    expect([...gauges.verbs].sort()).toEqual(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
  },
  'its group appears among the groups': async (given) => {
    const kind = await defineGauge(given);
    await given.eventually('the group is listed: a kind of it is served', async () => {
      const { body } = await given.client.get('/apis');
      return body.groups.some((group: Json) => group.name === kind.group);
    });
    const { body } = await given.client.get(`/apis/${kind.group}`);
    expect(body).toMatchObject({ kind: 'APIGroup', name: kind.group, preferredVersion: { groupVersion: kind.apiVersion, version: 'v1' } });
  },
  'its subresources appear in discovery': async (given) => {
    const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
    const kind = await defineGauge(given, { version: { subresources } });
    const resources = await given.eventually('discovery lists the subresources: the definition has them', async () => {
      const { body } = await given.client.get(`/apis/${kind.group}/v1`);
      return body?.resources?.length === 3 && new Map<string, Json>(body.resources.map((entry: Json) => [entry.name, entry]));
    });
    expect(resources.get('gauges/status')).toMatchObject({ kind: 'Gauge' });
    expect(resources.get('gauges/scale')).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' });
  },
  'its schema appears in OpenAPI': async (given) => {
    const kind = await defineGauge(given, {
      spec: { type: 'object', properties: { level: { type: 'integer', description: 'How high.' } } },
    });
    const document = await given.eventually('the group has an OpenAPI document: a kind of it is served', async () => {
      const answer = await given.client.get(`/openapi/v3/apis/${kind.group}/v1`);
      return answer.status === 200 && (answer.body as object as Json);
    });
    const schema: Json = Object.values<Json>(document.components.schemas).find((candidate) =>
      candidate['x-kubernetes-group-version-kind']?.some((named: Json) => named.kind === 'Gauge'),
    );
    expect(schema.properties.spec.properties.level).toMatchObject({ type: 'integer', description: 'How high.' });
  },
  'short names of another kind are not accepted': async (given) => {
    await defineGauge(given, { names: { shortNames: ['gg'] } });
    const second = definitionOf(groupOf(given), {
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList', shortNames: ['gg'] },
    });
    second.metadata.name = `gadgets.${groupOf(given)}`;
    await given.create(DEFINITIONS, second);
    const body = await given.eventually('it has the condition NamesAccepted: the naming controller checks every definition', async () => {
      const answer = await given.client.get(`${DEFINITIONS}/${second.metadata.name}`);
      return answer.body.status?.conditions?.some(({ type }: Json) => type === 'NamesAccepted') && (answer.body as object as Json);
    });
    expect(conditionsOf(body)).toMatchObject({ NamesAccepted: 'False', Established: 'False' });
    expect(body.status.conditions.find(({ type }: Json) => type === 'NamesAccepted')).toMatchObject({
      reason: 'ShortNamesConflict',
      message: '"gg" is already in use',
    });
  },
  'an undefined kind is not served': async ({ client }) => {
    const answer = await client.get('/apis/unserved.example.com/v1/gauges');
    expect(answer.status).toBe(404);
  },
  'its deletion deletes its objects, and the kind is no longer served': async (given) => {
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a'));
    succeeded(await given.client.delete(kind.definition), 'delete');
    await given.eventually(
      'the definition is gone: its objects are deleted with it',
      async () => (await given.client.get(kind.definition)).status === 404,
    );
    await given.eventually(
      'the kind is no longer served: its definition is gone',
      async () => (await given.client.get(kind.collection)).status === 404,
    );
    await given.create(DEFINITIONS, definitionOf(kind.group));
    await established(given, kind.definition);
    const list = await given.eventually('the kind is served again: its definition is established', async () => {
      const answer = await given.client.get(kind.collection);
      return answer.status === 200 && answer;
    });
    expect(list.body.items).toEqual([]);
  },
  'its deletion waits for the finalizers of its objects': async (given) => {
    const kind = await defineGauge(given);
    const gauge = aGauge(kind, 'a');
    gauge.metadata.finalizers = ['example.com/wait'];
    await given.create(kind.collection, gauge);
    succeeded(await given.client.delete(kind.definition), 'delete');
    const { body } = await given.client.get(kind.definition);
    expect(body.metadata.deletionTimestamp).toEqual(expect.any(String));
    expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await given.eventually('the finalizer is removed: the kind is served until its objects are gone', async () => {
      const freed = await given.client.patch(`${kind.collection}/a`, 'merge', { metadata: { finalizers: null } });
      return freed.status === 200 || freed.status === 404;
    });
    await given.eventually(
      'the definition is gone: its last object is',
      async () => (await given.client.get(kind.definition)).status === 404,
    );
  },
  'the scope cannot change': async (given) => {
    const { definition } = await defineGauge(given);
    const answer = await given.client.patch(definition, 'merge', { spec: { scope: 'Cluster' } });
    expectRefusal(answer, 422, 'Invalid', 'spec.scope: Invalid value: "Cluster": field is immutable');
  },
  'a change of the schema increments the generation': async (given) => {
    const { definition } = await defineGauge(given);
    const change = [{ op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'A gauge.' }];
    const answer = await given.client.patch(definition, 'json', change);
    expect(answer.body.metadata.generation).toBe(2);
  },
  'a second version is served besides the first': async (given) => {
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a', { spec: { level: 3 } }));
    const { body } = await given.client.get(kind.definition);
    const [first] = body.spec.versions;
    const change = { spec: { versions: [first, { ...first, name: 'v2', storage: false }] } };
    succeeded(await given.client.patch(kind.definition, 'merge', change), 'patch');
    const inSecond = await given.eventually('the second version is served: the definition has it', async () => {
      const answer = await given.client.get(`${kind.collection.replace('/v1/', '/v2/')}/a`);
      return answer.status === 200 && answer;
    });
    expect([inSecond.body.apiVersion, inSecond.body.spec]).toEqual([`${kind.group}/v2`, { level: 3 }]);
  },
});
