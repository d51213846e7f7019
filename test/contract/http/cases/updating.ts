// PUT: optimistic locking, fields that the server keeps, immutable fields.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, type Cause, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDaemonSet, aDeployment, aJob, aReplicaSet, aService, aStatefulSet, aTemplate } from '../objects.ts';

const STALE =
  'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again';

/** Whether the change incremented the generation. */
async function counts(api: NamespaceClient, resource: string, object: Json, change: Json): Promise<boolean> {
  const before = await api.made(resource, object);
  const after = await api.patched('merge', resource, object.metadata.name, change);
  return after.metadata.generation > before.metadata.generation;
}

function immutable(field: string, value: unknown): Cause {
  return ['FieldValueInvalid', field, `Invalid value: ${JSON.stringify(value)}: field is immutable`];
}

/** By rule: an object, and an immutable field of its spec. */
const IMMUTABLE: Readonly<Record<string, readonly [resource: string, kind: string, object: Json, spec: Json, causes: readonly Cause[]]>> = {
  'the selector of a deployment is immutable': [
    'deployments.apps',
    'Deployment.apps',
    aDeployment('fixed'),
    { selector: { matchLabels: { app: 'fixed', tier: 'a' } }, template: { metadata: { labels: { tier: 'a' } } } },
    [immutable('spec.selector', { matchLabels: { app: 'fixed', tier: 'a' } })],
  ],
  'the selector of a replica set is immutable': [
    'replicasets.apps',
    'ReplicaSet.apps',
    aReplicaSet('fixed'),
    { selector: { matchLabels: { app: 'fixed', tier: 'a' } }, template: { metadata: { labels: { tier: 'a' } } } },
    [immutable('spec.selector', { matchLabels: { app: 'fixed', tier: 'a' } })],
  ],
  'the selector of a daemon set is immutable': [
    'daemonsets.apps',
    'DaemonSet.apps',
    aDaemonSet('fixed'),
    { selector: { matchLabels: { app: 'fixed', tier: 'a' } }, template: { metadata: { labels: { tier: 'a' } } } },
    [immutable('spec.selector', { matchLabels: { app: 'fixed', tier: 'a' } })],
  ],
  'the service name of a stateful set is immutable': [
    'statefulsets.apps',
    'StatefulSet.apps',
    aStatefulSet('fixed'),
    { serviceName: 'other' },
    [
      [
        'FieldValueForbidden',
        'spec',
        "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    ],
  ],
  'the completions of a plain job are immutable': [
    'jobs.batch',
    'Job.batch',
    aJob('fixed', { completions: 2 }),
    { completions: 3 },
    [['FieldValueInvalid', 'spec.completions', 'Invalid value: 3: field is immutable']],
  ],
  'the completion mode of a job is immutable': [
    'jobs.batch',
    'Job.batch',
    aJob('fixed', { completions: 2 }),
    { completionMode: 'Indexed' },
    [immutable('spec.completionMode', 'Indexed')],
  ],
  'the address of a service is immutable': [
    'services',
    'Service',
    aService('fixed', { clusterIP: 'None' }),
    { clusterIP: '10.0.0.77', clusterIPs: ['10.0.0.77'] },
    [['FieldValueInvalid', 'spec.clusterIPs[0]', 'Invalid value: ["10.0.0.77"]: may not change once set']],
  ],
};

export const UPDATE_CASES = area(
  'updating',
  inNamespace({
    ...Object.fromEntries(
      Object.entries(IMMUTABLE).map(([rule, [resource, kind, object, spec, causes]]) => [
        rule,
        async (api: NamespaceClient) => {
          await api.made(resource, object);
          expectInvalid(await api.patch('merge', resource, 'fixed', { spec }), kind, 'fixed', causes);
        },
      ]),
    ),

    'an update without a resourceVersion replaces any version': async (api) => {
      await api.made('configmaps', aConfigMap('blind', { a: '1' }));
      const { status, body } = await api.replace('configmaps', aConfigMap('blind', { b: '2' }));
      expect([status, body.data]).toEqual([200, { b: '2' }]);
    },

    'an update of a stale resourceVersion gets 409': async (api) => {
      const first = await api.made('configmaps', aConfigMap('stale', { a: '1' }));
      await api.replace('configmaps', aConfigMap('stale', { a: '2' }));
      const answer = await api.replace('configmaps', { ...first, data: { a: '3' } });
      expectStatus(answer, 409, 'Conflict', STALE, { name: 'stale', kind: 'configmaps' });
    },

    'a resourceVersion that is not a number gets 500, and changes nothing': async (api) => {
      await api.made('configmaps', aConfigMap('stale', { a: '1' }));
      const answer = await api.replace('configmaps', aConfigMap('stale', { a: '2' }, { resourceVersion: 'abc' }));
      expectStatus(answer, 500, undefined, 'strconv.ParseUint: parsing "abc": invalid syntax');
      expect((await api.stored('configmaps', 'stale')).data).toEqual({ a: '1' });
    },

    'an update that changes nothing keeps the resourceVersion': async (api) => {
      const first = await api.made('configmaps', aConfigMap('same', { a: '1' }));
      const { body } = await api.replace('configmaps', first);
      expect(body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    },

    'an update with a change increases the resourceVersion': async (api) => {
      const first = await api.made('configmaps', aConfigMap('moving', { a: '1' }));
      const { body } = await api.replace('configmaps', { ...first, data: { a: '2' } });
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    },

    'an update of a missing object gets 404': async (api) => {
      const answer = await api.replace('configmaps', aConfigMap('absent'));
      expectStatus(answer, 404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' });
    },

    'a lease can be created by an update': async (api) => {
      const lease = { metadata: { name: 'put' }, spec: { holderIdentity: 'a' } };
      const answer = await api.replace('leases.coordination.k8s.io', lease);
      expect([answer.status, answer.body.spec?.holderIdentity]).toEqual([201, 'a']);
    },

    'an update with another uid gets 409': async (api) => {
      await api.made('configmaps', aConfigMap('successor'));
      const uid = '00000000-0000-4000-8000-000000000000';
      const answer = await api.replace('configmaps', aConfigMap('successor', {}, { uid }));
      const message = new RegExp(`Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
      expectStatus(answer, 409, 'Conflict', message, { name: 'successor', kind: 'configmaps' });
    },

    'the name of the object must equal that of the path': async (api) => {
      await api.made('configmaps', aConfigMap('right'));
      const answer = await api.client.put(api.path('configmaps', 'right'), aConfigMap('wrong'));
      expectStatus(answer, 400, 'BadRequest', 'the name of the object (wrong) does not match the name on the URL (right)');
    },

    'an update requires a name': async (api) => {
      await api.made('configmaps', aConfigMap('unnamed'));
      const answer = await api.client.put(api.path('configmaps', 'unnamed'), { data: { a: '2' } });
      expectStatus(answer, 400, 'BadRequest', 'the name of the object (unnamed based on URL) was undeterminable: name must be provided');
    },

    'the namespace of the object must equal that of the path, on update': async (api) => {
      await api.made('configmaps', aConfigMap('stray'));
      const answer = await api.replace('configmaps', aConfigMap('stray', {}, { namespace: 'elsewhere' }));
      const message = 'the namespace of the provided object does not match the namespace sent on the request';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'metadata that the server sets survives an update that omits or changes it': async (api) => {
      const { metadata: before } = await api.made('configmaps', aConfigMap('kept', { a: '1' }));
      const changed = { creationTimestamp: '2001-01-01T00:00:00Z', generation: 5 };
      const { body } = await api.replace('configmaps', aConfigMap('kept', { a: '2' }, changed));
      expect(body.metadata).toMatchObject({ uid: before.uid, creationTimestamp: before.creationTimestamp, namespace: before.namespace });
      expect(body.metadata.generation).toBeUndefined();
    },

    'a deletionTimestamp cannot be set by an update': async (api) => {
      const first = await api.made('configmaps', aConfigMap('alive'));
      const metadata = { ...first.metadata, deletionTimestamp: '2001-01-01T00:00:00Z' };
      const answer = await api.replace('configmaps', { ...first, metadata });
      const cause: Cause = ['FieldValueInvalid', 'metadata.deletionTimestamp', 'Invalid value: "2001-01-01T00:00:00Z": field is immutable'];
      expectInvalid(answer, 'ConfigMap', 'alive', [cause]);
    },

    'the generation starts at 1 and counts changes of the spec': async (api) => {
      const { metadata } = await api.made('statefulsets.apps', aStatefulSet('counted'));
      expect(metadata.generation).toBe(1);
      const after = await api.patched('merge', 'statefulsets.apps', 'counted', { spec: { minReadySeconds: 5 } });
      expect(after.metadata.generation).toBe(2);
    },

    'the generation does not count labels': async (api) => {
      expect(await counts(api, 'deployments.apps', aDeployment('counted'), { metadata: { labels: { a: 'b' } } })).toBe(false);
    },

    'the generation of a deployment counts annotations': async (api) => {
      expect(await counts(api, 'deployments.apps', aDeployment('counted'), { metadata: { annotations: { a: 'b' } } })).toBe(true);
    },

    'the generation of a stateful set does not count annotations': async (api) => {
      expect(await counts(api, 'statefulsets.apps', aStatefulSet('counted'), { metadata: { annotations: { a: 'b' } } })).toBe(false);
    },

    'the template of a suspended job may change': async (api) => {
      await api.made('jobs.batch', aJob('suspended'));
      const nodeSelector = { zone: 'a' };
      const answer = await api.patch('merge', 'jobs.batch', 'suspended', { spec: { template: { spec: { nodeSelector } } } });
      expect([answer.status, answer.body.spec?.template.spec.nodeSelector]).toEqual([200, nodeSelector]);
    },

    'the template of a running job is immutable': async (api) => {
      await api.made('jobs.batch', aJob('running', { suspend: false }));
      const { status, body } = await api.patch('merge', 'jobs.batch', 'running', {
        spec: { template: { spec: { nodeSelector: { zone: 'a' } } } },
      });
      expect([status, body.details.causes[0].field, body.details.causes[0].message]).toEqual([
        422,
        'spec.template',
        expect.stringMatching(/^Invalid value: .*: field is immutable$/s),
      ]);
    },

    'an update of a template keeps its defaults': async (api) => {
      await api.made('replicasets.apps', aReplicaSet('refilled'));
      const { body } = await api.replace('replicasets.apps', aReplicaSet('refilled', { template: aTemplate('refilled') }));
      expect([body.metadata.generation, body.spec.template.spec.dnsPolicy]).toEqual([1, 'ClusterFirst']);
    },
  }),
);
