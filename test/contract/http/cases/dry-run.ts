// dryRun=All: the response of the real request, without a stored change.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aPod, aPodWith, aService } from '../objects.ts';

const DRY = { dryRun: 'All' };

const PLAIN = inNamespace({
  'a create returns the object with its defaults, and stores nothing': async (api) => {
    const { status, body } = await api.create('deployments.apps', aDeployment('dry'), DRY);
    expect([status, body.spec.progressDeadlineSeconds, body.metadata.uid]).toEqual([201, 600, expect.any(String)]);
    expect(body.metadata.resourceVersion).toBeUndefined();
    expect((await api.read('deployments.apps', 'dry')).status).toBe(404);
  },

  'a create with an existing name is refused': async (api) => {
    await api.made('configmaps', aConfigMap('taken'));
    const answer = await api.create('configmaps', aConfigMap('taken'), DRY);
    expectStatus(answer, 409, 'AlreadyExists', 'configmaps "taken" already exists', { name: 'taken', kind: 'configmaps' });
  },

  'a create that is invalid is refused': async (api) => {
    const { status } = await api.create('configmaps', aConfigMap('Bad'), DRY);
    expect(status).toBe(422);
  },

  'an update returns the change, and stores nothing': async (api) => {
    const before = await api.made('configmaps', aConfigMap('dry', { a: '1' }));
    const { status, body } = await api.replace('configmaps', aConfigMap('dry', { a: '2' }), '', DRY);
    expect([status, body.data]).toEqual([200, { a: '2' }]);
    expect(await api.stored('configmaps', 'dry')).toEqual(before);
  },

  'a dry-run update of a stale version is refused': async (api) => {
    const first = await api.made('configmaps', aConfigMap('dry', { a: '1' }));
    await api.patched('merge', 'configmaps', 'dry', { data: { a: '2' } });
    expect((await api.replace('configmaps', first, '', DRY)).status).toBe(409);
  },

  'a patch returns the change, and stores nothing': async (api) => {
    await api.made('configmaps', aConfigMap('dry', { a: '1' }));
    const { body } = await api.patch('merge', 'configmaps', 'dry', { data: { b: '2' } }, '', DRY);
    expect(body.data).toEqual({ a: '1', b: '2' });
    expect((await api.stored('configmaps', 'dry')).data).toEqual({ a: '1' });
  },

  'an apply returns the object, and creates nothing': async (api) => {
    const { status, body } = await api.apply('configmaps', aConfigMap('dry', { a: '1' }), 'ann', DRY);
    expect([status, body.data, body.metadata.managedFields[0].manager]).toEqual([201, { a: '1' }, 'ann']);
    expect((await api.read('configmaps', 'dry')).status).toBe(404);
  },

  'an apply reports conflicts': async (api) => {
    await api.applied('configmaps', aConfigMap('dry', { a: '1' }), 'ann');
    expect((await api.apply('configmaps', aConfigMap('dry', { a: '2' }), 'bob', DRY)).status).toBe(409);
  },

  'a delete returns success, and deletes nothing': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('dry'));
    const { status, body } = await api.remove('configmaps', 'dry', { dryRun: ['All'] });
    expect([status, body.status, body.details]).toEqual([200, 'Success', { name: 'dry', kind: 'configmaps', uid: metadata.uid }]);
    expect((await api.read('configmaps', 'dry')).status).toBe(200);
  },

  'a delete accepts dryRun in its query': async (api) => {
    await api.made('configmaps', aConfigMap('dry'));
    await api.remove('configmaps', 'dry', undefined, DRY);
    expect((await api.read('configmaps', 'dry')).status).toBe(200);
  },

  'a delete with a body ignores dryRun in its query: the object is deleted': async (api) => {
    await api.made('configmaps', aConfigMap('dry'));
    await api.remove('configmaps', 'dry', { propagationPolicy: 'Background' }, DRY);
    expect((await api.read('configmaps', 'dry')).status).toBe(404);
  },

  'a delete of an object with a finalizer does not set its deletionTimestamp': async (api) => {
    await api.made('configmaps', aConfigMap('dry', {}, { finalizers: ['example.com/hold'] }));
    const { body } = await api.remove('configmaps', 'dry', undefined, DRY);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    expect((await api.stored('configmaps', 'dry')).metadata.deletionTimestamp).toBeUndefined();
  },

  'a collection stays': async (api) => {
    await api.made('configmaps', aConfigMap('dry', {}, { labels: { a: 'b' } }));
    const { status } = await api.client.delete(api.path('configmaps'), { query: { labelSelector: 'a=b', ...DRY } });
    expect([status, (await api.read('configmaps', 'dry')).status]).toEqual([200, 200]);
  },

  'a scale stays': async (api) => {
    await api.made('deployments.apps', aDeployment('dry'));
    const { status, body } = await api.patch('merge', 'deployments.apps', 'dry', { spec: { replicas: 5 } }, 'scale', DRY);
    expect([status, body.spec.replicas]).toEqual([200, 5]);
    expect((await api.stored('deployments.apps', 'dry')).spec.replicas).toBe(0);
  },

  'a status stays': async (api) => {
    await api.made('deployments.apps', aDeployment('dry', { paused: true }));
    const status = { observedGeneration: 77 };
    const { body } = await api.patch('merge', 'deployments.apps', 'dry', { status }, 'status', DRY);
    expect(body.status.observedGeneration).toBe(77);
    expect((await api.stored('deployments.apps', 'dry')).status.observedGeneration).not.toBe(77);
  },

  'a service gets an address that remains unallocated': async (api) => {
    const first = await api.create('services', aService('dry'), DRY);
    expect([first.status, first.body.spec.type]).toEqual([201, 'ClusterIP']);
    expect((await api.create('services', aService('dry'), DRY)).status).toBe(201);
  },

  'an invalid dryRun gets 422': async (api) => {
    const answer = await api.create('configmaps', aConfigMap('dry'), { dryRun: 'Some' });
    expectInvalid(answer, 'CreateOptions.meta.k8s.io', '', [
      ['FieldValueNotSupported', 'dryRun', 'Unsupported value: ["Some"]: supported values: "All"'],
    ]);
  },

  'generateName is completed in a dry run, too': async (api) => {
    const { body } = await api.create('configmaps', { metadata: { generateName: 'dry-' } }, DRY);
    expect(body.metadata.name).toMatch(/^dry-.{5}$/);
  },
});

