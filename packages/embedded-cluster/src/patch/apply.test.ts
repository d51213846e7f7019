import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { itemsAt, valueAt } from '../printing/columns/column.ts';
import type { KubeObject, ManagedFieldsEntry } from '../api/kube-object.ts';
import { SchemaRegistry } from '../schema/schema-registry.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import type { ApplyResult } from './apply.ts';
import { applyConflictError, serverSideApply, trackUpdate } from './apply.ts';

const { resolver } = new SchemaRegistry();
const DEPLOYMENT: StructuralSchema = { $ref: 'io.k8s.api.apps.v1.Deployment' };

interface Way {
  readonly schema?: StructuralSchema;
  readonly subresource?: string;
  readonly time?: string;
  readonly apiVersion?: string;
}

function by(manager: string, { schema = DEPLOYMENT, subresource = '', time = '2026-01-01T00:00:00Z', apiVersion = 'apps/v1' }: Way = {}) {
  return { schema, resolve: resolver, manager, apiVersion, time, subresource };
}

function deployment(spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', ...metadata } as KubeObject['metadata'], spec };
}

function apply(live: KubeObject | undefined, manager: string, applied: KubeObject, force = false, way: Way = {}): ApplyResult {
  return serverSideApply({ ...by(manager, way), live, applied, force });
}

function applied(result: ApplyResult): KubeObject {
  if (!('object' in result)) throw new Error(`conflicts: ${JSON.stringify(result.conflicts)}`);
  return result.object;
}

function created(manager: string, object: KubeObject): KubeObject {
  return updated(manager, undefined, object);
}

function updated(manager: string, old: KubeObject | undefined, object: KubeObject, way: Way = {}): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const bare = { ...object, metadata };
  return { ...bare, metadata: { ...metadata, managedFields: trackUpdate({ ...by(manager, way), old, object: bare }) } };
}

function ownedBy(object: KubeObject, manager: string): unknown {
  return object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
}

function containers(...list: Record<string, unknown>[]): Record<string, unknown> {
  return { template: { spec: { containers: list } } };
}

