import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { crds, samples, schemaOf, validatorOf, type CrdSchema } from '../builders/crds.ts';

const ALL = crds();
const byKind = new Map(ALL.map((crd) => [crd.spec.names.kind, crd]));

const EXPECTED = {
  AccessPolicy: ['acp', 'Cluster'],
  NodeScalingPolicy: ['nsp', 'Cluster'],
  PodResizePolicy: ['prp', 'Cluster'],
  RebalancePolicy: ['rbp', 'Cluster'],
  RebalanceRun: ['rbr', 'Cluster'],
  Recommendation: ['rec', 'Namespaced'],
  ScheduledScalePolicy: ['ssp', 'Namespaced'],
};

function* walk(schema: CrdSchema, path: string): Generator<[string, CrdSchema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, property];
    yield* walk(property, `${path}.${name}`);
  }
  if (schema.items !== undefined) {
    yield [`${path}[]`, schema.items];
    yield* walk(schema.items, `${path}[]`);
  }
}

describe('the CRDs', () => {
  test('have these names, short names and scopes', () => {
    const found = Object.fromEntries(ALL.map(({ spec }) => [spec.names.kind, [spec.names.shortNames[0], spec.scope]]));
    expect(found).toEqual(EXPECTED);
    for (const crd of ALL) {
      expect(crd.metadata.name).toBe(`${crd.spec.names.plural}.evenkeel.io`);
      expect(crd.spec.names.categories).toEqual(['evenkeel']);
      expect(crd.spec.versions[0]?.subresources?.status).toEqual({});
    }
  });

  test.each(ALL.map((crd) => [crd.spec.names.kind, crd] as const))('%s: every field is described, bounded, and of one type', (_, crd) => {
    for (const [path, schema] of walk(schemaOf(crd), '')) {
      if (['.apiVersion', '.kind', '.metadata'].includes(path)) continue;
      if (!path.endsWith('[]')) expect([path, schema.description]).toEqual([path, expect.stringMatching(/\S.*\./s)]);
      if (schema['x-kubernetes-int-or-string'] !== true) expect([path, schema.type]).toEqual([path, expect.any(String)]);
      if (schema.type === 'string' && schema.enum === undefined && schema.format === undefined) {
        expect([path, schema.maxLength]).toEqual([path, expect.any(Number)]);
      }
      if (schema.type === 'array') {
        expect([path, schema.maxItems, schema['x-kubernetes-list-type']]).toEqual([
          path,
          expect.any(Number),
          expect.stringMatching(/^(map|set|atomic)$/),
        ]);
      }
      if (schema['x-kubernetes-list-type'] === 'map') {
        const keys = schema['x-kubernetes-list-map-keys'] ?? [];
        expect([path, keys.every((key) => schema.items?.required?.includes(key))]).toEqual([path, true]);
      }
      for (const rule of schema['x-kubernetes-validations'] ?? []) {
        expect([path, rule]).toEqual([
          path,
          expect.objectContaining({ message: expect.any(String), reason: expect.stringMatching(/^FieldValue/) }),
        ]);
      }
    }
  });

  test.each(ALL.map((crd) => [crd.spec.names.kind, crd] as const))(
    '%s: carries conditions, observedGeneration, and columns that exist',
    (_, crd) => {
      const schema = schemaOf(crd);
      const status = schema.properties?.['status']?.properties ?? {};
      expect(status['observedGeneration']?.type).toBe('integer');
      expect(status['conditions']?.['x-kubernetes-list-map-keys']).toEqual(['type']);
      const paths = new Set([...walk(schema, '')].map(([path]) => path));
      for (const column of crd.spec.versions[0]!.additionalPrinterColumns) {
        const path = column.jsonPath.replace(/\[\?\(.*\)\]/, '[]');
        expect([column.name, path.startsWith('.metadata.') || paths.has(path)]).toEqual([column.name, true]);
      }
    },
  );

  test.each(ALL.map((crd) => [crd.spec.names.kind, crd] as const))('%s: defaults are values that the schema itself accepts', (_, crd) => {
    for (const [path, schema] of walk(schemaOf(crd), '')) {
      if (typeof schema.default === 'string' && schema.pattern !== undefined)
        expect([path, schema.default]).toEqual([path, expect.stringMatching(new RegExp(schema.pattern, 'u'))]);
      if (schema.enum !== undefined && schema.default !== undefined)
        expect([path, schema.enum]).toEqual([path, expect.arrayContaining([schema.default])]);
    }
  });

  test('the generated types match the CRDs', () => {
    const root = join(import.meta.dirname, '../..');
    expect(() =>
      execFileSync(process.execPath, ['hack/generate/generate-crd-types.ts', '--check'], { cwd: root, stdio: 'pipe' }),
    ).not.toThrow();
  });
});

describe('the samples', () => {
  test('there is a sample of every kind', () => {
    expect([...new Set(samples().map(({ object }) => object['kind']))].sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  test.each(samples().map(({ file, object }) => [file, object] as const))('%s is accepted', (_, object) => {
    const validate = validatorOf(byKind.get(String(object['kind']))!);
    expect(validate(object) || validate.errors).toBe(true);
  });
});

const meta = { metadata: { name: 'x' } };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

describe('an invalid object is refused', () => {
  test.each([
    ['PodResizePolicy', {}, ''],
    ['PodResizePolicy', { spec: { mode: 'auto' } }, '/spec/mode'],
    ['PodResizePolicy', { spec: { goals: 'Safe' } }, '/spec'],
    ['PodResizePolicy', { spec: { cpu: { percentile: 95 } } }, '/spec/cpu/percentile'],
    ['PodResizePolicy', { spec: { windows: [{ start: '0 1 * * *' }] } }, '/spec/windows/0'],
    ['PodResizePolicy', { spec: { maxConcurrent: 0 } }, '/spec/maxConcurrent'],
    ['Recommendation', { spec: {} }, '/spec'],
    ['Recommendation', { spec: { targetRef: target, approved: { by: 'a', at: 'today', containers: [] } } }, '/spec/approved/at'],
    ['NodeScalingPolicy', { spec: { scaleUpThreshold: 1.2 } }, '/spec/scaleUpThreshold'],
    ['RebalancePolicy', { spec: { maxMovements: 201 } }, '/spec/maxMovements'],
    ['RebalanceRun', { spec: { trigger: 'cron' } }, '/spec/trigger'],
    ['ScheduledScalePolicy', { spec: { targetRef: target } }, '/spec'],
    ['AccessPolicy', { spec: { grants: [{ email: 'a@example.com', role: 'root' }] } }, '/spec/grants/0/role'],
  ])('%s %j', (kind, object, path) => {
    const validate = validatorOf(byKind.get(kind)!);
    expect(validate({ ...meta, ...object })).toBe(false);
    expect(validate.errors?.map((error) => error.instancePath)).toContain(path);
  });
});
