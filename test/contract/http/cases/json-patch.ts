// PATCH with application/json-patch+json (RFC 6902) and application/merge-patch+json (RFC 7386).

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, type Cause, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDeployment } from '../objects.ts';

const UNPROCESSABLE = 'the server rejected our request due to an error in our request';

/** By rule: data before, the patch, data after. */
const JSON_PATCHES: Readonly<Record<string, readonly [before: Json, patch: Json, after: Json]>> = {
  'add sets a member': [{ a: '1' }, [{ op: 'add', path: '/data/b', value: '2' }], { a: '1', b: '2' }],
  'add replaces an existing member': [{ a: '1' }, [{ op: 'add', path: '/data/a', value: '2' }], { a: '2' }],
  'replace changes a member': [{ a: '1' }, [{ op: 'replace', path: '/data/a', value: '2' }], { a: '2' }],
  'replace changes a whole map': [{ a: '1' }, [{ op: 'replace', path: '/data', value: { c: '3' } }], { c: '3' }],
  'remove removes a member': [{ a: '1', b: '2' }, [{ op: 'remove', path: '/data/a' }], { b: '2' }],
  'move moves a member': [{ a: '1', c: '3' }, [{ op: 'move', from: '/data/a', path: '/data/b' }], { b: '1', c: '3' }],
  'copy keeps the source': [{ a: '1' }, [{ op: 'copy', from: '/data/a', path: '/data/b' }], { a: '1', b: '1' }],
  'a patch continues after a test that succeeds': [
    { a: '1' },
    [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'replace', path: '/data/a', value: '2' },
    ],
    { a: '2' },
  ],
  'operations see the result of earlier ones': [
    { a: '1' },
    [
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'move', from: '/data/b', path: '/data/c' },
    ],
    { a: '1', c: '2' },
  ],
  'a slash in a name is written ~1, a tilde ~0': [
    { a: '1' },
    [
      { op: 'add', path: '/metadata/annotations', value: { 'x.y/z': '1' } },
      { op: 'remove', path: '/metadata/annotations/x.y~1z' },
    ],
    { a: '1' },
  ],
  'replace of a missing member sets it': [{ a: '1' }, [{ op: 'replace', path: '/data/b', value: '2' }], { a: '1', b: '2' }],
  'an empty patch changes nothing': [{ a: '1' }, [], { a: '1' }],
};

/** By rule: a patch of `{ a: '1' }` that fails as a whole and changes nothing. */
const JSON_FAILURES: Readonly<Record<string, Json>> = {
  'a test that fails fails the patch': [
    { op: 'replace', path: '/data/a', value: '2' },
    { op: 'test', path: '/data/a', value: '1' },
  ],
  'a test of a missing member fails the patch': [{ op: 'test', path: '/data/b', value: '1' }],
  'remove of a missing member fails': [{ op: 'remove', path: '/data/b' }],
  'add below a missing member fails': [{ op: 'add', path: '/nothing/b', value: '2' }],
  'move of a missing member fails': [{ op: 'move', from: '/data/b', path: '/data/c' }],
  'an unknown operation fails': [{ op: 'swap', path: '/data/a', value: '2' }],
};

/** By rule: data before, the merge patch, data after. */
const MERGE_PATCHES: Readonly<Record<string, readonly [before: Json, patch: Json, after: Json]>> = {
  'a merge patch sets members and keeps others': [{ a: '1', b: '2' }, { data: { b: '3', c: '4' } }, { a: '1', b: '3', c: '4' }],
  'null in a merge patch removes a member': [{ a: '1', b: '2' }, { data: { a: null } }, { b: '2' }],
  'null for a missing member changes nothing': [{ a: '1' }, { data: { b: null } }, { a: '1' }],
  'null for a whole map removes it': [{ a: '1' }, { data: null }, undefined],
  'an empty merge patch changes nothing': [{ a: '1' }, {}, { a: '1' }],
};

const CONTAINERS = [
  { name: 'main', image: 'web:1' },
  { name: 'side', image: 'side:1' },
];

async function patchedData(api: NamespaceClient, type: 'json' | 'merge', before: Json, patch: Json): Promise<Json> {
  await api.made('configmaps', aConfigMap('patched', before));
  return (await api.patched(type, 'configmaps', 'patched', patch)).data;
}

