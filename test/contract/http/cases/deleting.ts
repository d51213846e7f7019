// DELETE: preconditions, finalizers, grace periods, collections.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods, type Cause } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aPod, aService } from '../objects.ts';

const HELD = { finalizers: ['example.com/hold'] };
const OTHER_UID = '00000000-0000-4000-8000-000000000000';

const PLAIN = inNamespace({
  'a delete returns a Status with kind and uid': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('gone'));
    const { status, body } = await api.remove('configmaps', 'gone');
    expect([status, body]).toEqual([
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: metadata.uid },
      },
    ]);
  },

  'a delete in a named group names the group': async (api) => {
    const { metadata } = await api.made('deployments.apps', aDeployment('gone'));
    const { body } = await api.remove('deployments.apps', 'gone', { propagationPolicy: 'Background' });
    expect(body.details).toEqual({ name: 'gone', group: 'apps', kind: 'deployments', uid: metadata.uid });
  },

  'a delete of a service returns the service': async (api) => {
    await api.made('services', aService('gone'));
    const { status, body } = await api.remove('services', 'gone');
    expect([status, body.kind, body.metadata.name]).toEqual([200, 'Service', 'gone']);
  },

  'a delete of a missing object gets 404': async (api) => {
    const answer = await api.remove('configmaps', 'absent');
    expectStatus(answer, 404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' });
  },

  'a uid precondition that fails prevents the delete': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const answer = await api.remove('configmaps', 'guarded', { preconditions: { uid: OTHER_UID } });
    const message = `Operation cannot be fulfilled on ConfigMap "guarded": the UID in the precondition (${OTHER_UID}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    expectStatus(answer, 409, 'Conflict', message, { name: 'guarded', kind: 'ConfigMap' });
    expect((await api.read('configmaps', 'guarded')).status).toBe(200);
  },

  'a resourceVersion precondition that fails prevents the delete': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const answer = await api.remove('configmaps', 'guarded', { preconditions: { resourceVersion: '1' } });
    const message = `Operation cannot be fulfilled on ConfigMap "guarded": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    expectStatus(answer, 409, 'Conflict', message, { name: 'guarded', kind: 'ConfigMap' });
  },

  'a delete with matching preconditions succeeds': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const { uid, resourceVersion } = metadata;
    const { status } = await api.remove('configmaps', 'guarded', { preconditions: { uid, resourceVersion } });
    expect(status).toBe(200);
  },

  'a finalizer keeps the object, which is returned with its deletionTimestamp': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    const { status, body } = await api.remove('configmaps', 'held');
    expect([status, body.kind, body.metadata.deletionTimestamp, body.metadata.deletionGracePeriodSeconds]).toEqual([
      200,
      'ConfigMap',
      expect.stringMatching(/Z$/),
      0,
    ]);
    expect((await api.stored('configmaps', 'held')).metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp);
  },

  'a second delete of a terminating object keeps the deletionTimestamp and the resourceVersion': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    const first = await api.remove('configmaps', 'held');
    const second = await api.remove('configmaps', 'held');
    const of = ({ metadata }: { metadata: Record<string, unknown> }) => [metadata['deletionTimestamp'], metadata['resourceVersion']];
    expect([second.status, of(second.body)]).toEqual([200, of(first.body)]);
  },

  'a terminating object can still be changed': async (api) => {
    await api.made('configmaps', aConfigMap('held', { a: '1' }, HELD));
    await api.remove('configmaps', 'held');
    expect((await api.patched('merge', 'configmaps', 'held', { data: { a: '2' } })).data).toEqual({ a: '2' });
  },

  'the object is removed with its last finalizer': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    await api.remove('configmaps', 'held');
    await api.patched('merge', 'configmaps', 'held', { metadata: { finalizers: ['example.com/b'] } });
    expect((await api.read('configmaps', 'held')).status).toBe(200);
    const last = await api.patch('merge', 'configmaps', 'held', { metadata: { finalizers: null } });
    expect([last.status, last.body.metadata.name]).toEqual([200, 'held']);
    expect((await api.read('configmaps', 'held')).status).toBe(404);
  },

  'no finalizer can be added to a terminating object': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    await api.remove('configmaps', 'held');
    const answer = await api.patch('merge', 'configmaps', 'held', { metadata: { finalizers: [...HELD.finalizers, 'example.com/late'] } });
    const cause: Cause = [
      'FieldValueForbidden',
      'metadata.finalizers',
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
    ];
    expectInvalid(answer, 'ConfigMap', 'held', [cause]);
  },

  'a deletionTimestamp cannot be removed': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    const { body } = await api.remove('configmaps', 'held');
    const after = await api.patched('merge', 'configmaps', 'held', { metadata: { deletionTimestamp: null } });
    expect(after.metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp);
  },

  'the start of a deletion increments the generation': async (api) => {
    await api.made('deployments.apps', { ...aDeployment('held'), metadata: { name: 'held', ...HELD } });
    const { body } = await api.remove('deployments.apps', 'held', { propagationPolicy: 'Background' });
    expect(body.metadata.generation).toBe(2);
  },

  'an invalid propagationPolicy gets 422': async (api) => {
    await api.made('configmaps', aConfigMap('kept'));
    const answer = await api.remove('configmaps', 'kept', { propagationPolicy: 'Sideways' });
    expectInvalid(answer, 'DeleteOptions.meta.k8s.io', '', [
      [
        'FieldValueNotSupported',
        'propagationPolicy',
        'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
    ]);
  },

  'orphanDependents and propagationPolicy exclude each other': async (api) => {
    await api.made('configmaps', aConfigMap('kept'));
    const answer = await api.remove('configmaps', 'kept', { orphanDependents: true, propagationPolicy: 'Orphan' });
    expectInvalid(answer, 'DeleteOptions.meta.k8s.io', '', [
      ['FieldValueInvalid', 'propagationPolicy', 'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set'],
    ]);
  },

  'options may be in the query': async (api) => {
    await api.made('configmaps', aConfigMap('queried'));
    const { status, body } = await api.remove('configmaps', 'queried', undefined, { propagationPolicy: 'Foreground' });
    // Without dependents it is removed at once, or after the garbage collector's next check.
    expect([status, body.kind === 'Status' || body.metadata.finalizers]).toEqual([200, ['foregroundDeletion']]);
  },

  'a body of another kind gets 400': async (api) => {
    await api.made('configmaps', aConfigMap('kept'));
    const answer = await api.remove('configmaps', 'kept', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'kept' } });
    expectStatus(answer, 400, 'BadRequest', /^no kind "ConfigMap" is registered for version "v1" in scheme /);
  },

  'deletecollection deletes what its label selector matches': async (api) => {
    for (const [name, tier] of [
      ['a', 'front'],
      ['b', 'front'],
      ['c', 'back'],
    ] as const) {
      await api.made('configmaps', aConfigMap(name, {}, { labels: { tier } }));
    }
    const { status, body } = await api.client.delete(api.path('configmaps'), { query: { labelSelector: 'tier=front' } });
    expect([status, body.kind, body.items.map((item: { metadata: { name: string } }) => item.metadata.name)]).toEqual([
      200,
      'ConfigMapList',
      ['a', 'b'],
    ]);
    const remaining = await api.client.get(api.path('configmaps'), { labelSelector: 'tier' });
    expect(remaining.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c']);
  },

  'deletecollection deletes what its field selector matches': async (api) => {
    for (const name of ['a', 'b']) await api.made('configmaps', aConfigMap(name));
    await api.client.delete(api.path('configmaps'), { query: { fieldSelector: 'metadata.name=a' } });
    expect([(await api.read('configmaps', 'a')).status, (await api.read('configmaps', 'b')).status]).toEqual([404, 200]);
  },

  'deletecollection keeps objects with finalizers': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, { ...HELD, labels: { a: 'b' } }));
    await api.made('configmaps', aConfigMap('free', {}, { labels: { a: 'b' } }));
    await api.client.delete(api.path('configmaps'), { query: { labelSelector: 'a=b' } });
    expect((await api.stored('configmaps', 'held')).metadata.deletionTimestamp).toBeDefined();
    expect((await api.read('configmaps', 'free')).status).toBe(404);
  },
});

