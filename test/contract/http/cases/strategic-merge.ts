// PATCH with application/strategic-merge-patch+json: each field has a merge strategy.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, inNamespace, type NamespaceClient } from '../namespace-client.ts';
import { aConfigMap, aDeployment, aService } from '../objects.ts';

const BASE = {
  containers: [
    {
      name: 'main',
      image: 'web:1',
      args: ['a', 'b'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
      ports: [{ containerPort: 80, name: 'web' }],
    },
    { name: 'side', image: 'side:1' },
  ],
  volumes: [{ name: 'cache', emptyDir: {} }],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  nodeSelector: { zone: 'a', disk: 'ssd' },
};

/** The pod spec of a Deployment after a patch of it. */
async function podSpecAfter(api: NamespaceClient, patch: Json): Promise<Json> {
  await api.made('deployments.apps', aDeployment('merged', {}, BASE));
  return (await api.patched('strategic', 'deployments.apps', 'merged', { spec: { template: { spec: patch } } })).spec.template.spec;
}

const named = (list: readonly Json[]): string[] => list.map((item) => item.name);
const imagesOf = (spec: Json): Json => Object.fromEntries(spec.containers.map((container: Json) => [container.name, container.image]));

/** By rule: a patch of the pod spec, a reader of the result, and its expected value. */
const MERGES: Readonly<Record<string, readonly [patch: Json, read: (spec: Json) => unknown, expected: unknown]>> = {
  'containers are merged by name': [{ containers: [{ name: 'side', image: 'side:2' }] }, imagesOf, { main: 'web:1', side: 'side:2' }],
  'a container that the patch names first comes first': [
    { containers: [{ name: 'side', image: 'side:2' }] },
    ({ containers }) => named(containers),
    ['main', 'side'],
  ],
  'a container with a new name is prepended': [
    { containers: [{ name: 'new', image: 'new:1' }] },
    ({ containers }) => named(containers),
    ['new', 'main', 'side'],
  ],
  '$patch: delete removes an item by its key': [
    { containers: [{ name: 'side', $patch: 'delete' }] },
    ({ containers }) => named(containers),
    ['main'],
  ],
  '$patch: delete of a missing item changes nothing': [
    { containers: [{ name: 'absent', $patch: 'delete' }] },
    ({ containers }) => named(containers),
    ['main', 'side'],
  ],
  '$patch: replace in a list replaces the list': [
    { containers: [{ name: 'only', image: 'only:1' }, { $patch: 'replace' }] },
    ({ containers }) => named(containers),
    ['only'],
  ],
  '$patch: replace in a map replaces the map': [
    { nodeSelector: { $patch: 'replace', arch: 'arm64' } },
    ({ nodeSelector }) => nodeSelector,
    { arch: 'arm64' },
  ],
  '$patch: delete in a map empties it': [{ nodeSelector: { $patch: 'delete' } }, ({ nodeSelector }) => nodeSelector, undefined],
  'maps are merged': [{ nodeSelector: { disk: 'hdd' } }, ({ nodeSelector }) => nodeSelector, { zone: 'a', disk: 'hdd' }],
  'null removes a member of a map': [{ nodeSelector: { disk: null } }, ({ nodeSelector }) => nodeSelector, { zone: 'a' }],
  'null removes a list': [{ tolerations: null }, ({ tolerations }) => tolerations, undefined],
  'lists without a key are replaced': [
    { tolerations: [{ key: 'b', operator: 'Exists' }] },
    ({ tolerations }) => tolerations,
    [{ key: 'b', operator: 'Exists' }],
  ],
  'lists of strings without a strategy are replaced': [
    { containers: [{ name: 'main', args: ['c'] }] },
    ({ containers }) => containers[0].args,
    ['c'],
  ],
  'environment variables are merged by name': [
    { containers: [{ name: 'main', env: [{ name: 'B', value: '3' }] }] },
    ({ containers }) => containers[0].env,
    [
      { name: 'A', value: '1' },
      { name: 'B', value: '3' },
    ],
  ],
  'an environment variable is removed by $patch': [
    { containers: [{ name: 'main', env: [{ name: 'A', $patch: 'delete' }] }] },
    ({ containers }) => containers[0].env,
    [{ name: 'B', value: '2' }],
  ],
  'container ports are merged by number': [
    { containers: [{ name: 'main', ports: [{ containerPort: 81 }] }] },
    ({ containers }) => containers[0].ports.map((port: Json) => port.containerPort),
    [81, 80],
  ],
  'a merged item keeps the fields that the patch omits': [
    { containers: [{ name: 'main', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
    ({ containers }) => containers[0].ports[0].name,
    'web',
  ],
  '$setElementOrder puts items in its order': [
    { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }], containers: [{ name: 'side', image: 'side:2' }] },
    ({ containers }) => named(containers),
    ['side', 'main'],
  ],
  '$setElementOrder alone puts items in its order': [
    { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] },
    ({ containers }) => named(containers),
    ['side', 'main'],
  ],
  '$setElementOrder orders added items': [
    {
      '$setElementOrder/containers': [{ name: 'main' }, { name: 'new' }, { name: 'side' }],
      containers: [{ name: 'new', image: 'new:1' }],
    },
    ({ containers }) => named(containers),
    ['main', 'new', 'side'],
  ],
  '$retainKeys drops every other member': [
    { volumes: [{ name: 'cache', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] },
    ({ volumes }) => volumes,
    [{ name: 'cache', configMap: { name: 'c', defaultMode: 420 } }],
  ],
};

/** By rule: an invalid patch of the pod spec, and the expected error. */
const REFUSED: Readonly<Record<string, readonly [patch: Json, code: number, reason: string | undefined, message: string | RegExp]>> = {
  'an item without its key is refused': [
    { containers: [{ image: 'x:1' }] },
    500,
    undefined,
    'map: map[image:x:1] does not contain declared merge key: name',
  ],
  'an unknown directive is refused': [
    { nodeSelector: { $patch: 'twist' } },
    500,
    undefined,
    'unknown patch type: twist in map: map[$patch:twist]',
  ],
  '$retainKeys without a member that the patch sets is refused': [
    { $retainKeys: ['containers'], nodeSelector: { a: 'b' } },
    400,
    'BadRequest',
    'invalid patch format of retainKeys',
  ],
  '$setElementOrder without an item that the patch sets is refused': [
    { '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'side', image: 'side:2' }] },
    500,
    undefined,
    "The order in patch list:\n[map[image:side:2 name:side]]\n doesn't match $setElementOrder list:\n[map[name:main]]\n",
  ],
  'a list replaced by nothing leaves no containers, which is refused': [
    { containers: [{ name: 'main', image: 'web:2', $patch: 'replace' }] },
    422,
    'Invalid',
    'Deployment.apps "kept" is invalid: spec.template.spec.containers: Required value',
  ],
};

export const STRATEGIC_CASES = area(
  'strategic merge patch',
  inNamespace({
    ...Object.fromEntries(
      Object.entries(MERGES).map(([rule, [patch, read, expected]]) => [
        rule,
        async (api: NamespaceClient) => expect(read(await podSpecAfter(api, patch))).toEqual(expected),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(REFUSED).map(([rule, [patch, code, reason, message]]) => [
        rule,
        async (api: NamespaceClient) => {
          const before = await api.made('deployments.apps', aDeployment('kept', {}, BASE));
          const { status, body } = await api.patch('strategic', 'deployments.apps', 'kept', { spec: { template: { spec: patch } } });
          expect([status, body.reason, body.message]).toEqual([code, reason, message]);
          expect((await api.stored('deployments.apps', 'kept')).spec).toEqual(before.spec);
        },
      ]),
    ),

    'a list instead of a map is refused': async (api) => {
      await api.made('deployments.apps', aDeployment('kept', {}, BASE));
      const answer = await api.patch('strategic', 'deployments.apps', 'kept', { spec: { template: { spec: { nodeSelector: ['a'] } } } });
      expectInvalid(answer, '', '', [['FieldValueInvalid', 'patch', /^Invalid value: ".*nodeSelector.*": /s]]);
    },

    'finalizers are a set: a patch adds to them': async (api) => {
      await api.made('configmaps', aConfigMap('set', {}, { finalizers: ['example.com/a'] }));
      const { metadata } = await api.patched('strategic', 'configmaps', 'set', { metadata: { finalizers: ['example.com/b'] } });
      expect([...metadata.finalizers].sort()).toEqual(['example.com/a', 'example.com/b']);
      await api.patched('merge', 'configmaps', 'set', { metadata: { finalizers: null } });
    },

    '$deleteFromPrimitiveList removes values from a set': async (api) => {
      await api.made('configmaps', aConfigMap('set', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
      const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } };
      const { metadata } = await api.patched('strategic', 'configmaps', 'set', patch);
      expect(metadata.finalizers).toEqual(['example.com/b']);
      await api.patched('merge', 'configmaps', 'set', { metadata: { finalizers: null } });
    },

    'service ports are merged by number': async (api) => {
      await api.made('services', aService('ports', { ports: [{ port: 80, name: 'a' }] }));
      const { spec } = await api.patched('strategic', 'services', 'ports', { spec: { ports: [{ port: 81, name: 'b' }] } });
      expect(spec.ports.map((port: Json) => port.port).sort()).toEqual([80, 81]);
    },

    'owner references are merged by uid': async (api) => {
      const owner = (uid: string): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o-${uid}`, uid });
      await api.made('configmaps', aConfigMap('owned', {}, { finalizers: ['example.com/hold'], ownerReferences: [owner('u1')] }));
      const patch = { metadata: { ownerReferences: [{ ...owner('u1'), $patch: 'delete' }, owner('u2')] } };
      const answer = await api.patch('strategic', 'configmaps', 'owned', patch);
      expect(answer.body.metadata.ownerReferences?.map((owner: Json) => owner.uid)).toEqual(['u2']);
      await api.patched('merge', 'configmaps', 'owned', { metadata: { finalizers: null } });
    },

    'the strategy of a deployment drops its rolling update when the patch retains only the type': async (api) => {
      await api.made('deployments.apps', aDeployment('recreated'));
      const strategy = { $retainKeys: ['type'], type: 'Recreate' };
      const { spec } = await api.patched('strategic', 'deployments.apps', 'recreated', { spec: { strategy } });
      expect(spec.strategy).toEqual({ type: 'Recreate' });
    },

    'without it the rolling update remains, and the change is refused': async (api) => {
      await api.made('deployments.apps', aDeployment('recreated'));
      const { status, body } = await api.patch('strategic', 'deployments.apps', 'recreated', { spec: { strategy: { type: 'Recreate' } } });
      expect([status, body.details.causes[0].field]).toEqual([422, 'spec.strategy.rollingUpdate']);
    },
  }),
);