export const JSON_PATCH_CASES = area(
  'JSON patch and merge patch',
  inNamespace({
    ...Object.fromEntries(
      Object.entries(JSON_PATCHES).map(([rule, [before, patch, after]]) => [
        rule,
        async (api: NamespaceClient) => expect(await patchedData(api, 'json', before, patch)).toEqual(after),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(JSON_FAILURES).map(([rule, patch]) => [
        rule,
        async (api: NamespaceClient) => {
          const before = await api.made('configmaps', aConfigMap('kept', { a: '1' }));
          const answer = await api.patch('json', 'configmaps', 'kept', patch);
          expectStatus(answer, 422, 'Invalid', UNPROCESSABLE, {});
          expect(await api.stored('configmaps', 'kept')).toEqual(before);
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(MERGE_PATCHES).map(([rule, [before, patch, after]]) => [
        rule,
        async (api: NamespaceClient) => expect(await patchedData(api, 'merge', before, patch)).toEqual(after),
      ]),
    ),

    'a JSON patch inserts into a list, and appends to it': async (api) => {
      await api.made('deployments.apps', aDeployment('listed', {}, { containers: CONTAINERS }));
      const names = async (path: string, name: string): Promise<string[]> => {
        const add = [{ op: 'add', path: `/spec/template/spec/containers/${path}`, value: { name, image: 'x:1' } }];
        const { spec } = await api.patched('json', 'deployments.apps', 'listed', add);
        return spec.template.spec.containers.map((container: Json) => container.name);
      };
      expect(await names('1', 'second')).toEqual(['main', 'second', 'side']);
      expect(await names('-', 'last')).toEqual(['main', 'second', 'side', 'last']);
    },

    'a JSON patch removes from a list by index': async (api) => {
      await api.made('deployments.apps', aDeployment('listed', {}, { containers: CONTAINERS }));
      const { spec } = await api.patched('json', 'deployments.apps', 'listed', [
        { op: 'remove', path: '/spec/template/spec/containers/0' },
      ]);
      expect(spec.template.spec.containers.map((container: Json) => container.name)).toEqual(['side']);
    },

    'an index beyond the end of a list fails': async (api) => {
      await api.made('deployments.apps', aDeployment('listed'));
      const add = [{ op: 'add', path: '/spec/template/spec/containers/7', value: { name: 'x', image: 'x:1' } }];
      expect((await api.patch('json', 'deployments.apps', 'listed', add)).status).toBe(422);
    },

    'a JSON patch that is not a list gets 400': async (api) => {
      await api.made('configmaps', aConfigMap('kept'));
      const answer = await api.patch('json', 'configmaps', 'kept', { op: 'add', path: '/data', value: {} });
      const message = 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'a JSON patch that is not JSON gets 400': async (api) => {
      await api.made('configmaps', aConfigMap('kept'));
      const { status, body } = await api.patch('json', 'configmaps', 'kept', '[{');
      expect([status, body.reason]).toEqual([400, 'BadRequest']);
    },

    'a merge patch that is not an object gets 400': async (api) => {
      await api.made('configmaps', aConfigMap('kept'));
      const answer = await api.patch('merge', 'configmaps', 'kept', '[1]');
      const message = 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}';
      expectStatus(answer, 400, 'BadRequest', message);
    },

    'a merge patch replaces lists as a whole': async (api) => {
      await api.made('deployments.apps', aDeployment('listed', {}, { containers: CONTAINERS }));
      const containers = [{ name: 'other', image: 'other:1' }];
      const { spec } = await api.patched('merge', 'deployments.apps', 'listed', { spec: { template: { spec: { containers } } } });
      expect(spec.template.spec.containers.map((container: Json) => container.name)).toEqual(['other']);
    },

    'a patch of a missing object gets 404': async (api) => {
      const answer = await api.patch('merge', 'configmaps', 'absent', {});
      expectStatus(answer, 404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' });
    },

    'a patch with a stale resourceVersion gets 409': async (api) => {
      await api.made('configmaps', aConfigMap('stale', { a: '1' }));
      const answer = await api.patch('merge', 'configmaps', 'stale', { metadata: { resourceVersion: '1' }, data: { a: '2' } });
      const message =
        'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again';
      expectStatus(answer, 409, 'Conflict', message, { name: 'stale', kind: 'configmaps' });
    },

    'a patch with the current resourceVersion succeeds': async (api) => {
      const { metadata } = await api.made('configmaps', aConfigMap('fresh', { a: '1' }));
      const patch = { metadata: { resourceVersion: metadata.resourceVersion }, data: { a: '2' } };
      expect((await api.patched('merge', 'configmaps', 'fresh', patch)).data).toEqual({ a: '2' });
    },

    'a patch with another uid gets 422': async (api) => {
      await api.made('configmaps', aConfigMap('other', { a: '1' }));
      const uid = '00000000-0000-4000-8000-000000000000';
      const answer = await api.patch('merge', 'configmaps', 'other', { metadata: { uid }, data: { a: '2' } });
      const cause: Cause = ['FieldValueInvalid', 'metadata.uid', `Invalid value: "${uid}": field is immutable`];
      expectInvalid(answer, 'ConfigMap', 'other', [cause]);
    },

    'a JSON patch that tests the uid of another object fails': async (api) => {
      await api.made('configmaps', aConfigMap('other', { a: '1' }));
      const patch = [
        { op: 'test', path: '/metadata/uid', value: 'x' },
        { op: 'replace', path: '/data/a', value: '2' },
      ];
      expect((await api.patch('json', 'configmaps', 'other', patch)).status).toBe(422);
    },

    'a patch cannot rename': async (api) => {
      await api.made('configmaps', aConfigMap('named'));
      const answer = await api.patch('merge', 'configmaps', 'named', { metadata: { name: 'renamed' } });
      expectStatus(answer, 400, 'BadRequest', 'the name of the object (renamed) does not match the name on the URL (named)');
    },

    'a patch cannot change the kind': async (api) => {
      await api.made('configmaps', aConfigMap('kind'));
      const { status } = await api.patch('merge', 'configmaps', 'kind', { kind: 'Secret' });
      expect(status).toBe(422);
    },

    'a patch that makes an object invalid is refused with its fields': async (api) => {
      await api.made('deployments.apps', aDeployment('negative'));
      const answer = await api.patch('merge', 'deployments.apps', 'negative', { spec: { replicas: -1 } });
      expectInvalid(answer, 'Deployment.apps', 'negative', [
        ['FieldValueInvalid', 'spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
      ]);
    },

    'a patch with a value of the wrong type gets 422 with the whole object': async (api) => {
      await api.made('deployments.apps', aDeployment('typed'));
      const answer = await api.patch('merge', 'deployments.apps', 'typed', { spec: { replicas: 'many' } });
      const message =
        /^Invalid value: .*: json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32$/s;
      expectInvalid(answer, '', '', [['FieldValueInvalid', 'patch', message]]);
    },

    'unknown fields in a patch warn': async (api) => {
      await api.made('configmaps', aConfigMap('warned'));
      const { status, warnings } = await api.patch('merge', 'configmaps', 'warned', { extra: 1 });
      expect([status, warnings]).toEqual([200, ['unknown field "extra"']]);
    },

    'unknown fields in a patch are refused under Strict': async (api) => {
      await api.made('configmaps', aConfigMap('strict'));
      const answer = await api.patch('merge', 'configmaps', 'strict', { extra: 1 }, '', { fieldValidation: 'Strict' });
      expectInvalid(answer, '', '', [['FieldValueInvalid', 'patch', /strict decoding error: unknown field "extra"$/]]);
    },

    'a patch of an unknown type gets 415': async (api) => {
      await api.made('configmaps', aConfigMap('typed'));
      const answer = await api.client.send('PATCH', api.path('configmaps', 'typed'), { body: {}, contentType: 'application/json' });
      expectStatus(answer, 415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
    },

    'a patch that changes nothing keeps the resourceVersion': async (api) => {
      const { metadata } = await api.made('configmaps', aConfigMap('same', { a: '1' }));
      const after = await api.patched('merge', 'configmaps', 'same', { data: { a: '1' } });
      expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
    },

    'the manager of a patch owns the changed fields, and other managers lose them': async (api) => {
      await api.made('configmaps', aConfigMap('owned', { a: '1', b: '2' }), { fieldManager: 'ann' });
      const { body } = await api.patch('merge', 'configmaps', 'owned', { data: { b: '3' } }, '', { fieldManager: 'bob' });
      const fields = Object.fromEntries(body.metadata.managedFields.map((entry: Json) => [entry.manager, entry.fieldsV1]));
      expect(fields).toEqual({ ann: { 'f:data': { '.': {}, 'f:a': {} } }, bob: { 'f:data': { 'f:b': {} } } });
    },
  }),
);
