// Server-side apply of built-in kinds: ownership of fields, conflicts, giving up fields.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aService } from '../objects.ts';

const MAPS = 'configmaps';
const DEPLOYMENTS = 'deployments.apps';

/** Entries of managedFields as a map: `ann Apply` → its fields. */
function ownership(object: Json): Record<string, Json> {
  const entries = (object.metadata.managedFields ?? []) as Json[];
  const key = (entry: Json): string =>
    [entry.manager, entry.operation, ...(entry.subresource === undefined ? [] : [entry.subresource])].join(' ');
  return Object.fromEntries(entries.map((entry) => [key(entry), entry.fieldsV1]));
}

const data = (...keys: string[]): Json => ({ 'f:data': Object.fromEntries(keys.map((key) => [key === '.' ? '.' : `f:${key}`, {}])) });

function partOf(name: string, spec: Json): Json {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

async function imageOf(api: NamespaceClient, name: string): Promise<Json> {
  return (await api.stored(DEPLOYMENTS, name)).spec.template.spec.containers[0].image;
}

export const APPLY_CASES = area(
  'server-side apply',
  inNamespace({
    'a missing object is created, and its fields are owned by the applier': async (api) => {
      const { status, body } = await api.apply(MAPS, aConfigMap('fresh', { a: '1' }), 'ann');
      expect([status, ownership(body)]).toEqual([201, { 'ann Apply': data('a') }]);
      expect(body.metadata.managedFields[0]).toMatchObject({ apiVersion: 'v1', fieldsType: 'FieldsV1', time: expect.any(String) });
    },

    'applying the same again changes nothing': async (api) => {
      const first = await api.applied(MAPS, aConfigMap('same', { a: '1' }), 'ann');
      const { status, body } = await api.apply(MAPS, aConfigMap('same', { a: '1' }), 'ann');
      expect([status, body.metadata.resourceVersion, body.metadata.managedFields]).toEqual([
        200,
        first.metadata.resourceVersion,
        first.metadata.managedFields,
      ]);
    },

    'a body in YAML is applied': async (api) => {
      const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n';
      const answer = await api.client.patch(api.path(MAPS, 'yaml'), 'apply', text, { query: { fieldManager: 'ann' } });
      expect([answer.status, answer.body.data]).toEqual([201, { a: '1' }]);
    },

    'two managers own what each applies': async (api) => {
      await api.applied(MAPS, aConfigMap('shared', { a: '1' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('shared', { b: '2' }), 'bob');
      expect(after.data).toEqual({ a: '1', b: '2' });
      expect(ownership(after)).toEqual({ 'ann Apply': data('a'), 'bob Apply': data('b') });
    },

    'one value can have two owners': async (api) => {
      await api.applied(MAPS, aConfigMap('shared', { a: '1' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('shared', { a: '1' }), 'bob');
      expect(ownership(after)).toEqual({ 'ann Apply': data('a'), 'bob Apply': data('a') });
    },

    'another value for an owned field is a conflict with owner and field': async (api) => {
      await api.applied(MAPS, aConfigMap('torn', { a: '1' }), 'ann');
      const answer = await api.apply(MAPS, aConfigMap('torn', { a: '2' }), 'bob');
      expectStatus(answer, 409, 'Conflict', 'Apply failed with 1 conflict: conflict with "ann": .data.a', {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "ann"', field: '.data.a' }],
      });
      expect((await api.stored(MAPS, 'torn')).data).toEqual({ a: '1' });
    },

    'several conflicts are reported together': async (api) => {
      await api.applied(MAPS, aConfigMap('torn', { a: '1', b: '1' }), 'ann');
      const answer = await api.apply(MAPS, aConfigMap('torn', { a: '2', b: '2' }), 'bob');
      const cause = (field: string): Json => ({ reason: 'FieldManagerConflict', message: 'conflict with "ann"', field });
      expectStatus(answer, 409, 'Conflict', 'Apply failed with 2 conflicts: conflicts with "ann":\n- .data.a\n- .data.b', {
        causes: [cause('.data.a'), cause('.data.b')],
      });
    },

    'conflicts with several managers are reported by manager': async (api) => {
      await api.applied(MAPS, aConfigMap('torn', { a: '1' }), 'ann');
      await api.applied(MAPS, aConfigMap('torn', { b: '1' }), 'bob');
      const { status, body } = await api.apply(MAPS, aConfigMap('torn', { a: '2', b: '2' }), 'cat');
      expect([status, body.message]).toEqual([
        409,
        'Apply failed with 2 conflicts: conflicts with "ann":\n- .data.a\nconflicts with "bob":\n- .data.b',
      ]);
    },

    'a field that an update set conflicts too, and is reported with its version': async (api) => {
      await api.made(MAPS, aConfigMap('torn', { a: '1' }), { fieldManager: 'writer' });
      const { status, body } = await api.apply(MAPS, aConfigMap('torn', { a: '2' }), 'ann');
      expect([status, body.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "writer" using v1: .data.a']);
    },

    'the same value as an update set is no conflict, and is shared': async (api) => {
      await api.made(MAPS, aConfigMap('shared', { a: '1' }), { fieldManager: 'writer' });
      const after = await api.applied(MAPS, aConfigMap('shared', { a: '1' }), 'ann');
      expect(ownership(after)).toEqual({ 'ann Apply': data('a'), 'writer Update': data('.', 'a') });
    },

    'one manager that applies and updates is two owners': async (api) => {
      await api.applied(MAPS, aConfigMap('twice', { a: '1' }), 'ann');
      const { body } = await api.patch('merge', MAPS, 'twice', { data: { b: '2' } }, '', { fieldManager: 'ann' });
      expect(ownership(body)).toEqual({ 'ann Apply': data('a'), 'ann Update': data('b') });
    },

    'force takes ownership of the field': async (api) => {
      await api.applied(MAPS, aConfigMap('taken', { a: '1', b: '1' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('taken', { a: '2' }), 'bob', { force: true });
      expect([after.data, ownership(after)]).toEqual([
        { a: '2', b: '1' },
        { 'ann Apply': data('b'), 'bob Apply': data('a') },
      ]);
    },

    'a manager without fields is removed': async (api) => {
      await api.applied(MAPS, aConfigMap('taken', { a: '1' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('taken', { a: '2' }), 'bob', { force: true });
      expect(ownership(after)).toEqual({ 'bob Apply': data('a') });
    },

    'an update takes ownership without a conflict': async (api) => {
      await api.applied(MAPS, aConfigMap('taken', { a: '1' }), 'ann');
      const { body } = await api.patch('merge', MAPS, 'taken', { data: { a: '2' } }, '', { fieldManager: 'bob' });
      expect(ownership(body)).toEqual({ 'bob Update': data('a') });
    },

    'a field that its manager no longer applies is removed': async (api) => {
      await api.applied(MAPS, aConfigMap('shrunk', { a: '1', b: '2' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('shrunk', { a: '1' }), 'ann');
      expect([after.data, ownership(after)]).toEqual([{ a: '1' }, { 'ann Apply': data('a') }]);
    },

    'a field with another owner remains': async (api) => {
      await api.applied(MAPS, aConfigMap('shared', { a: '1', b: '2' }), 'ann');
      await api.applied(MAPS, aConfigMap('shared', { b: '2' }), 'bob');
      const after = await api.applied(MAPS, aConfigMap('shared', { a: '1' }), 'ann');
      expect([after.data, ownership(after)]).toEqual([
        { a: '1', b: '2' },
        { 'ann Apply': data('a'), 'bob Apply': data('b') },
      ]);
    },

    'a manager that applies nothing owns nothing': async (api) => {
      await api.applied(MAPS, aConfigMap('left', { a: '1' }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('left'), 'ann');
      expect([after.data, after.metadata.managedFields]).toEqual([undefined, undefined]);
    },

    'a field that an update removed has no owner': async (api) => {
      await api.applied(MAPS, aConfigMap('cut', { a: '1', b: '2' }), 'ann');
      const after = await api.patched('merge', MAPS, 'cut', { data: { b: null } });
      expect(ownership(after)).toEqual({ 'ann Apply': data('a') });
    },

    'a field that is given up without another owner gets its default': async (api) => {
      await api.applied(DEPLOYMENTS, aDeployment('defaulted', { minReadySeconds: 5, revisionHistoryLimit: 3 }), 'ann');
      const after = await api.applied(DEPLOYMENTS, aDeployment('defaulted'), 'ann');
      expect([after.spec.minReadySeconds, after.spec.revisionHistoryLimit]).toEqual([undefined, 10]);
    },

    'defaults have no manager': async (api) => {
      const made = await api.applied(DEPLOYMENTS, aDeployment('defaulted'), 'ann');
      expect(Object.keys(ownership(made)['ann Apply']['f:spec']).sort()).toEqual(['f:replicas', 'f:selector', 'f:template']);
    },

    'containers are owned one by one, by name': async (api) => {
      const made = await api.applied(DEPLOYMENTS, aDeployment('keyed'), 'ann');
      const containers = ownership(made)['ann Apply']['f:spec']['f:template']['f:spec']['f:containers'];
      expect(containers).toEqual({ 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } });
    },

    'a manager can own one field of another manager’s container': async (api) => {
      await api.applied(DEPLOYMENTS, aDeployment('part'), 'ann');
      const part = partOf('part', { template: { spec: { containers: [{ name: 'main', workingDir: '/srv' }] } } });
      const after = await api.applied(DEPLOYMENTS, part, 'bob');
      const { containers } = after.spec.template.spec;
      expect([containers.length, containers[0].workingDir, containers[0].image]).toEqual([1, '/srv', await imageOf(api, 'part')]);
      expect(ownership(after)['bob Apply']).toEqual({
        'f:spec': {
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:workingDir': {} } } } },
        },
      });
    },

    'a conflict in a list names the item by its key': async (api) => {
      await api.applied(DEPLOYMENTS, aDeployment('part'), 'ann');
      const part = partOf('part', { template: { spec: { containers: [{ name: 'main', image: 'other:2' }] } } });
      const { body } = await api.apply(DEPLOYMENTS, part, 'bob');
      expect(body.message).toBe('Apply failed with 1 conflict: conflict with "ann": .spec.template.spec.containers[name="main"].image');
    },

    'an item that its only owner gives up is removed': async (api) => {
      const containers = [
        { name: 'main', image: 'web:1' },
        { name: 'side', image: 'side:1' },
      ];
      await api.applied(DEPLOYMENTS, aDeployment('items', {}, { containers }), 'ann');
      const after = await api.applied(DEPLOYMENTS, aDeployment('items', {}, { containers: containers.slice(0, 1) }), 'ann');
      expect(after.spec.template.spec.containers.map((container: Json) => container.name)).toEqual(['main']);
    },

    'items of two managers are in one list': async (api) => {
      await api.applied(DEPLOYMENTS, aDeployment('items'), 'ann');
      const side = partOf('items', { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } });
      const after = await api.applied(DEPLOYMENTS, side, 'bob');
      expect(after.spec.template.spec.containers.map((container: Json) => container.name)).toEqual(['main', 'side']);
    },

    'service ports are keyed by number and protocol': async (api) => {
      const made = await api.applied(
        'services',
        aService('keyed', {
          ports: [
            { port: 53, name: 'a' },
            { port: 53, name: 'b', protocol: 'UDP' },
          ],
        }),
        'ann',
      );
      const ports = Object.keys(ownership(made)['ann Apply']['f:spec']['f:ports']);
      expect(ports.sort()).toEqual(['k:{"port":53,"protocol":"TCP"}', 'k:{"port":53,"protocol":"UDP"}']);
    },

    'a duplicate item of a list by key is refused': async (api) => {
      const containers = [
        { name: 'main', image: 'web:1' },
        { name: 'main', image: 'web:2' },
      ];
      const answer = await api.apply(DEPLOYMENTS, aDeployment('twice', {}, { containers }), 'ann');
      const message =
        'failed to create typed patch object (/twice; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="main"]';
      expectStatus(answer, 500, undefined, message);
    },

    'a set is owned value by value': async (api) => {
      const finalizers = ['example.com/a'];
      await api.applied(MAPS, aConfigMap('set', undefined, { finalizers }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('set', undefined, { finalizers: ['example.com/b'] }), 'bob');
      expect([...after.metadata.finalizers].sort()).toEqual(['example.com/a', 'example.com/b']);
      expect(ownership(after)['bob Apply']).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"example.com/b"': {} } } });
      const released = await api.applied(MAPS, aConfigMap('set'), 'ann');
      expect(released.metadata.finalizers).toEqual(['example.com/b']);
      await api.patched('merge', MAPS, 'set', { metadata: { finalizers: null } });
    },

    'an atomic list is owned as a whole': async (api) => {
      const args = (...values: string[]): Json => [{ name: 'main', image: 'web:1', args: values }];
      await api.applied(DEPLOYMENTS, aDeployment('atomic', {}, { containers: args('a', 'b') }), 'ann');
      const { body } = await api.apply(
        DEPLOYMENTS,
        partOf('atomic', { template: { spec: { containers: [{ name: 'main', args: ['a'] }] } } }),
        'bob',
      );
      expect(body.message).toBe('Apply failed with 1 conflict: conflict with "ann": .spec.template.spec.containers[name="main"].args');
    },

    'an atomic map is owned as a whole': async (api) => {
      const made = await api.applied(DEPLOYMENTS, aDeployment('atomic'), 'ann');
      expect(ownership(made)['ann Apply']['f:spec']['f:selector']).toEqual({});
    },

    'labels of two managers are merged': async (api) => {
      await api.applied(MAPS, aConfigMap('labels', undefined, { labels: { a: '1' } }), 'ann');
      const after = await api.applied(MAPS, aConfigMap('labels', undefined, { labels: { b: '2' } }), 'bob');
      expect([after.metadata.labels, ownership(after)['bob Apply']]).toEqual([
        { a: '1', b: '2' },
        { 'f:metadata': { 'f:labels': { 'f:b': {} } } },
      ]);
    },

    'an apply without a manager is refused': async (api) => {
      const answer = await api.patch('apply', MAPS, 'missing', aConfigMap('missing'));
      expectInvalid(answer, 'PatchOptions.meta.k8s.io', '', [
        ['FieldValueRequired', 'fieldManager', 'Required value: is required for apply patch'],
      ]);
    },

    'force with another patch type is refused': async (api) => {
      await api.made(MAPS, aConfigMap('forced'));
      const answer = await api.patch('merge', MAPS, 'forced', {}, '', { force: true });
      expectInvalid(answer, 'PatchOptions.meta.k8s.io', '', [
        ['FieldValueForbidden', 'force', 'Forbidden: may not be specified for non-apply patch'],
      ]);
    },

    'managedFields cannot be applied': async (api) => {
      const managedFields = [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];
      const answer = await api.apply(MAPS, aConfigMap('forged', {}, { managedFields }), 'ann');
      expectStatus(answer, 400, 'BadRequest', 'metadata.managedFields must be nil');
    },

    'the applied name must equal that of the path': async (api) => {
      const answer = await api.client.patch(api.path(MAPS, 'right'), 'apply', aConfigMap('wrong'), { query: { fieldManager: 'ann' } });
      expectStatus(answer, 400, 'BadRequest', 'the name of the object (wrong) does not match the name on the URL (right)');
    },

    'an apply requires apiVersion and kind': async (api) => {
      const answer = await api.patch('apply', MAPS, 'untyped', { metadata: { name: 'untyped' } }, '', { fieldManager: 'ann' });
      expectStatus(answer, 400, 'BadRequest', 'invalid object type: /, Kind=');
    },

    'a stale resourceVersion answers 409': async (api) => {
      await api.applied(MAPS, aConfigMap('stale', { a: '1' }), 'ann');
      const answer = await api.apply(MAPS, aConfigMap('stale', { a: '2' }, { resourceVersion: '1' }), 'ann');
      expect([answer.status, answer.body.message]).toEqual([409, expect.stringMatching(/the object has been modified/)]);
    },

    'an apply with a uid creates nothing': async (api) => {
      const answer = await api.apply(MAPS, aConfigMap('successor', {}, { uid: '00000000-0000-4000-8000-000000000000' }), 'ann');
      const message =
        'Operation cannot be fulfilled on configmaps "successor": uid mismatch: the provided object specified uid 00000000-0000-4000-8000-000000000000, and no existing object was found';
      expectStatus(answer, 409, 'Conflict', message, { name: 'successor', kind: 'configmaps' });
    },

    'unknown fields are refused, whatever fieldValidation says': async (api) => {
      const answer = await api.apply(MAPS, { ...aConfigMap('strict'), extra: 1 }, 'ann', { fieldValidation: 'Ignore' });
      const message = 'failed to create typed patch object (/strict; /v1, Kind=ConfigMap): .extra: field not declared in schema';
      expectStatus(answer, 500, undefined, message);
    },

    'a field of the wrong type is refused': async (api) => {
      const answer = await api.apply(MAPS, aConfigMap('typed', { a: 1 }), 'ann');
      const message =
        'failed to create typed patch object (/typed; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}';
      expectStatus(answer, 500, undefined, message);
    },

    'an empty list of managedFields in an update clears the ownership': async (api) => {
      await api.applied(MAPS, aConfigMap('reset', { a: '1' }), 'ann');
      const after = await api.patched('merge', MAPS, 'reset', { metadata: { managedFields: [{}] } });
      expect(after.metadata.managedFields).toBeUndefined();
    },

    'an object without managed fields is owned by before-first-apply': async (api) => {
      await api.made(MAPS, aConfigMap('untracked', { a: '1' }));
      await api.patched('merge', MAPS, 'untracked', { metadata: { managedFields: [{}] } });
      const after = await api.applied(MAPS, aConfigMap('untracked', { b: '2' }), 'ann');
      expect(ownership(after)).toEqual({ 'ann Apply': data('b'), 'before-first-apply Update': data('.', 'a') });
    },
  }),
);
