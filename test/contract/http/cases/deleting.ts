// DELETE: preconditions, finalizers, grace, whole collections.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods, type Cause } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aPod, aService } from '../objects.ts';

const HELD = { finalizers: ['example.com/hold'] };
const OTHER_UID = '00000000-0000-4000-8000-000000000000';

const PLAIN = inNamespace({
  'a delete answers a Status with kind and uid': async (api) => {
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

  'a service is answered as it was': async (api) => {
    await api.made('services', aService('gone'));
    const { status, body } = await api.remove('services', 'gone');
    expect([status, body.kind, body.metadata.name]).toEqual([200, 'Service', 'gone']);
  },

  'a delete of what is not there answers 404': async (api) => {
    const answer = await api.remove('configmaps', 'absent');
    expectStatus(answer, 404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' });
  },

  'a uid that does not hold stops the delete': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const answer = await api.remove('configmaps', 'guarded', { preconditions: { uid: OTHER_UID } });
    const words = `Operation cannot be fulfilled on ConfigMap "guarded": the UID in the precondition (${OTHER_UID}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    expectStatus(answer, 409, 'Conflict', words, { name: 'guarded', kind: 'ConfigMap' });
    expect((await api.read('configmaps', 'guarded')).status).toBe(200);
  },

  'a resourceVersion that does not hold stops the delete': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const answer = await api.remove('configmaps', 'guarded', { preconditions: { resourceVersion: '1' } });
    const words = `Operation cannot be fulfilled on ConfigMap "guarded": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    expectStatus(answer, 409, 'Conflict', words, { name: 'guarded', kind: 'ConfigMap' });
  },

  'preconditions that hold let it go': async (api) => {
    const { metadata } = await api.made('configmaps', aConfigMap('guarded'));
    const { uid, resourceVersion } = metadata;
    const { status } = await api.remove('configmaps', 'guarded', { preconditions: { uid, resourceVersion } });
    expect(status).toBe(200);
  },

  'a finalizer holds the object, which is answered with its deletionTimestamp': async (api) => {
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

  'a second delete of what is held keeps the deletionTimestamp and the resourceVersion': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    const first = await api.remove('configmaps', 'held');
    const second = await api.remove('configmaps', 'held');
    const of = ({ metadata }: { metadata: Record<string, unknown> }) => [metadata['deletionTimestamp'], metadata['resourceVersion']];
    expect([second.status, of(second.body)]).toEqual([200, of(first.body)]);
  },

  'what is held can still be changed': async (api) => {
    await api.made('configmaps', aConfigMap('held', { a: '1' }, HELD));
    await api.remove('configmaps', 'held');
    expect((await api.patched('merge', 'configmaps', 'held', { data: { a: '2' } })).data).toEqual({ a: '2' });
  },

  'the object goes when its last finalizer is taken away': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    await api.remove('configmaps', 'held');
    await api.patched('merge', 'configmaps', 'held', { metadata: { finalizers: ['example.com/b'] } });
    expect((await api.read('configmaps', 'held')).status).toBe(200);
    const last = await api.patch('merge', 'configmaps', 'held', { metadata: { finalizers: null } });
    expect([last.status, last.body.metadata.name]).toEqual([200, 'held']);
    expect((await api.read('configmaps', 'held')).status).toBe(404);
  },

  'no finalizer is added once the object is being deleted': async (api) => {
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

  'a deletionTimestamp cannot be taken back': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, HELD));
    const { body } = await api.remove('configmaps', 'held');
    const after = await api.patched('merge', 'configmaps', 'held', { metadata: { deletionTimestamp: null } });
    expect(after.metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp);
  },

  'the generation counts the beginning of a deletion': async (api) => {
    await api.made('deployments.apps', { ...aDeployment('held'), metadata: { name: 'held', ...HELD } });
    const { body } = await api.remove('deployments.apps', 'held', { propagationPolicy: 'Background' });
    expect(body.metadata.generation).toBe(2);
  },

  'a propagationPolicy that is none answers 422': async (api) => {
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

  'options can stand in the query': async (api) => {
    await api.made('configmaps', aConfigMap('queried'));
    const { status, body } = await api.remove('configmaps', 'queried', undefined, { propagationPolicy: 'Foreground' });
    // Without dependents it goes at once, or as soon as the garbage collector has looked.
    expect([status, body.kind === 'Status' || body.metadata.finalizers]).toEqual([200, ['foregroundDeletion']]);
  },

  'a body of another kind answers 400': async (api) => {
    await api.made('configmaps', aConfigMap('kept'));
    const answer = await api.remove('configmaps', 'kept', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'kept' } });
    expectStatus(answer, 400, 'BadRequest', /^no kind "ConfigMap" is registered for version "v1" in scheme /);
  },

  'a collection goes as far as its label selector reaches': async (api) => {
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
    const left = await api.client.get(api.path('configmaps'), { labelSelector: 'tier' });
    expect(left.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c']);
  },

  'a collection goes as far as its field selector reaches': async (api) => {
    for (const name of ['a', 'b']) await api.made('configmaps', aConfigMap(name));
    await api.client.delete(api.path('configmaps'), { query: { fieldSelector: 'metadata.name=a' } });
    expect([(await api.read('configmaps', 'a')).status, (await api.read('configmaps', 'b')).status]).toEqual([404, 200]);
  },

  'a collection keeps what finalizers hold': async (api) => {
    await api.made('configmaps', aConfigMap('held', {}, { ...HELD, labels: { a: 'b' } }));
    await api.made('configmaps', aConfigMap('free', {}, { labels: { a: 'b' } }));
    await api.client.delete(api.path('configmaps'), { query: { labelSelector: 'a=b' } });
    expect((await api.stored('configmaps', 'held')).metadata.deletionTimestamp).toBeDefined();
    expect((await api.read('configmaps', 'free')).status).toBe(404);
  },
});

const OF_PODS = inNamespaceForPods({
  'a pod that runs nowhere goes at once, and is answered as it was': async (api) => {
    await api.made('pods', aPod('unplaced'));
    const { status, body } = await api.remove('pods', 'unplaced');
    expect([status, body.kind, body.metadata.deletionGracePeriodSeconds]).toEqual([200, 'Pod', 0]);
    expect((await api.read('pods', 'unplaced')).status).toBe(404);
  },

  'a pod on a node gets the grace of its spec': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node', terminationGracePeriodSeconds: 600 }));
    const { body } = await api.remove('pods', 'placed');
    const { deletionTimestamp, deletionGracePeriodSeconds } = body.metadata;
    expect([deletionGracePeriodSeconds, deletionTimestamp]).toEqual([600, expect.stringMatching(/Z$/)]);
    await api.remove('pods', 'placed', { gracePeriodSeconds: 0 });
  },

  'a grace can be asked for, and a second delete may only shorten it': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node' }));
    const graceAfter = async (gracePeriodSeconds: number): Promise<unknown> =>
      (await api.remove('pods', 'placed', { gracePeriodSeconds })).body.metadata.deletionGracePeriodSeconds;
    expect([await graceAfter(300), await graceAfter(400), await graceAfter(200)]).toEqual([300, 300, 200]);
    await api.remove('pods', 'placed', { gracePeriodSeconds: 0 });
  },

  'a grace of 0 removes the pod at once': async (api) => {
    await api.made('pods', aPod('placed', { nodeName: 'no-such-node' }));
    await api.remove('pods', 'placed', undefined, { gracePeriodSeconds: 0 });
    expect((await api.read('pods', 'placed')).status).toBe(404);
  },
});

export const DELETE_CASES = area('deleting', { ...PLAIN, ...OF_PODS });
