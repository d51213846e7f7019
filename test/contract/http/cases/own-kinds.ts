// Evenkeel's custom resources: objects that the schemas of crds/ accept, refuse and default on a server.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import { DEFINITIONS, established } from '../custom-kinds.ts';
import type { Json, RawClient, RawResponse } from '../raw-client.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

function yamlIn(folder: string): Json[] {
  const path = join(ROOT, folder);
  return readdirSync(path)
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(readFileSync(join(path, file), 'utf8')).map((document): Json => document.toJS()));
}

const MANIFESTS = yamlIn('crds');
const SAMPLES = yamlIn('config/samples');

/** By client: the CRDs are created once per server, because they are many and large. */
const installed = new WeakMap<RawClient, Promise<void>>();

/** Creates the CRDs, as an installation does; they remain. */
function install(given: CaseContext): Promise<void> {
  const installation = installed.get(given.client) ?? installNow(given);
  installed.set(given.client, installation);
  return installation;
}

async function installNow(given: CaseContext): Promise<void> {
  for (const manifest of MANIFESTS) {
    const path = `${DEFINITIONS}/${manifest.metadata.name}`;
    succeeded(await given.client.patch(path, 'apply', manifest, { query: { fieldManager: 'contract', force: true } }), path);
  }
  for (const manifest of MANIFESTS) {
    const path = `${DEFINITIONS}/${manifest.metadata.name}`;
    await established(given, path);
    const root = `/apis/${manifest.spec.group}/v1alpha1/${manifest.spec.names.plural}`;
    await given.eventually('the kind is served: its definition is established', async () => (await given.client.get(root)).status === 200);
  }
}

async function collectionOf(given: CaseContext, kind: string): Promise<string> {
  const { spec } = MANIFESTS.find((manifest) => manifest.spec.names.kind === kind);
  const root = `/apis/${spec.group}/v1alpha1`;
  return spec.scope === 'Cluster' ? `${root}/${spec.names.plural}` : `${root}/namespaces/${await given.namespace()}/${spec.names.plural}`;
}

async function make(
  given: CaseContext,
  kind: string,
  spec: Json,
  query: Record<string, string> = { fieldValidation: 'Strict' },
): Promise<RawResponse> {
  await install(given);
  const collection = await collectionOf(given, kind);
  const name = `own-${given.id}`;
  given.removeAfter(`${collection}/${name}`);
  return given.client.post(collection, { apiVersion: 'evenkeel.io/v1alpha1', kind, metadata: { name }, spec }, { query });
}

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const WINDOW = { name: 'day', start: '0 7 * * *', duration: '1h', minReplicas: 2 };

/**
 * Invalid objects: kind, spec, and the fields of the error. `<nil>`, the whole object, is reported when its structure is invalid: the
 * server then reports that it did not evaluate the rules.
 */
