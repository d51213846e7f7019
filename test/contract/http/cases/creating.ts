// POST: fields that the server adds, and objects that it refuses.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace } from '../namespace-client.ts';
import { aConfigMap, aDeployment } from '../objects.ts';

const GENERATED = '[bcdfghjklmnpqrstvwxz2456789]{5}';

export const CREATE_CASES = area(
  'creating',
  inNamespace({
    'a created object has uid, creationTimestamp, resourceVersion and managedFields': async (api) => {
      const { status, body } = await api.create('configmaps', aConfigMap('created', { a: '1' }), { fieldManager: 'ann' });
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const managed = {
        manager: 'ann',
        operation: 'Update',
        apiVersion: 'v1',
        time: body.metadata.creationTimestamp,
        fieldsType: 'FieldsV1',
      };
      expect([status, body]).toEqual([
        201,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'created',
            namespace: api.namespace,
            uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
            resourceVersion: expect.stringMatching(/^\d+$/),
            creationTimestamp: time,
            managedFields: [{ ...managed, fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } }],
          },
          data: { a: '1' },
        },
      ]);
    },

    'metadata that the server sets is ignored on create': async (api) => {
      const past = '2001-01-01T00:00:00Z';
      const serverFields = { uid: 'mine', creationTimestamp: past, deletionTimestamp: past, deletionGracePeriodSeconds: 9 };
      const { metadata } = await api.made('configmaps', aConfigMap('forged', { a: '1' }, serverFields));
      expect(metadata.uid).not.toBe('mine');
      expect(metadata.creationTimestamp).not.toBe(past);
      const fields = ['creationTimestamp', 'managedFields', 'name', 'namespace', 'resourceVersion', 'uid'];
      expect(Object.keys(metadata).sort()).toEqual(fields);
    },

    'a resourceVersion on create is refused': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('versioned', {}, { resourceVersion: '1' }));
      expectStatus(answer, 500, undefined, 'resourceVersion should not be set on objects to be created');
    },

    'an existing name gets 409 AlreadyExists': async (api) => {
      await api.made('configmaps', aConfigMap('taken'));
      const answer = await api.create('configmaps', aConfigMap('taken'));
      expectStatus(answer, 409, 'AlreadyExists', 'configmaps "taken" already exists', { name: 'taken', kind: 'configmaps' });
    },

    'an existing name in a named group is refused with the group': async (api) => {
      await api.made('deployments.apps', aDeployment('taken'));
      const answer = await api.create('deployments.apps', aDeployment('taken'));
      const details = { name: 'taken', group: 'apps', kind: 'deployments' };
      expectStatus(answer, 409, 'AlreadyExists', 'deployments.apps "taken" already exists', details);
    },

    'generateName is completed by five characters': async (api) => {
      const { metadata } = await api.made('configmaps', { metadata: { generateName: 'made-' } });
      expect(metadata.name).toMatch(new RegExp(`^made-${GENERATED}$`));
      expect(metadata.generateName).toBe('made-');
    },

    'two objects of one generateName have two names': async (api) => {
      const first = await api.made('configmaps', { metadata: { generateName: 'twin-' } });
      const second = await api.made('configmaps', { metadata: { generateName: 'twin-' } });
      expect(first.metadata.name).not.toBe(second.metadata.name);
    },

    'a long generateName is cut so that the name fits': async (api) => {
      const { metadata } = await api.made('configmaps', { metadata: { generateName: 'x'.repeat(70) } });
      expect(metadata.name).toMatch(new RegExp(`^x{58}${GENERATED}$`));
    },

    'a given name wins over generateName': async (api) => {
      const { metadata } = await api.made('configmaps', { metadata: { name: 'given', generateName: 'made-' } });
      expect(metadata).toMatchObject({ name: 'given', generateName: 'made-' });
    },

    'a generateName that gives an invalid name is refused, with the name': async (api) => {
      const { status, body } = await api.create('configmaps', { metadata: { generateName: 'Made-' } });
      expect([status, body.details.causes.map((cause: Json) => cause.field)]).toEqual([422, ['metadata.generateName', 'metadata.name']]);
    },

    'neither name nor generateName is refused': async (api) => {
      const answer = await api.create('configmaps', { metadata: {} });
      expectInvalid(answer, 'ConfigMap', '', [['FieldValueRequired', 'metadata.name', 'Required value: name or generateName is required']]);
    },

    'the namespace of the object must equal that of the path': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('stray', {}, { namespace: 'elsewhere' }));
      const message = 'the namespace of the provided object does not match the namespace sent on the request';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'creating in a missing namespace gets 404': async (api) => {
      const answer = await api.client.post('/api/v1/namespaces/nowhere/configmaps', aConfigMap('lost'));
      expectStatus(answer, 404, 'NotFound', 'namespaces "nowhere" not found', { name: 'nowhere', kind: 'namespaces' });
    },

    'the kind of the body must equal that of the path': async (api) => {
      const answer = await api.create('configmaps', { ...aConfigMap('odd'), kind: 'Secret' });
      expectStatus(answer, 400, 'BadRequest', /^Secret in version "v1" cannot be handled as a ConfigMap: /);
    },

    'the version of the body must be served': async (api) => {
      const answer = await api.create('deployments.apps', { ...aDeployment('odd'), apiVersion: 'apps/v7' });
      expectStatus(
        answer,
        400,
        'BadRequest',
        /^Deployment in version "v7" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps\/v7" in scheme /,
      );
    },

    'a body without kind and apiVersion gets those of the path': async (api) => {
      const { status, body } = await api.create('configmaps', { metadata: { name: 'bare' }, data: { a: '1' } });
      expect([status, body.kind, body.apiVersion]).toEqual([201, 'ConfigMap', 'v1']);
    },

    'a body that is not JSON gets 400': async (api) => {
      const { status, body } = await api.client.post(api.path('configmaps'), '{"metadata":');
      expect([status, body.reason]).toEqual([400, 'BadRequest']);
    },

    'a body in YAML is accepted': async (api) => {
      const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n';
      const { status, body } = await api.client.post(api.path('configmaps'), text, { contentType: 'application/yaml' });
      expect([status, body.data]).toEqual([201, { a: '1' }]);
    },

    'an unsupported content type gets 415': async (api) => {
      const { status, body } = await api.client.post(api.path('configmaps'), '<a/>', { contentType: 'application/xml' });
      expect([status, body.reason]).toEqual([415, 'UnsupportedMediaType']);
    },

    'a value of the wrong type gets 400 with field and type': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('typed', { a: 1 }));
      expectStatus(
        answer,
        400,
        'BadRequest',
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      );
    },

    'unknown fields warn by default': async (api) => {
      const { status, warnings } = await api.create('configmaps', { ...aConfigMap('warned'), extra: {} });
      expect([status, warnings]).toEqual([201, ['unknown field "extra"']]);
    },

    'an unknown field in a list is reported with its index': async (api) => {
      const deployment = aDeployment('nested', {}, { containers: [{ name: 'main', image: 'web:1', imagePolicy: 'x' }] });
      const { warnings } = await api.create('deployments.apps', deployment);
      expect(warnings).toEqual(['unknown field "spec.template.spec.containers[0].imagePolicy"']);
    },

    'unknown fields refuse the object under Strict': async (api) => {
      const answer = await api.create('configmaps', { ...aConfigMap('strict'), extra: {} }, { fieldValidation: 'Strict' });
      const message = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "extra"';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'unknown fields are dropped without a warning under Ignore': async (api) => {
      const { status, warnings, body } = await api.create(
        'configmaps',
        { ...aConfigMap('ignored'), extra: {} },
        { fieldValidation: 'Ignore' },
      );
      expect([status, warnings, body.extra]).toEqual([201, [], undefined]);
    },

    'a duplicate field refuses the object under Strict': async (api) => {
      const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
      const answer = await api.client.post(api.path('configmaps'), text, { query: { fieldValidation: 'Strict' } });
      const message = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'an invalid fieldValidation gets 422': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('loose'), { fieldValidation: 'Loose' });
      expectInvalid(answer, 'CreateOptions.meta.k8s.io', '', [
        ['FieldValueNotSupported', 'fieldValidation', 'Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"'],
      ]);
    },

    'a fieldManager has at most 128 characters': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('long-manager'), { fieldManager: 'm'.repeat(129) });
      expectInvalid(answer, 'CreateOptions.meta.k8s.io', '', [
        ['FieldValueTooLong', 'fieldManager', 'Too long: may not be more than 128 bytes'],
      ]);
    },

    'without a fieldManager the user agent is the manager': async (api) => {
      const headers = { 'user-agent': 'shopper/2.0 (linux)' };
      const { body } = await api.client.post(api.path('configmaps'), aConfigMap('agent', { a: '1' }), { headers });
      expect(body.metadata.managedFields.map((entry: { manager: string }) => entry.manager)).toEqual(['shopper']);
    },

    'POST to a named object gets 405': async (api) => {
      const answer = await api.client.post(api.path('configmaps', 'named'), aConfigMap('named'));
      const message = 'the server does not allow this method on the requested resource';
      expectStatus(answer, 405, 'MethodNotAllowed', message, {});
    },

    'an undefined kind gets 404': async (api) => {
      const answer = await api.client.post(`/apis/shop.example.com/v1/namespaces/${api.namespace}/carts`, {});
      expect(answer.status).toBe(404);
    },

    'empty labels, annotations and finalizers are not stored': async (api) => {
      const { metadata } = await api.made('configmaps', aConfigMap('empty', {}, { labels: {}, annotations: {}, finalizers: [] }));
      expect([metadata.labels, metadata.annotations, metadata.finalizers]).toEqual([undefined, undefined, undefined]);
    },
  }),
);