const OF_PODS = inNamespaceForPods({
  'a binding is not stored': async (api) => {
    await api.made('pods', aPod('dry'));
    const { status } = await api.act(
      'pods',
      'dry',
      'binding',
      { metadata: { name: 'dry' }, target: { kind: 'Node', name: 'no-such-node' } },
      DRY,
    );
    expect([status, (await api.stored('pods', 'dry')).spec.nodeName]).toEqual([201, undefined]);
  },

  'an eviction keeps the pod': async (api) => {
    await api.made('pods', aPod('dry'));
    const { status } = await api.act(
      'pods',
      'dry',
      'eviction',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'dry' } },
      DRY,
    );
    expect([status, (await api.read('pods', 'dry')).status]).toEqual([201, 200]);
  },

  'a resize stays': async (api) => {
    await api.made('pods', aPodWith('dry', { requests: { cpu: '100m' } }));
    const containers = [{ name: 'main', resources: { requests: { cpu: '200m' } } }];
    const { status, body } = await api.patch('strategic', 'pods', 'dry', { spec: { containers } }, 'resize', DRY);
    expect([status, body.spec.containers[0].resources.requests.cpu]).toEqual([200, '200m']);
    expect((await api.stored('pods', 'dry')).spec.containers[0].resources.requests.cpu).toBe('100m');
  },
});

export const DRY_RUN_CASES = area('dry run', { ...PLAIN, ...OF_PODS });
