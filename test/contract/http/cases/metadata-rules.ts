// Rules for names, labels, annotations, owner references and finalizers.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, inNamespace, type Cause, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aService } from '../objects.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED_NAME =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

function invalid(field: string, value: unknown, why: string): Cause {
  return ['FieldValueInvalid', field, `Invalid value: ${JSON.stringify(value)}: ${why}`];
}

/** By rule: metadata of a ConfigMap, and the expected error. */
const REFUSED: Readonly<Record<string, readonly [metadata: Json, causes: readonly Cause[]]>> = {
  'a name has no capital letter': [{ name: 'Upper' }, [invalid('metadata.name', 'Upper', SUBDOMAIN)]],
  'a name does not begin with a dash': [{ name: '-x' }, [invalid('metadata.name', '-x', SUBDOMAIN)]],
  'a name has no empty part': [{ name: 'a..b' }, [invalid('metadata.name', 'a..b', SUBDOMAIN)]],
  'a name has at most 253 characters': [
    { name: 'x'.repeat(254) },
    [invalid('metadata.name', 'x'.repeat(254), 'must be no more than 253 characters')],
  ],
  'a label value ends with a letter or digit': [{ labels: { a: 'x-' } }, [invalid('metadata.labels', 'x-', LABEL_VALUE)]],
  'a label value has no blank': [{ labels: { a: 'x y' } }, [invalid('metadata.labels', 'x y', LABEL_VALUE)]],
  'a label value has at most 63 characters': [
    { labels: { a: 'x'.repeat(64) } },
    [invalid('metadata.labels', 'x'.repeat(64), 'must be no more than 63 bytes')],
  ],
  'a label has a name after its prefix': [
    { labels: { 'example.com/': 'x' } },
    [invalid('metadata.labels', 'example.com/', 'name part must be non-empty'), invalid('metadata.labels', 'example.com/', NAME_PART)],
  ],
  'a label name has at most 63 characters': [
    { labels: { ['n'.repeat(64)]: 'x' } },
    [invalid('metadata.labels', 'n'.repeat(64), 'name part must be no more than 63 bytes')],
  ],
  'a label prefix is a DNS subdomain': [
    { labels: { 'Example_/a': 'x' } },
    [invalid('metadata.labels', 'Example_/a', `prefix part ${SUBDOMAIN}`)],
  ],
  'a label has at most one slash': [{ labels: { 'a/b/c': 'x' } }, [invalid('metadata.labels', 'a/b/c', QUALIFIED_NAME)]],
  'a label name has no blank': [{ labels: { 'a b': 'x' } }, [invalid('metadata.labels', 'a b', NAME_PART)]],
  'an annotation name has no blank': [{ annotations: { 'a b': 'x' } }, [invalid('metadata.annotations', 'a b', NAME_PART)]],
  'a finalizer is a qualified name': [
    { finalizers: ['a b'] },
    [
      invalid('metadata.finalizers', 'a b', NAME_PART),
      invalid('metadata.finalizers[0]', 'a b', 'name is neither a standard finalizer name nor is it fully qualified'),
    ],
  ],
  'a finalizer without a domain must be a standard one': [
    { finalizers: ['mine'] },
    [invalid('metadata.finalizers[0]', 'mine', 'name is neither a standard finalizer name nor is it fully qualified')],
  ],
  'the finalizers of orphaning and foreground deletion exclude each other': [
    { finalizers: ['orphan', 'foregroundDeletion'] },
    [invalid('metadata.finalizers', ['orphan', 'foregroundDeletion'], 'finalizer orphan and foregroundDeletion cannot be both set')],
  ],
  'an owner reference has a version': [
    { ownerReferences: [{ apiVersion: '', kind: 'ConfigMap', name: 'o', uid: 'u' }] },
    [invalid('metadata.ownerReferences.apiVersion', '', 'version must not be empty')],
  ],
  'an owner reference has kind, name and uid': [
    { ownerReferences: [{ apiVersion: 'v1', kind: '', name: '', uid: '' }] },
    ['kind', 'name', 'uid'].map((field) => invalid(`metadata.ownerReferences.${field}`, '', 'must not be empty')),
  ],
  'an event cannot be an owner': [
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'o', uid: 'u' }] },
    [['FieldValueInvalid', 'metadata.ownerReferences', /\/v1, Kind=Event is disallowed from being an owner$/]],
  ],
  'at most one owner reference is a controller': [
    {
      ownerReferences: ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, controller: true })),
    },
    [
      [
        'FieldValueInvalid',
        'metadata.ownerReferences',
        /Only one reference can have Controller set to true\. Found "true" in references for ConfigMap\/a and ConfigMap\/b$/,
      ],
    ],
  ],
  'annotations have at most 256 KiB in total': [
    { annotations: { a: 'x'.repeat(256 * 1024) } },
    [['FieldValueTooLong', 'metadata.annotations', 'Too long: may not be more than 262144 bytes']],
  ],
};