describe('serverSideApply', () => {
  test('creates an object and owns the applied fields', () => {
    const object = applied(
      apply(
        undefined,
        'me',
        deployment({ replicas: 2, ...containers({ name: 'a', ports: [{ containerPort: 80 }] }) }, { labels: { x: 'y' } }),
      ),
    );
    expect(object['spec']).toEqual({ replicas: 2, ...containers({ name: 'a', ports: [{ containerPort: 80 }] }) });
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:x': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:template': {
              'f:spec': {
                'f:containers': {
                  'k:{"name":"a"}': {
                    '.': {},
                    'f:name': {},
                    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  test('conflicts with another manager’s value, with kubectl’s message', () => {
    const live = created('kubectl-client-side-apply', deployment({ replicas: 2 }));
    const result = apply(live, 'me', deployment({ replicas: 5 }));
    expect(result).toEqual({ conflicts: [{ manager: '"kubectl-client-side-apply" using apps/v1', field: '.spec.replicas' }] });
    const error = applyConflictError('conflicts' in result ? result.conflicts : []);
    expect([error.code, error.reason, error.message]).toEqual([
      409,
      'Conflict',
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
    ]);
    expect(error.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-client-side-apply" using apps/v1', field: '.spec.replicas' },
    ]);
  });

  test('groups several conflicts by manager', () => {
    const conflicts = [
      { manager: '"b"', field: '.spec.x' },
      { manager: '"a" with subresource "scale" using apps/v1', field: '.spec.y' },
      { manager: '"b"', field: '.spec.z' },
    ];
    expect(applyConflictError(conflicts).message).toBe(
      'Apply failed with 3 conflicts: conflicts with "a" with subresource "scale" using apps/v1:\n- .spec.y\nconflicts with "b":\n- .spec.x\n- .spec.z',
    );
  });

  test('takes a field by force', () => {
    const live = created('other', deployment({ replicas: 2, paused: true }));
    const object = applied(apply(live, 'me', deployment({ replicas: 5 }), true));
    expect(object['spec']).toEqual({ replicas: 5, paused: true });
    expect(ownedBy(object, 'other')).toEqual({ 'f:spec': { 'f:paused': {} } });
    expect(ownedBy(object, 'me')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  test('shares a field with equal values', () => {
    const first = applied(apply(undefined, 'a', deployment({ replicas: 2 })));
    const both = applied(apply(first, 'b', deployment({ replicas: 2 })));
    expect([ownedBy(both, 'a'), ownedBy(both, 'b')]).toEqual([{ 'f:spec': { 'f:replicas': {} } }, { 'f:spec': { 'f:replicas': {} } }]);
    const without = applied(apply(both, 'a', deployment({})));
    expect(without['spec']).toEqual({ replicas: 2 });
    expect(applied(apply(without, 'b', deployment({})))).not.toHaveProperty('spec');
  });

  test('removes fields that it no longer applies, with their fields that have no owner', () => {
    const one = { name: 'a', image: 'a:1', livenessProbe: { httpGet: { port: 80 } } };
    const live = applied(apply(undefined, 'me', deployment(containers(one, { name: 'b' }), { labels: { x: '1', y: '2' } })));
    const withDefaults = structuredClone(live);
    Object.assign(valueAt(itemsAt(withDefaults, 'spec', 'template', 'spec', 'containers')[0], 'livenessProbe') as object, {
      periodSeconds: 10,
    });
    const object = applied(apply(withDefaults, 'me', deployment(containers({ name: 'a', image: 'a:1' }), { labels: { x: '1' } })));
    expect(object['spec']).toEqual(containers({ name: 'a', image: 'a:1' }));
    expect(object.metadata.labels).toEqual({ x: '1' });
  });

  test('keeps an item of another applier, without the fields that only it owned', () => {
    const first = applied(apply(undefined, 'a', deployment(containers({ name: 'c', image: 'i', workingDir: '/a' }))));
    const both = applied(apply(first, 'b', deployment(containers({ name: 'c', image: 'i' }))));
    expect(applied(apply(both, 'a', deployment({})))['spec']).toEqual(containers({ name: 'c', image: 'i' }));
  });

  test('merges lists in the applied order, and keeps the items of others next to their neighbours', () => {
    const live = applied(apply(undefined, 'other', deployment(containers({ name: 'injected' }, { name: 'a' }, { name: 'b' }))));
    const object = applied(apply(live, 'me', deployment(containers({ name: 'b' }, { name: 'a' }, { name: 'new' }))));
    expect(itemsAt(object, 'spec', 'template', 'spec', 'containers').map((each) => each['name'])).toEqual(['injected', 'b', 'a', 'new']);
  });

  test('owns atomic lists as a whole', () => {
    const live = applied(apply(undefined, 'a', deployment({ template: { spec: { tolerations: [{ key: 'x' }] } } })));
    const result = apply(live, 'b', deployment({ template: { spec: { tolerations: [{ key: 'y' }] } } }));
    expect(result).toEqual({ conflicts: [{ manager: '"a"', field: '.spec.template.spec.tolerations' }] });
  });

  test('compares stored values: another notation of a quantity is not a change', () => {
    const live = created('other', deployment(containers({ name: 'a', resources: { requests: { cpu: '1' } } })));
    const object = applied(apply(live, 'me', deployment(containers({ name: 'a', resources: { requests: { cpu: '1000m' } } }))));
    expect(object['spec']).toEqual(live['spec']);
  });

  test('gives an object without managed fields to the manager before-first-apply', () => {
    const live = deployment({ replicas: 1 });
    expect(apply(live, 'me', deployment({ replicas: 2 }))).toEqual({
      conflicts: [{ manager: '"before-first-apply" using apps/v1', field: '.spec.replicas' }],
    });
  });

  test('lets kubectl take over fields of client-side apply, and no others', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const text = JSON.stringify(
      deployment({ replicas: 2, minReadySeconds: 5, ...containers({ name: 'a', resources: { limits: { cpu: '1000m' } } }) }),
    );
    const stored = deployment(
      { replicas: 2, minReadySeconds: 9, ...containers({ name: 'a', resources: { limits: { cpu: '1' } } }) },
      { annotations: { [annotation]: text } },
    );
    const live = created('kubectl-client-side-apply', stored);
    const next = deployment({ replicas: 3, ...containers({ name: 'a', resources: { limits: { cpu: '2' } } }) });
    const object = applied(apply(live, 'kubectl', next));
    expect(object['spec']).toMatchObject({ replicas: 3, minReadySeconds: 9 });
    expect(JSON.parse(object.metadata.annotations?.[annotation] ?? '')).toMatchObject({ spec: next['spec'] });
    expect(apply(live, 'kubectl', deployment({ minReadySeconds: 1, replicas: 3 }))).toEqual({
      conflicts: [{ manager: '"kubectl-client-side-apply" using apps/v1', field: '.spec.minReadySeconds' }],
    });
    expect(apply(live, 'other', deployment({ replicas: 3 }))).toHaveProperty('conflicts');
  });

  test('returns the same object when nothing changes', () => {
    const live = applied(apply(undefined, 'me', deployment({ replicas: 1 })));
    expect(applied(apply(live, 'me', deployment({ replicas: 1 }), false, { time: '2027-01-01T00:00:00Z' }))).toBe(live);
  });

  test('keeps status and spec in their subresources', () => {
    const live = applied(apply(undefined, 'me', { ...deployment({ replicas: 1 }), status: { replicas: 9 } }));
    expect(live).not.toHaveProperty('status');
    const status = applied(
      apply(live, 'me', { ...deployment({ replicas: 7 }, { labels: { a: 'b' } }), status: { replicas: 1 } }, false, {
        subresource: 'status',
      }),
    );
    expect([status['spec'], status['status'], status.metadata.labels]).toEqual([{ replicas: 1 }, { replicas: 1 }, undefined]);
    expect(status.metadata.managedFields?.map(({ subresource, fieldsV1 }) => [subresource, fieldsV1])).toEqual([
      [undefined, { 'f:spec': { 'f:replicas': {} } }],
      ['status', { 'f:status': { 'f:replicas': {} } }],
    ]);
  });

  test('applies the schema of custom resources', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        metadata: { type: 'object' },
        spec: {
          type: 'object',
          properties: {
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          },
        },
      },
    };
    const way = { schema, apiVersion: 'example.org/v1' };
    const first = applied(apply(undefined, 'a', deployment({ tags: ['x'], free: { deep: { a: 1 } } }, { labels: { l: '1' } }), false, way));
    const both = applied(apply(first, 'b', deployment({ tags: ['y'], free: { deep: { b: 2 } } }, { labels: { m: '2' } }), false, way));
    expect(both['spec']).toEqual({ tags: ['x', 'y'], free: { deep: { a: 1, b: 2 } } });
    const without = applied(apply(both, 'a', deployment({}), false, way));
    expect([without['spec'], without.metadata.labels]).toEqual([{ tags: ['y'], free: { deep: { b: 2 } } }, { m: '2' }]);
  });
});

// Without empty values: a real server stores no empty object or list, whichever manager applied it.
const anySpec = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 3 }),
    paused: fc.boolean(),
    template: fc.record(
      {
        spec: fc.record(
          {
            nodeName: fc.constantFrom('n1', 'n2'),
            tolerations: fc.array(fc.record({ key: fc.constantFrom('x', 'y') }), { maxLength: 2 }),
            containers: fc.uniqueArray(
              fc.record(
                {
                  name: fc.constantFrom('a', 'b', 'c'),
                  image: fc.constantFrom('i:1', 'i:2'),
                  env: fc.uniqueArray(fc.record({ name: fc.constantFrom('E', 'F'), value: fc.constantFrom('1', '2') }), {
                    selector: (each) => each.name,
                    minLength: 1,
                  }),
                },
                { requiredKeys: ['name'] },
              ),
              { selector: (each) => each.name, minLength: 1, maxLength: 3 },
            ),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const specs = anySpec.map((spec) => (omitEmpty(spec) ?? { replicas: 1 }) as Record<string, unknown>);

function omitEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(omitEmpty);
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const left = omitEmpty(inner);
    return left === undefined ? [] : [[name, left] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

describe('server-side apply of any object', () => {
  test('is idempotent', () => {
    fc.assert(
      fc.property(specs, specs, specs, (base, first, second) => {
        const live = created('other', deployment(base));
        const mine = applied(apply(live, 'me', deployment(first), true));
        const again = applied(apply(mine, 'me', deployment(second), true));
        expect(applied(apply(again, 'me', deployment(second), true))).toBe(again);
      }),
    );
  });

  test('results in the applied values', () => {
    fc.assert(
      fc.property(specs, specs, (base, mine) => {
        const object = applied(apply(created('other', deployment(base)), 'me', deployment(mine), true));
        expect(applied(apply(object, 'third', deployment(mine)))['spec']).toEqual(object['spec']);
      }),
    );
  });

  test('never changes a field that only another applier owns', () => {
    fc.assert(
      fc.property(specs, specs, specs, (theirs, first, second) => {
        const { paused: _, ...one } = first;
        const { paused: __, ...two } = second;
        const live = applied(apply(undefined, 'other', deployment({ ...theirs, paused: true })));
        const mine = applied(apply(live, 'me', deployment(one), true));
        const later = applied(apply(mine, 'me', deployment(two), true));
        expect((later['spec'] as Record<string, unknown>)['paused']).toBe(true);
        expect(ownedBy(later, 'other')).toHaveProperty(['f:spec', 'f:paused']);
      }),
    );
  });

  test('removes everything that only it owned', () => {
    fc.assert(
      fc.property(specs, specs, (theirs, mine) => {
        const live = applied(apply(undefined, 'other', deployment(theirs)));
        const result = apply(live, 'me', deployment(mine));
        if ('conflicts' in result) return;
        const gone = applied(apply(result.object, 'me', deployment({})));
        expect(ownedBy(gone, 'other')).toEqual(ownedBy(live, 'other'));
        expect(applied(apply(gone, 'other', deployment(theirs)))).toBe(gone);
      }),
    );
  });
});

describe('trackUpdate', () => {
  test('owns the fields of a create, including their parents', () => {
    const object = created('kubectl-create', deployment({ replicas: 1, strategy: { type: 'Recreate' } }, { labels: { a: 'b' }, uid: 'u' }));
    expect(ownedBy(object, 'kubectl-create')).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
      'f:spec': { 'f:replicas': {}, 'f:strategy': { '.': {}, 'f:type': {} } },
    });
  });

  test('moves ownership to the manager that changes a field, and drops removed fields', () => {
    const first = created('a', deployment({ replicas: 1, paused: true, minReadySeconds: 5 }));
    const second = updated('b', first, deployment({ replicas: 2, paused: true }));
    expect([ownedBy(second, 'a'), ownedBy(second, 'b')]).toEqual([{ 'f:spec': { 'f:paused': {} } }, { 'f:spec': { 'f:replicas': {} } }]);
  });

  test('keeps entries by subresource', () => {
    const first = created('a', deployment({ replicas: 1 }));
    const scaled = updated('a', first, deployment({ replicas: 2 }), { subresource: 'scale' });
    expect(scaled.metadata.managedFields?.map(({ subresource, fieldsV1 }) => [subresource, fieldsV1])).toEqual([
      ['scale', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  test('changes nothing when nothing changed', () => {
    const first = created('a', deployment({ replicas: 1 }));
    expect(updated('b', first, deployment({ replicas: 1 })).metadata.managedFields).toEqual(first.metadata.managedFields);
  });

  test('accepts entries of the client, and clears all on request', () => {
    const first = created('a', deployment({ replicas: 1 }));
    const entry: ManagedFieldsEntry = {
      manager: 'x',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    const given = { ...first, metadata: { ...first.metadata, managedFields: [entry] } };
    expect(trackUpdate({ ...by('b'), old: first, object: given })).toEqual([entry]);
    const reset = { ...first, metadata: { ...first.metadata, managedFields: [{} as ManagedFieldsEntry] } };
    expect(trackUpdate({ ...by('b'), old: first, object: reset })).toEqual([]);
  });

  test('merges the oldest updates when there are more than ten managers', () => {
    let object = created('m00', deployment({ replicas: 0 }, { labels: { m00: 'x' } }));
    for (let index = 1; index < 14; index++) {
      const manager = `m${String(index).padStart(2, '0')}`;
      const labels = { ...object.metadata.labels, [manager]: 'x' };
      object = updated(manager, object, deployment({ replicas: 0 }, { labels }), {
        time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
      });
    }
    const managers = object.metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toEqual(['ancient-changes', 'm05', 'm06', 'm07', 'm08', 'm09', 'm10', 'm11', 'm12', 'm13']);
    expect(Object.keys(valueAt(ownedBy(object, 'ancient-changes'), 'f:metadata', 'f:labels') as object).sort()).toEqual([
      '.',
      'f:m00',
      'f:m01',
      'f:m02',
      'f:m03',
      'f:m04',
    ]);
  });

  test('and server-side apply together: every field is owned by the manager that set it last', () => {
    fc.assert(
      fc.property(specs, specs, specs, (base, change, mine) => {
        const first = created('a', deployment(base));
        const second = updated('b', first, deployment(change));
        const result = apply(second, 'me', deployment(mine));
        // A field whose values differ is a conflict, so equal values never conflict.
        const agree = apply(second, 'me', deployment(change));
        expect(agree).toHaveProperty('object');
        if ('object' in result) expect(applied(apply(result.object, 'me', deployment(mine)))).toBe(result.object);
      }),
    );
  });
});
