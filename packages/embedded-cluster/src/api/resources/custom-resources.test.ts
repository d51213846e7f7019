import { describe, expect, test } from '@jest/globals';
import { ApiWorld, type Wire } from '../../../testing/api-world.ts';
import { settle } from '../../../testing/fake-clock.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const BOATS = '/apis/example.com/v1/namespaces/default/boats';

function definition(overrides: { readonly names?: object; readonly name?: string; readonly versions?: object[] } = {}): Wire {
  return {
    metadata: { name: overrides.name ?? 'boats.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'], categories: ['fleet'], ...overrides.names },
      versions: overrides.versions ?? [version('v1', true)],
    },
  };
}

function version(name: string, storage: boolean): object {
  return {
    name,
    served: true,
    storage,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.crew', statusReplicasPath: '.status.aboard' } },
    additionalPrinterColumns: [{ name: 'Crew', type: 'integer', jsonPath: '.spec.crew' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              crew: { type: 'integer', minimum: 0, default: 1 },
              sail: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'sail is immutable' }] },
            },
          },
          status: { type: 'object', properties: { aboard: { type: 'integer' } } },
        },
      },
    },
  };
}

const messageOf = (response: { readonly body: unknown }): string => (response.body as { message: string }).message;

async function withBoats(): Promise<ApiWorld> {
  const world = new ApiWorld();
  await world.post(DEFINITIONS, definition());
  return world;
}

describe('custom resources', () => {
  test('a definition is established and served immediately', async () => {
    const world = new ApiWorld();
    expect((await world.get(BOATS)).status).toBe(404);
    const created = (await world.post(DEFINITIONS, definition())).body as Wire;
    expect(created.status.conditions.map(({ type, status }: { type: string; status: string }) => `${type}=${status}`)).toEqual([
      'NamesAccepted=True',
      'Established=True',
    ]);
    expect(created.status).toMatchObject({
      acceptedNames: { plural: 'boats', singular: 'boat', listKind: 'BoatList' },
      storedVersions: ['v1'],
    });
    expect((await world.get(BOATS)).body).toMatchObject({ kind: 'BoatList', apiVersion: 'example.com/v1', items: [] });
    expect((await world.get('/apis/example.com/v1')).body).toMatchObject({
      resources: [{ name: 'boats', shortNames: ['bt'], categories: ['fleet'] }, { name: 'boats/status' }, { name: 'boats/scale' }],
    });
    expect((await world.get('/openapi/v3/apis/example.com/v1')).body).toHaveProperty(['components', 'schemas', 'com.example.v1.Boat']);
  });

  test('objects are defaulted, pruned, validated, and checked with CEL transition rules', async () => {
    const world = await withBoats();
    const created = await world.post(BOATS, { metadata: { name: 'ark' }, spec: { sail: 'red', nonsense: 1 } });
    expect(created.body).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Boat', spec: { crew: 1, sail: 'red' } });
    expect(created.headers['warning']).toContain('spec.nonsense');
    expect(messageOf(await world.patch('merge', `${BOATS}/ark`, { spec: { crew: -1 } }))).toMatch(
      /^Boat.example.com "ark" is invalid: spec.crew: Invalid value: -1/,
    );
    expect(messageOf(await world.patch('merge', `${BOATS}/ark`, { spec: { sail: 'blue' } }))).toMatch(
      /spec.sail: Invalid value: .*sail is immutable/,
    );
    expect((await world.patch('strategic', `${BOATS}/ark`, {})).status).toBe(415);
    expect(messageOf(await world.put(`${BOATS}/ark`, { metadata: { name: 'ark' }, spec: {} }))).toMatch(
      /resourceVersion: Invalid value: 0: must be specified for an update/,
    );
  });

  test('status, scale, columns and server-side apply work as on built-in kinds', async () => {
    const world = await withBoats();
    const body = { apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'ark' }, spec: { crew: 2 }, status: { aboard: 9 } };
    const applied = await world.patch('apply', `${BOATS}/ark`, body, { fieldManager: 'noah' });
    expect(applied.status).toBe(201);
    expect(applied.body).not.toHaveProperty('status');
    await world.patch('apply', `${BOATS}/ark/status`, { ...body, status: { aboard: 1 } }, { fieldManager: 'noah' });
    await world.patch('merge', `${BOATS}/ark/scale`, { spec: { replicas: 4 } });
    expect((await world.get(`${BOATS}/ark`)).body).toMatchObject({ spec: { crew: 4 }, status: { aboard: 1 }, metadata: { generation: 2 } });
    const table = await world.get(BOATS, {}, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    expect(table.body).toMatchObject({ rows: [{ cells: ['ark', 4] }] });
  });

  test('versions without conversion share one store', async () => {
    const world = new ApiWorld();
    await world.post(DEFINITIONS, definition({ versions: [version('v1alpha1', false), version('v1', true)] }));
    await world.post('/apis/example.com/v1alpha1/namespaces/default/boats', { metadata: { name: 'ark' } });
    expect((await world.get(`${BOATS}/ark`)).body).toMatchObject({ apiVersion: 'example.com/v1' });
    expect((await world.get('/apis/example.com/v1alpha1/boats')).body).toMatchObject({ items: [{ apiVersion: 'example.com/v1alpha1' }] });
  });

  test('names of another kind are not accepted', async () => {
    const world = await withBoats();
    const second = await world.post(DEFINITIONS, definition({ name: 'ships.example.com', names: { plural: 'ships', kind: 'Ship' } }));
    expect((second.body as Wire).status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"bt" is already in use' },
      { type: 'Established', status: 'False' },
    ]);
    expect((await world.get('/apis/example.com/v1/ships')).status).toBe(404);
  });

  test('a changed schema applies immediately', async () => {
    const world = await withBoats();
    const changed = definition();
    changed.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.crew = { type: 'integer', minimum: 5 };
    const current = (await world.get(`${DEFINITIONS}/boats.example.com`)).body as Wire;
    await world.put(`${DEFINITIONS}/boats.example.com`, { ...current, spec: { ...current.spec, versions: changed.spec.versions } });
    expect((await world.post(BOATS, { metadata: { name: 'ark' }, spec: { crew: 4 } })).status).toBe(422);
  });

  test('deleting a definition deletes its objects, and waits for their finalizers', async () => {
    const world = await withBoats();
    await world.post(BOATS, { metadata: { name: 'free' } });
    await world.post(BOATS, { metadata: { name: 'held', finalizers: ['example.com/anchor'] } });
    await world.delete(`${DEFINITIONS}/boats.example.com`);
    await settle();
    expect((await world.get(BOATS)).body).toMatchObject({ items: [{ metadata: { name: 'held' } }] });
    expect((await world.post(BOATS, { metadata: { name: 'late' } })).status).toBe(405);
    await world.patch('merge', `${BOATS}/held`, { metadata: { finalizers: null } });
    await settle();
    expect((await world.get(`${DEFINITIONS}/boats.example.com`)).status).toBe(404);
    expect((await world.get(BOATS)).status).toBe(404);
  });
});