const NAMES: Readonly<Record<string, readonly [resource: string, object: Json, kind: string, cause: Cause]>> = {
  'the name of a namespace is a DNS label': [
    'namespaces',
    { metadata: { name: 'a.b' } },
    'Namespace',
    invalid('metadata.name', 'a.b', 'must not contain dots'),
  ],
  'the name of a service is a DNS label': [
    'services',
    aService('a.b'),
    'Service',
    invalid('metadata.name', 'a.b', 'must not contain dots'),
  ],
  'the name of a service port is a DNS label': [
    'services',
    aService('ports', { ports: [{ port: 80, name: 'Web' }] }),
    'Service',
    invalid('spec.ports[0].name', 'Web', LABEL),
  ],
  'the name of a role may have a colon, but no slash': [
    'roles.rbac.authorization.k8s.io',
    { metadata: { name: 'a/b' }, rules: [] },
    'Role.rbac.authorization.k8s.io',
    invalid('metadata.name', 'a/b', "may not contain '/'"),
  ],
};

async function refusesMetadata(api: NamespaceClient, metadata: Json, causes: readonly Cause[]): Promise<void> {
  const answer = await api.create('configmaps', { metadata: { name: 'refused', ...metadata } });
  expectInvalid(answer, 'ConfigMap', metadata.name ?? 'refused', causes);
}

export const METADATA_CASES = area(
  'names and metadata',
  inNamespace({
    ...Object.fromEntries(
      Object.entries(REFUSED).map(([rule, [metadata, causes]]) => [rule, (api: NamespaceClient) => refusesMetadata(api, metadata, causes)]),
    ),
    ...Object.fromEntries(
      Object.entries(NAMES).map(([rule, [resource, object, kind, cause]]) => [
        rule,
        async (api: NamespaceClient) => expectInvalid(await api.create(resource, object), kind, object.metadata.name, [cause]),
      ]),
    ),

    'all errors are reported at once, in order': async (api) => {
      const metadata = { name: 'Bad', labels: { 'a b': 'c d' } };
      const causes = [
        invalid('metadata.name', 'Bad', SUBDOMAIN),
        invalid('metadata.labels', 'a b', NAME_PART),
        invalid('metadata.labels', 'c d', LABEL_VALUE),
      ];
      await refusesMetadata(api, metadata, causes);
    },

    'labels accept prefixes, dots and capital letters': async (api) => {
      const labels = { 'example.com/Tier': 'Front-End', 'a.b_c': '', x: '1.0' };
      const { metadata } = await api.made('configmaps', aConfigMap('labelled', {}, { labels }));
      expect(metadata.labels).toEqual(labels);
    },

    'an update is validated with the same rules': async (api) => {
      await api.made('configmaps', aConfigMap('refused'));
      const answer = await api.replace('configmaps', aConfigMap('refused', {}, { labels: { a: 'x y' } }));
      expectInvalid(answer, 'ConfigMap', 'refused', [invalid('metadata.labels', 'x y', LABEL_VALUE)]);
    },

    'labels in a pod template are validated too': async (api) => {
      const labels = { app: 'templated', a: 'x y' };
      const { template } = aDeployment('templated').spec;
      const answer = await api.create('deployments.apps', aDeployment('templated', { template: { ...template, metadata: { labels } } }));
      expectInvalid(answer, 'Deployment.apps', 'templated', [invalid('spec.template.labels', 'x y', LABEL_VALUE)]);
    },

    'a role may have a colon in its name': async (api) => {
      const { status } = await api.create('roles.rbac.authorization.k8s.io', { metadata: { name: 'team:reader' }, rules: [] });
      expect(status).toBe(201);
    },

    'a ConfigMap has keys of letters, digits, dots, dashes and underscores': async (api) => {
      const answer = await api.create('configmaps', aConfigMap('keys', { 'a/b': '1' }));
      const why =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
      expectInvalid(answer, 'ConfigMap', 'keys', [invalid('data[a/b]', 'a/b', why)]);
    },
  }),
);