const BAD: Readonly<Record<string, readonly [string, Json, readonly string[]]>> = {
  'an unknown mode': ['PodResizePolicy', { mode: 'auto' }, ['<nil>', 'spec.mode']],
  'a duration in words': ['PodResizePolicy', { cooldown: '1 hour' }, ['spec.cooldown']],
  'a percentage of nothing': ['PodResizePolicy', { maxConcurrent: '0%' }, ['spec.maxConcurrent']],
  'a negative quantity': ['PodResizePolicy', { cpu: { min: '-1' } }, ['spec.cpu.min']],
  'a tenth of a byte': ['PodResizePolicy', { memory: { min: '100m' } }, ['spec.memory.min']],
  'less than a megabyte in bytes': ['PodResizePolicy', { memory: { max: 512 } }, ['spec.memory.max']],
  'less than a millicore': ['PodResizePolicy', { cpu: { min: '100u' } }, ['spec.cpu.min']],
  'a minimum above the maximum': ['PodResizePolicy', { memory: { min: '2Gi', max: '1Gi' } }, ['spec.memory.min']],
  'two mutually exclusive ways to select namespaces': [
    'PodResizePolicy',
    { namespaces: ['a'], namespaceSelector: { matchLabels: { a: 'b' } } },
    ['spec.namespaceSelector'],
  ],
  'several errors at once': ['PodResizePolicy', { mode: 'auto', maxConcurrent: 0 }, ['<nil>', 'spec.maxConcurrent', 'spec.mode']],
  'a threshold above 1': ['NodeScalingPolicy', { scaleUpThreshold: 1.2 }, ['spec.scaleUpThreshold']],
  'minNodes above maxNodes': ['NodeScalingPolicy', { minNodes: 3, maxNodes: 2 }, ['spec.minNodes']],
  'two mutually exclusive ways to select pools': [
    'NodeScalingPolicy',
    { nodePools: ['a'], nodePoolSelector: { matchLabels: { a: 'b' } } },
    ['spec.nodePoolSelector'],
  ],
  'too many movements': ['RebalancePolicy', { maxMovements: 201 }, ['spec.maxMovements']],
  'an unknown trigger': ['RebalanceRun', { trigger: 'cron' }, ['<nil>', 'spec.trigger']],
  'a schedule without windows': ['ScheduledScalePolicy', { targetRef: target }, ['<nil>', 'spec.windows']],
  'a window with an end and a duration': [
    'ScheduledScalePolicy',
    { targetRef: target, windows: [{ ...WINDOW, end: '0 9 * * *' }] },
    ['spec.windows[0]'],
  ],
  'a Recommendation without a target': ['Recommendation', {}, ['<nil>', 'spec.targetRef']],
  'an address in upper case': ['AccessPolicy', { grants: [{ email: 'Upper@example.com', role: 'viewer' }] }, ['spec.grants[0].email']],
  'the same address twice': [
    'AccessPolicy',
    {
      grants: [
        { email: 'a@example.com', role: 'viewer' },
        { email: 'a@example.com', role: 'admin' },
      ],
    },
    ['spec.grants[1]'],
  ],
};

