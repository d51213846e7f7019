// Dependents that the garbage collector deletes with their owner, and those it keeps.

import { expect } from '@jest/globals';
import { area, type CaseContext } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { inNamespace, inNamespaceForPods, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDeployment, anOwner, aReplicaSet } from '../objects.ts';

const MAPS = 'configmaps';

const OWNER_DELETED = 'the garbage collector deletes a dependent with its last owner';
const OWNER_ABSENT = 'the garbage collector deletes a dependent without an existing owner';
const ORPHANED = 'the garbage collector has removed its dependents’ references to it';

/** Creates an owner and a dependent of it. */
async function family(api: NamespaceClient, reference: Json = {}, dependent: Json = {}): Promise<Json> {
  const owner = await api.made(MAPS, aConfigMap('owner'));
  await api.made(MAPS, aConfigMap('dependent', {}, { ownerReferences: [anOwner(owner, reference)], ...dependent }));
  return owner;
}

function gone(api: NamespaceClient, given: CaseContext, name: string, reason: string, resource = MAPS): Promise<unknown> {
  return given.eventually(`${resource} ${name} is gone: ${reason}`, async () => (await api.read(resource, name)).status === 404);
}

const PLAIN = inNamespace({
  'a dependent is deleted after its owner': async (api, given) => {
    await family(api);
    await api.remove(MAPS, 'owner');
    await gone(api, given, 'dependent', OWNER_DELETED);
  },

  'a lease is deleted after its owner too': async (api, given) => {
    const owner = await api.made(MAPS, aConfigMap('owner'));
    const lease = { metadata: { name: 'held', ownerReferences: [anOwner(owner)] }, spec: { holderIdentity: 'ann' } };
    await api.made('leases.coordination.k8s.io', lease);
    await api.remove(MAPS, 'owner');
    await gone(api, given, 'held', OWNER_DELETED, 'leases.coordination.k8s.io');
  },

  'background deletion deletes the owner first': async (api, given) => {
    await family(api, {}, { finalizers: ['example.com/hold'] });
    await api.remove(MAPS, 'owner', { propagationPolicy: 'Background' });
    expect((await api.read(MAPS, 'owner')).status).toBe(404);
    await given.eventually('the dependent is being deleted: its owner is', async () => {
      return (await api.stored(MAPS, 'dependent')).metadata.deletionTimestamp !== undefined;
    });
    await api.patched('merge', MAPS, 'dependent', { metadata: { finalizers: null } });
  },

  'foreground deletion keeps the owner with a finalizer': async (api, given) => {
    await family(api, { blockOwnerDeletion: true }, { finalizers: ['example.com/hold'] });
    const { status, body } = await api.remove(MAPS, 'owner', { propagationPolicy: 'Foreground' });
    expect([status, body.metadata.finalizers, body.metadata.deletionTimestamp]).toEqual([200, ['foregroundDeletion'], expect.any(String)]);
    await given.eventually('the dependent is being deleted: its owner is', async () => {
      return (await api.stored(MAPS, 'dependent')).metadata.deletionTimestamp !== undefined;
    });
    expect((await api.read(MAPS, 'owner')).status).toBe(200);
    await api.patched('merge', MAPS, 'dependent', { metadata: { finalizers: null } });
    await gone(api, given, 'owner', 'the dependent that blocked it is gone');
  },

  'foreground deletion does not wait for a dependent without blockOwnerDeletion': async (api, given) => {
    await family(api, { blockOwnerDeletion: false }, { finalizers: ['example.com/hold'] });
    await api.remove(MAPS, 'owner', { propagationPolicy: 'Foreground' });
    await gone(api, given, 'owner', 'no dependent blocks its deletion');
    await api.patched('merge', MAPS, 'dependent', { metadata: { finalizers: null } });
  },

  'orphaned dependents remain, without their owner reference': async (api, given) => {
    await family(api);
    await api.remove(MAPS, 'owner', { propagationPolicy: 'Orphan' });
    await gone(api, given, 'owner', ORPHANED);
    const { metadata } = await api.stored(MAPS, 'dependent');
    expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  },

  'orphanDependents means the same': async (api, given) => {
    await family(api);
    await api.remove(MAPS, 'owner', { orphanDependents: true });
    await gone(api, given, 'owner', ORPHANED);
    expect((await api.stored(MAPS, 'dependent')).metadata.ownerReferences).toBeUndefined();
  },

  'a dependent of two owners remains with the other owner': async (api, given) => {
    const [a, b] = [await api.made(MAPS, aConfigMap('a')), await api.made(MAPS, aConfigMap('b'))];
    await api.made(MAPS, aConfigMap('dependent', {}, { ownerReferences: [anOwner(a), anOwner(b)] }));
    await api.remove(MAPS, 'a');
    const remaining = await given.eventually('the dependent has one owner: the reference to the deleted one is removed', async () => {
      const { metadata } = await api.stored(MAPS, 'dependent');
      return metadata.ownerReferences?.length === 1 ? (metadata.ownerReferences as Json[]) : undefined;
    });
    expect(remaining[0]?.name).toBe('b');
  },

  'a dependent of an owner that never existed is deleted': async (api, given) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '00000000-0000-4000-8000-000000000000' };
    await api.made(MAPS, aConfigMap('dependent', {}, { ownerReferences: [owner] }));
    await gone(api, given, 'dependent', OWNER_ABSENT);
  },

  'an owner of the same name with another uid does not count': async (api, given) => {
    const owner = await api.made(MAPS, aConfigMap('owner'));
    const uid = '00000000-0000-4000-8000-000000000000';
    await api.made(MAPS, aConfigMap('dependent', {}, { ownerReferences: [{ ...anOwner(owner), uid }] }));
    await gone(api, given, 'dependent', OWNER_ABSENT);
    expect((await api.read(MAPS, 'owner')).status).toBe(200);
  },

  'grandchildren go, too': async (api, given) => {
    const owner = await api.made(MAPS, aConfigMap('owner'));
    const child = await api.made(MAPS, aConfigMap('child', {}, { ownerReferences: [anOwner(owner)] }));
    await api.made(MAPS, aConfigMap('grandchild', {}, { ownerReferences: [anOwner(child)] }));
    await api.remove(MAPS, 'owner');
    await gone(api, given, 'grandchild', 'the garbage collector deletes its owner, and then it');
  },

  'a namespace is Terminating as long as an object in it has a finalizer, and refuses new objects': async (api, given) => {
    await api.made(MAPS, aConfigMap('held', {}, { finalizers: ['example.com/hold'] }));
    const { body } = await api.client.delete(`/api/v1/namespaces/${api.namespace}`);
    expect([body.status.phase, body.metadata.deletionTimestamp]).toEqual(['Terminating', expect.any(String)]);
    const answer = await api.create(MAPS, aConfigMap('late'));
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${api.namespace} because it is being terminated`,
        reason: 'Forbidden',
        details: {
          name: 'late',
          kind: 'configmaps',
          causes: [
            { reason: 'NamespaceTerminating', message: `namespace ${api.namespace} is being terminated`, field: 'metadata.namespace' },
          ],
        },
        code: 403,
      },
    ]);
    await api.patched('merge', MAPS, 'held', { metadata: { finalizers: null } });
    await given.eventually(
      'the namespace is gone: nothing with a finalizer is left in it',
      async () => (await api.client.get(`/api/v1/namespaces/${api.namespace}`)).status === 404,
    );
  },
});

const OF_PODS = inNamespaceForPods({
  'a deployment is deleted with its replica sets and pods': async (api, given) => {
    await api.made('deployments.apps', aDeployment('web', { replicas: 1 }));
    const pods = (): Promise<Json[]> => api.client.get(api.path('pods'), { labelSelector: 'app=web' }).then(({ body }) => body.items);
    await given.eventually('the workload has its pod: its controller creates it', async () => (await pods()).length === 1);
    await api.remove('deployments.apps', 'web', { propagationPolicy: 'Background' });
    await given.eventually(
      'the pod is gone: the garbage collector deletes its ReplicaSet, and then it',
      async () => (await pods()).length === 0,
    );
  },

  'pods that their replica set orphans remain': async (api, given) => {
    await api.made('replicasets.apps', aReplicaSet('web', { replicas: 1 }));
    const pods = (): Promise<Json[]> => api.client.get(api.path('pods'), { labelSelector: 'app=web' }).then(({ body }) => body.items);
    await given.eventually('the workload has its pod: its controller creates it', async () => (await pods()).length === 1);
    await api.remove('replicasets.apps', 'web', { propagationPolicy: 'Orphan' });
    await gone(api, given, 'web', ORPHANED, 'replicasets.apps');
    const [pod] = await pods();
    expect([pod?.metadata.ownerReferences, pod?.metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  },

  'objects of a controller have a blocking controller reference': async (api, given) => {
    const set = await api.made('replicasets.apps', aReplicaSet('web', { replicas: 1 }));
    const pod = await given.eventually('the workload has its pod: its controller creates it', async () => {
      const { body } = await api.client.get(api.path('pods'), { labelSelector: 'app=web' });
      return (body.items as Json[])[0];
    });
    expect(pod.metadata.ownerReferences).toEqual([anOwner(set, { controller: true, blockOwnerDeletion: true })]);
    expect(pod.metadata.generateName).toBe('web-');
  },
});

export const GARBAGE_CASES = area('garbage collection', { ...PLAIN, ...OF_PODS });
