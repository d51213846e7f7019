// Tables and metadata-only objects, by the Accept header.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import { aGauge, defineGauge } from '../custom-kinds.ts';
import type { Json, RawRequest } from '../raw-client.ts';

const accept = (as: string, more = ''): RawRequest => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io${more}` } });
const TABLE = accept('Table');
const PARTIAL = accept('PartialObjectMetadata');
const PARTIAL_LIST = accept('PartialObjectMetadataList');

/** A ConfigMap and a Deployment without pods, which every cluster prints in the same way. */
async function configMap(given: CaseContext): Promise<string> {
  const collection = `/api/v1/namespaces/${await given.namespace()}/configmaps`;
  await given.create(collection, { metadata: { name: 'settings', labels: { case: given.id } }, data: { a: '1', b: '2' } });
  return collection;
}

async function deployments(given: CaseContext): Promise<string> {
  const collection = `/apis/apps/v1/namespaces/${await given.namespace()}/deployments`;
  await given.create(collection, {
    metadata: { name: 'web' },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] } },
    },
  });
  return collection;
}

const columnNames = (table: Json, priority: number): string[] =>
  table.columnDefinitions.filter((column: Json) => column.priority === priority).map((column: Json) => column.name);

/** Printer columns of each kind, and the additional ones of `-o wide`. */
const COLUMNS: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  '/api/v1/pods': [
    ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
    ['IP', 'Node', 'Nominated Node', 'Readiness Gates'],
  ],
  '/api/v1/nodes': [
    ['Name', 'Status', 'Roles', 'Age', 'Version'],
    ['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'],
  ],
  '/api/v1/services': [['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age'], ['Selector']],
  '/api/v1/namespaces': [['Name', 'Status', 'Age'], []],
  '/api/v1/secrets': [['Name', 'Type', 'Data', 'Age'], []],
  '/api/v1/events': [
    ['Last Seen', 'Type', 'Reason', 'Object', 'Message'],
    ['Subobject', 'Source', 'First Seen', 'Count', 'Name'],
  ],
  '/api/v1/persistentvolumeclaims': [
    ['Name', 'Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass', 'Age'],
    ['VolumeMode'],
  ],
  '/apis/apps/v1/deployments': [
    ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
    ['Containers', 'Images', 'Selector'],
  ],
  '/apis/apps/v1/replicasets': [
    ['Name', 'Desired', 'Current', 'Ready', 'Age'],
    ['Containers', 'Images', 'Selector'],
  ],
  '/apis/apps/v1/statefulsets': [
    ['Name', 'Ready', 'Age'],
    ['Containers', 'Images'],
  ],
  '/apis/apps/v1/daemonsets': [
    ['Name', 'Desired', 'Current', 'Ready', 'Up-to-date', 'Available', 'Node Selector', 'Age'],
    ['Containers', 'Images', 'Selector'],
  ],
  '/apis/batch/v1/jobs': [
    ['Name', 'Status', 'Completions', 'Duration', 'Age'],
    ['Containers', 'Images', 'Selector'],
  ],
  '/apis/batch/v1/cronjobs': [
    ['Name', 'Schedule', 'Timezone', 'Suspend', 'Active', 'Last Schedule', 'Age'],
    ['Containers', 'Images', 'Selector'],
  ],
  '/apis/autoscaling/v2/horizontalpodautoscalers': [['Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'], []],
  '/apis/policy/v1/poddisruptionbudgets': [['Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions', 'Age'], []],
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': [['Name', 'Created At'], []],
};

export const REPRESENTATION_CASES = area('representations', {
  ...Object.fromEntries(
    Object.entries(COLUMNS).map(([path, [usual, wide]]) => [
      `the columns of ${path}`,
      async ({ client }: CaseContext) => {
        const { body } = await client.get(path, { limit: 1 }, TABLE);
        expect([columnNames(body, 0), columnNames(body, 1)]).toEqual([usual, wide]);
      },
    ]),
  ),
  'a list as a table has a row per object, and the list’s resourceVersion': async (given) => {
    const collection = await configMap(given);
    const { body, headers } = await given.client.get(collection, { labelSelector: `case=${given.id}` }, TABLE);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(body.rows).toHaveLength(1);
    expect(body.rows[0].cells.slice(0, 2)).toEqual(['settings', 2]);
  },
  'a column has its type, format, description and priority': async (given) => {
    const { body } = await given.client.get(await configMap(given), {}, TABLE);
    expect(body.columnDefinitions[0]).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 });
    expect(body.columnDefinitions[0].description).not.toBe('');
    expect(body.columnDefinitions[1]).toMatchObject({ name: 'Data', type: 'string', format: '', priority: 0 });
  },
  'a row has the object’s metadata': async (given) => {
    const { body } = await given.client.get(await configMap(given), { labelSelector: `case=${given.id}` }, TABLE);
    expect(body.rows[0].object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'settings' },
    });
    expect(body.rows[0].object.data).toBeUndefined();
  },
  'includeObject=Object: a row has the whole object': async (given) => {
    const query = { labelSelector: `case=${given.id}`, includeObject: 'Object' };
    const { body } = await given.client.get(await configMap(given), query, TABLE);
    expect(body.rows[0].object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1', b: '2' } });
  },
  'includeObject=None: a row has no object': async (given) => {
    const query = { labelSelector: `case=${given.id}`, includeObject: 'None' };
    const { body } = await given.client.get(await configMap(given), query, TABLE);
    expect(body.rows[0].object ?? null).toBeNull();
  },
  'a single object as a table': async (given) => {
    const { body } = await given.client.get(`${await deployments(given)}/web`, {}, TABLE);
    expect(body.rows[0].cells.slice(0, 4)).toEqual(['web', '0/0', 0, 0]);
    expect(body.rows[0].cells.slice(5)).toEqual(['main', 'example.com/web:1', 'app=web']);
  },
  'a page of a table has the continue token': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    for (const name of ['a', 'b', 'c']) await given.create(collection, { metadata: { name } });
    const { body } = await given.client.get(collection, { limit: 1 }, TABLE);
    expect([body.rows.length, body.metadata.remainingItemCount]).toEqual([1, 2]);
    const next = await given.client.get(collection, { limit: 1, continue: body.metadata.continue }, TABLE);
    expect(next.body.rows[0].cells[0]).toBe('b');
  },
  'an empty list as a table has columns and no rows': async (given) => {
    const { body } = await given.client.get(`/api/v1/namespaces/${await given.namespace()}/secrets`, {}, TABLE);
    expect([body.rows, columnNames(body, 0)]).toEqual([[], ['Name', 'Type', 'Data', 'Age']]);
  },
  'a created object is returned as a table on request': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    const answer = await given.client.post(collection, { metadata: { name: 'a' }, stringData: { x: 'y' } }, TABLE);
    expect([answer.status, answer.body.kind, answer.body.rows[0].cells.slice(0, 3)]).toEqual([201, 'Table', ['a', 'Opaque', 1]]);
  },
  'a watch as tables: columns with the first event only': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    const watch = await given.client.watch(collection, {}, TABLE);
    await given.create(collection, { metadata: { name: 'a' } });
    await given.create(collection, { metadata: { name: 'b' } });
    const [first, second] = await watch.take(2);
    expect(first?.object).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect([first?.type, columnNames(first?.object, 0), first?.object.rows[0].cells[0]]).toEqual([
      'ADDED',
      ['Name', 'Type', 'Data', 'Age'],
      'a',
    ]);
    expect([second?.object.columnDefinitions ?? [], second?.object.rows[0].cells[0]]).toEqual([[], 'b']);
  },
  'PartialObjectMetadata of one object': async (given) => {
    const { body } = await given.client.get(`${await configMap(given)}/settings`, {}, PARTIAL);
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'settings', labels: { case: given.id } },
    });
    expect(Object.keys(body).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
  },
  'PartialObjectMetadata of a list': async (given) => {
    const { body } = await given.client.get(await configMap(given), { labelSelector: `case=${given.id}` }, PARTIAL_LIST);
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(body.items.map((item: Json) => [item.metadata.name, item.data])).toEqual([['settings', undefined]]);
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
  },
  'a list of PartialObjectMetadata can be paged': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    for (const name of ['a', 'b']) await given.create(collection, { metadata: { name } });
    const { body } = await given.client.get(collection, { limit: 1 }, PARTIAL_LIST);
    expect([body.items.length, body.metadata.remainingItemCount, body.metadata.continue !== '']).toEqual([1, 1, true]);
  },
  'a watch of PartialObjectMetadata': async (given) => {
    const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
    const watch = await given.client.watch(collection, {}, PARTIAL);
    await given.create(collection, { metadata: { name: 'a' }, stringData: { x: 'y' } });
    const { type, object } = await watch.next();
    expect([type, object.kind, object.apiVersion, object.metadata.name, object.data]).toEqual([
      'ADDED',
      'PartialObjectMetadata',
      'meta.k8s.io/v1',
      'a',
      undefined,
    ]);
  },
  'PartialObjectMetadata of custom resources': async (given) => {
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a', { spec: { level: 1 } }));
    const { body } = await given.client.get(kind.collection, {}, PARTIAL_LIST);
    expect(body.items.map((item: Json) => [item.metadata.name, item.spec])).toEqual([['a', undefined]]);
  },
  'the first supported media type is used': async (given) => {
    const collection = await configMap(given);
    const both = `application/json;as=Table;v=v1;g=meta.k8s.io,application/json`;
    expect((await given.client.get(collection, {}, { headers: { accept: both } })).body.kind).toBe('Table');
    const unknown = `application/unknown-cbor,application/json`;
    expect((await given.client.get(collection, {}, { headers: { accept: unknown } })).body.kind).toBe('ConfigMapList');
  },
  'a table of a version that does not exist is 406': async (given) => {
    const answer = await given.client.get(
      await configMap(given),
      {},
      { headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' } },
    );
    expectRefusal(answer, 406, 'NotAcceptable', 'only the following media types are accepted');
  },
  'a media type that does not exist is 406': async (given) => {
    const answer = await given.client.get(await configMap(given), {}, { headers: { accept: 'image/png' } });
    expectRefusal(answer, 406, 'NotAcceptable');
  },
  '*/* is JSON': async (given) => {
    const answer = await given.client.get(await configMap(given), {}, { headers: { accept: '*/*' } });
    expect([answer.status, answer.body.kind]).toEqual([200, 'ConfigMapList']);
  },
  'printer columns of a custom resource': async (given) => {
    const additionalPrinterColumns = [
      { name: 'Level', type: 'integer', jsonPath: '.spec.level' },
      { name: 'Wide', type: 'string', jsonPath: '.spec.note', priority: 1, description: 'for -o wide' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    const kind = await defineGauge(given, { version: { additionalPrinterColumns } });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await given.create(kind.collection, aGauge(kind, 'a', { spec: { level: 7, note: 'seven' }, status: { conditions } }));
    const { body } = await given.client.get(kind.collection, {}, TABLE);
    expect(body.columnDefinitions.map((column: Json) => [column.name, column.type, column.priority])).toEqual([
      ['Name', 'string', 0],
      ['Level', 'integer', 0],
      ['Wide', 'string', 1],
      ['Ready', 'string', 0],
      ['Age', 'date', 0],
    ]);
    expect(body.rows[0].cells.slice(0, 4)).toEqual(['a', 7, 'seven', 'True']);
    expect(body.rows[0].cells[4]).toMatch(/^\d+[smh]/);
  },
  'a printer column without a value is null': async (given) => {
    const additionalPrinterColumns = [{ name: 'Level', type: 'integer', jsonPath: '.spec.level' }];
    const kind = await defineGauge(given, { version: { additionalPrinterColumns } });
    await given.create(kind.collection, aGauge(kind, 'a', { spec: {} }));
    const { body } = await given.client.get(kind.collection, {}, TABLE);
    expect(body.rows[0].cells).toEqual(['a', null]);
  },
  'a custom resource without printer columns prints name and age': async (given) => {
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a'));
    const { body } = await given.client.get(kind.collection, {}, TABLE);
    expect(columnNames(body, 0)).toEqual(['Name', 'Age']);
  },
  'an error is a Status, whatever representation was requested': async (given) => {
    const answer = await given.client.get(`/api/v1/namespaces/${await given.namespace()}/secrets/missing`, {}, TABLE);
    expectRefusal(answer, 404, 'NotFound', 'secrets "missing" not found');
  },
  'responses must not be cached': async (given) => {
    const answer = await given.client.get(await configMap(given));
    succeeded(answer, 'list');
    expect(answer.headers['cache-control']).toBe('no-cache, private');
  },
});