const OF_PODS = inNamespaceForPods({
  'an unscheduled pod is removed at once, and returned': async (api) => {
    await api.made('pods', aPod('unplaced'));
    const { status, body } = await api.remove('pods', 'unplaced');
    expect([status, body.kind, body.metadata.deletionGracePeriodSeconds]).toEqual([200, 'Pod', 0]);
    expect((await api.read('pods', 'unplaced')).status).toBe(404);
  },

  'a pod on a node gets the grace period of its spec': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node', terminationGracePeriodSeconds: 600 }));
    const { body } = await api.remove('pods', 'placed');
    const { deletionTimestamp, deletionGracePeriodSeconds } = body.metadata;
    expect([deletionGracePeriodSeconds, deletionTimestamp]).toEqual([600, expect.stringMatching(/Z$/)]);
    await api.remove('pods', 'placed', { gracePeriodSeconds: 0 });
  },

  'a grace period can be requested, and a second delete can only shorten it': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node' }));
    const graceAfter = async (gracePeriodSeconds: number): Promise<unknown> =>
      (await api.remove('pods', 'placed', { gracePeriodSeconds })).body.metadata.deletionGracePeriodSeconds;
    expect([await graceAfter(300), await graceAfter(400), await graceAfter(200)]).toEqual([300, 300, 200]);
    await api.remove('pods', 'placed', { gracePeriodSeconds: 0 });
  },

  'a grace period of 0 removes the pod at once': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node' }));
    await api.remove('pods', 'placed', undefined, { gracePeriodSeconds: 0 });
    expect((await api.read('pods', 'placed')).status).toBe(404);
  },
});

export const DELETE_CASES = area('deleting', { ...PLAIN, ...OF_PODS });