export const OWN_KIND_CASES = area('own kinds', {
  ...Object.fromEntries(
    Object.entries(BAD).map(([fault, [kind, spec, fields]]) => [
      `${kind}: 422 for ${fault}`,
      async (given: CaseContext) => {
        const answer = await make(given, kind, spec);
        expectRefusal(answer, 422, 'Invalid', `${kind}.evenkeel.io "own-${given.id}" is invalid: `);
        expect([...new Set<string>(answer.body.details.causes.map((cause: Json) => cause.field))].sort()).toEqual(fields);
      },
    ]),
  ),
  ...Object.fromEntries(
    SAMPLES.map((sample) => [
      `the sample ${sample.kind} ${sample.metadata.name} is accepted without pruning or a warning`,
      async (given: CaseContext) => {
        await install(given);
        const collection = await collectionOf(given, sample.kind);
        const name = `sample-${given.id}`;
        const metadata = { ...sample.metadata, name, namespace: undefined };
        given.removeAfter(`${collection}/${name}`);
        const answer = await given.client.post(collection, { ...sample, metadata }, { query: { fieldValidation: 'Strict' } });
        succeeded(answer, `the sample of ${sample.kind}`);
        expect(answer.warnings).toEqual([]);
        expect(answer.body.spec).toMatchObject(sample.spec);
      },
    ]),
  ),
  'PodResizePolicy: has the documented defaults': async (given) => {
    const { body } = await make(given, 'PodResizePolicy', {});
    expect(body.spec).toMatchObject({
      mode: 'Recommend',
      apply: 'InPlace',
      goal: 'Balanced',
      hpa: 'Preserve',
      paused: false,
      dryRun: false,
    });
  },
  'RebalancePolicy: disruption budgets are respected by default': async (given) => {
    const { body } = await make(given, 'RebalancePolicy', {});
    expect(body.spec).toMatchObject({ respectPDB: true, dryRun: false, maxMovements: 20, maxParallel: 2 });
    expect(body.spec.thresholds).toMatchObject({ minUtilization: 0.2, maxUtilization: 0.85 });
  },
  'Recommendation: its target is immutable': async (given) => {
    succeeded(await make(given, 'Recommendation', { targetRef: target }), 'create');
    const path = `${await collectionOf(given, 'Recommendation')}/own-${given.id}`;
    const answer = await given.client.patch(path, 'merge', { spec: { targetRef: { name: 'api' } } });
    expectRefusal(answer, 422, 'Invalid', 'targetRef cannot change; Evenkeel creates one Recommendation for each workload');
    expect(answer.body.details.causes[0].field).toBe('spec.targetRef');
  },
  'RebalanceRun: execute cannot be unset': async (given) => {
    succeeded(await make(given, 'RebalanceRun', { trigger: 'api', execute: { at: '2026-01-01T00:00:00Z' } }), 'create');
    const path = `${await collectionOf(given, 'RebalanceRun')}/own-${given.id}`;
    const answer = await given.client.patch(path, 'merge', { spec: { execute: null } });
    expectRefusal(answer, 422, 'Invalid', 'execute cannot be unset; set cancel instead');
  },
  'a status is written through its subresource only': async (given) => {
    succeeded(await make(given, 'PodResizePolicy', {}), 'create');
    const path = `${await collectionOf(given, 'PodResizePolicy')}/own-${given.id}`;
    const ignored = await given.client.patch(path, 'merge', { status: { observedGeneration: 1 } });
    expect([ignored.status, ignored.body.status]).toEqual([200, undefined]);
    const response = await given.client.patch(`${path}/status`, 'merge', { status: { observedGeneration: 1 } });
    expect([response.status, response.body.status.observedGeneration, response.body.metadata.generation]).toEqual([200, 1, 1]);
  },
  'an unknown field is 400 under Strict': async (given) => {
    expectRefusal(
      await make(given, 'PodResizePolicy', { goals: 'Safe' }),
      400,
      'BadRequest',
      'strict decoding error: unknown field "spec.goals"',
    );
  },
  'discovery has their short names and categories': async (given) => {
    await install(given);
    const resources = await given.eventually('discovery lists all kinds: each is served', async () => {
      const { body } = await given.client.get('/apis/evenkeel.io/v1alpha1');
      const kinds: Json[] = (body?.resources ?? []).filter((entry: Json) => !entry.name.includes('/'));
      return kinds.length === MANIFESTS.length && kinds;
    });
    expect(resources.map(({ name, shortNames, categories }) => [name, shortNames, categories]).sort()).toEqual(
      MANIFESTS.map(({ spec: { names } }) => [names.plural, names.shortNames, ['evenkeel']]).sort(),
    );
  },
  'CPU and memory are taken as numbers, as Kubernetes takes them': async (given) => {
    succeeded(await make(given, 'PodResizePolicy', { cpu: { min: 0, max: 2 }, memory: { max: 4294967296 } }), 'create');
  },
  'printer columns show whether a policy is in force': async (given) => {
    succeeded(await make(given, 'PodResizePolicy', {}), 'create');
    const path = `${await collectionOf(given, 'PodResizePolicy')}/own-${given.id}`;
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await given.client.get(path, {}, { headers });
    const usual = body.columnDefinitions.filter((column: Json) => column.priority === 0).map((column: Json) => column.name);
    expect(usual).toEqual([
      'Name',
      'Mode',
      'Ready',
      'Conflicted',
      'Workloads',
      'Awaiting',
      'Changed',
      'Saves USD/month',
      'Last cycle',
      'Age',
    ]);
    expect(body.rows[0].cells.slice(0, 3)).toEqual([`own-${given.id}`, 'Recommend', null]);
  },
  'printer columns of a Recommendation show present and recommended requests side by side': async (given) => {
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await given.client.get(await collectionOf(given, 'Recommendation'), {}, { headers });
    const usual = body.columnDefinitions.filter((column: Json) => column.priority === 0).map((column: Json) => column.name);
    expect(usual).toEqual([
      'Name',
      'State',
      'Reason',
      'CPU now',
      'CPU',
      'Memory now',
      'Memory',
      'Saves USD/month',
      'Confidence',
      'Applied',
      'Age',
    ]);
  },
});
