// pods/resize: CPU and memory of an existing pod, and no other field.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespaceForPods, type Cause, type NamespaceClient } from '../namespace-client.ts';
import { aContainer, aPod, aPodWith } from '../objects.ts';

const BURSTABLE = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } };
const GUARANTEED = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } };

function resizeTo(resources: Json, more: Json = {}): Json {
  return { spec: { containers: [{ name: 'main', resources, ...more }] } };
}

async function resized(api: NamespaceClient, from: Json, to: Json): Promise<Json> {
  await api.made('pods', aPodWith('web', from));
  return (await api.patched('strategic', 'pods', 'web', resizeTo(to), 'resize')).spec.containers[0].resources;
}

/** By rule: resources before, and a patch of them that succeeds. */
const ACCEPTED: Readonly<Record<string, readonly [from: Json, to: Json]>> = {
  'CPU and memory can be raised': [BURSTABLE, { requests: { cpu: '150m', memory: '200Mi' }, limits: { cpu: '1', memory: '1Gi' } }],
  'CPU and memory can be lowered': [BURSTABLE, { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '100m', memory: '128Mi' } }],
  'a Guaranteed pod stays Guaranteed': [GUARANTEED, { requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: '200m', memory: '64Mi' } }],
  'a limit can be added to a Burstable pod': [
    { requests: { cpu: '100m' } },
    { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
  ],
};

const LESS_THAN_REQUEST: Cause = [
  'FieldValueInvalid',
  'spec.containers[0].resources.requests',
  'Invalid value: "300m": must be less than or equal to cpu limit of 200m',
];
const MUTABLE: Cause = ['FieldValueForbidden', 'spec', 'Forbidden: only cpu and memory resources are mutable'];

/** By rule: resources before, the resources after, and the expected error. */
const REFUSED: Readonly<Record<string, readonly [from: Json, to: Json, causes: readonly Cause[]]>> = {
  'a Burstable pod does not become Guaranteed': [
    BURSTABLE,
    GUARANTEED,
    [['FieldValueInvalid', 'spec', 'Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing']],
  ],
  'a Guaranteed pod does not become Burstable': [
    GUARANTEED,
    BURSTABLE,
    [['FieldValueInvalid', 'spec', 'Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing']],
  ],
  'a BestEffort pod gets no requests': [
    {},
    { requests: { cpu: '100m' } },
    [['FieldValueInvalid', 'spec', 'Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing']],
  ],
  'a request cannot be removed': [
    { requests: { cpu: '100m', memory: '128Mi' } },
    { requests: { memory: '128Mi' } },
    [['FieldValueForbidden', 'spec.containers[0].resources.requests', 'Forbidden: resource requests cannot be removed']],
  ],
  'a limit cannot be removed': [
    BURSTABLE,
    { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    [['FieldValueForbidden', 'spec.containers[0].resources.limits', 'Forbidden: resource limits cannot be removed']],
  ],
  'a request stays within its limit': [
    BURSTABLE,
    { requests: { cpu: '300m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
    [LESS_THAN_REQUEST],
  ],
  'ephemeral storage cannot be resized': [
    { requests: { cpu: '100m', 'ephemeral-storage': '1Gi' } },
    { requests: { cpu: '100m', 'ephemeral-storage': '2Gi' } },
    [MUTABLE],
  ],
  'another resource cannot be added': [
    BURSTABLE,
    { ...BURSTABLE, requests: { ...BURSTABLE.requests, 'ephemeral-storage': '1Gi' } },
    [MUTABLE],
  ],
};

function replaceResources(value: Json): Json {
  return [{ op: 'add', path: '/spec/containers/0/resources', value }];
}

export const RESIZE_CASES = area(
  'pods/resize',
  inNamespaceForPods({
    ...Object.fromEntries(
      Object.entries(ACCEPTED).map(([rule, [from, to]]) => [
        rule,
        async (api: NamespaceClient) => {
          const { requests, limits } = await resized(api, from, to);
          expect([requests, limits]).toEqual([to.requests, to.limits]);
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(REFUSED).map(([rule, [from, to, causes]]) => [
        rule,
        async (api: NamespaceClient) => {
          const before = await api.made('pods', aPodWith('web', from));
          expectInvalid(await api.patch('json', 'pods', 'web', replaceResources(to), 'resize'), 'Pod', 'web', causes);
          expect((await api.stored('pods', 'web')).spec).toEqual(before.spec);
        },
      ]),
    ),

    'a resize increments the generation': async (api) => {
      const made = await api.made('pods', aPodWith('web', BURSTABLE));
      const after = await api.patched('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize');
      expect([made.metadata.generation, after.metadata.generation]).toEqual([1, 2]);
    },

    'a resize without a change keeps the generation': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const after = await api.patched('strategic', 'pods', 'web', resizeTo(BURSTABLE), 'resize');
      expect(after.metadata.generation).toBe(1);
    },

    'a single request can be patched, and others are unchanged': async (api) => {
      const { requests, limits } = await resized(api, BURSTABLE, { requests: { memory: '200Mi' } });
      expect([requests, limits]).toEqual([{ cpu: '100m', memory: '200Mi' }, BURSTABLE.limits]);
    },

    'a resize can be a PUT of the whole pod': async (api) => {
      const made = await api.made('pods', aPodWith('web', BURSTABLE));
      const [container] = made.spec.containers;
      const spec = { ...made.spec, containers: [{ ...container, resources: { ...BURSTABLE, requests: { cpu: '50m', memory: '64Mi' } } }] };
      const { status, body } = await api.replace('pods', { ...made, spec }, 'resize');
      expect([status, body.spec.containers[0].resources.requests]).toEqual([200, { cpu: '50m', memory: '64Mi' }]);
    },

    'reading the subresource returns the pod': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const { status, body } = await api.read('pods', 'web', 'resize');
      expect([status, body.kind, body.metadata.name]).toEqual([200, 'Pod', 'web']);
    },

    'a merge patch must contain whole containers': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const { body } = await api.patch(
        'merge',
        'pods',
        'web',
        { spec: { containers: [aContainer({ resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: BURSTABLE.limits } })] } },
        'resize',
      );
      expect(body.spec.containers[0].resources.requests).toEqual({ cpu: '50m', memory: '64Mi' });
    },

    'other fields are ignored': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const patch = resizeTo({ requests: { cpu: '150m' } }, { image: 'other:2', workingDir: '/x' });
      const body = await api.patched('strategic', 'pods', 'web', { ...patch, metadata: { labels: { a: 'b' } } }, 'resize');
      expect([body.spec.containers[0].image, body.spec.containers[0].workingDir, body.metadata.labels]).toEqual([
        aContainer().image,
        undefined,
        undefined,
      ]);
    },

    'a container cannot be added': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const patch = { spec: { containers: [{ name: 'side', image: 'side:1' }] } };
      const { status, body } = await api.patch('strategic', 'pods', 'web', patch, 'resize');
      expect([status, body.details.causes.map((cause: Json) => [cause.field, cause.message])]).toEqual([
        422,
        expect.arrayContaining([['spec.containers', 'Forbidden: containers may not be added or removed on resize']]),
      ]);
    },

    'a container cannot be renamed': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const rename = [{ op: 'replace', path: '/spec/containers/0/name', value: 'other' }];
      const answer = await api.patch('json', 'pods', 'web', rename, 'resize');
      expectInvalid(answer, 'Pod', 'web', [
        ['FieldValueForbidden', 'spec.containers[0].name', 'Forbidden: containers may not be renamed or reordered on resize'],
      ]);
    },

    'the resize policy is changed by a resize only, or not at all': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const patch = resizeTo(BURSTABLE, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] });
      const answer = await api.patch('strategic', 'pods', 'web', patch, 'resize');
      expectInvalid(answer, 'Pod', 'web', [MUTABLE]);
    },

    'a removed request below a limit becomes the limit': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const change = replaceResources({ requests: { memory: '128Mi' }, limits: BURSTABLE.limits });
      const { spec } = await api.patched('json', 'pods', 'web', change, 'resize');
      expect(spec.containers[0].resources.requests).toEqual({ cpu: '200m', memory: '128Mi' });
    },

    'a resize policy is not defaulted': async (api) => {
      const { spec } = await api.made('pods', aPodWith('web', BURSTABLE));
      expect(spec.containers[0].resizePolicy).toBeUndefined();
    },

    'a pod that never restarts refuses the resize policy RestartContainer': async (api) => {
      const container = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
      const answer = await api.create('pods', aPodWith('web', BURSTABLE, container, { restartPolicy: 'Never' }));
      expectInvalid(answer, 'Pod', 'web', [
        [
          'FieldValueInvalid',
          'spec.containers[0].resizePolicy',
          "Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
        ],
      ]);
    },

    'a resize policy is for cpu or memory': async (api) => {
      const container = { resizePolicy: [{ resourceName: 'ephemeral-storage', restartPolicy: 'NotRequired' }] };
      const answer = await api.create('pods', aPodWith('web', BURSTABLE, container));
      expectInvalid(answer, 'Pod', 'web', [
        [
          'FieldValueNotSupported',
          'spec.containers[0].resizePolicy',
          'Unsupported value: "ephemeral-storage": supported values: "cpu", "memory"',
        ],
      ]);
    },

    'resources cannot be changed without the subresource': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const { status, body } = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }));
      expect([status, body.details.causes.map((cause: Json) => [cause.reason, cause.field])]).toEqual([
        422,
        [['FieldValueForbidden', 'spec']],
      ]);
    },

    'a sidecar container is resized like a container': async (api) => {
      const initContainers = [{ name: 'proxy', image: 'proxy:1', restartPolicy: 'Always', resources: { requests: { cpu: '10m' } } }];
      await api.made('pods', aPod('web', { initContainers }));
      const patch = { spec: { initContainers: [{ name: 'proxy', resources: { requests: { cpu: '20m' } } }] } };
      const { spec } = await api.patched('strategic', 'pods', 'web', patch, 'resize');
      expect(spec.initContainers[0].resources.requests.cpu).toBe('20m');
    },

    'an init container is resized as well': async (api) => {
      const initContainers = [{ name: 'setup', image: 'setup:1', resources: { requests: { cpu: '10m' } } }];
      await api.made('pods', aPod('web', { initContainers }));
      const patch = { spec: { initContainers: [{ name: 'setup', resources: { requests: { cpu: '20m' } } }] } };
      const { spec } = await api.patched('strategic', 'pods', 'web', patch, 'resize');
      expect(spec.initContainers[0].resources.requests.cpu).toBe('20m');
    },

    'the mirror of a static pod is not resized': async (api) => {
      const made = aPodWith('web', BURSTABLE, {}, { nodeName: 'no-such-node' });
      await api.made('pods', { ...made, metadata: { name: 'web', annotations: { 'kubernetes.io/config.mirror': 'x' } } });
      const { status, body } = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize');
      expect([status, body.details.causes[0].message]).toEqual([422, 'Forbidden: static pods cannot be resized']);
      await api.remove('pods', 'web', { gracePeriodSeconds: 0 });
    },

    'a pod of Windows is not resized': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE, {}, { os: { name: 'windows' } }));
      const { status, body } = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize');
      expect([status, body.details.causes[0].message]).toEqual([422, 'Forbidden: windows pods cannot be resized']);
    },

    'a pod on a node without in-place resize is refused': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const running = {
        name: 'main',
        ready: true,
        restartCount: 0,
        image: 'x',
        imageID: 'x',
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      };
      await api.patched('merge', 'pods', 'web', { status: { phase: 'Running', containerStatuses: [running] } }, 'status');
      const answer = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize');
      expectInvalid(answer, 'Pod', 'web', [['FieldValueForbidden', 'spec', 'Forbidden: Pod running on node without support for resize']]);
    },

    'a finished pod can be resized, without effect': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      await api.patched('merge', 'pods', 'web', { status: { phase: 'Succeeded' } }, 'status');
      const { status } = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize');
      expect(status).toBe(200);
    },

    'a resize of a missing pod gets 404': async (api) => {
      const answer = await api.patch('strategic', 'pods', 'absent', resizeTo(BURSTABLE), 'resize');
      expectStatus(answer, 404, 'NotFound', 'pods "absent" not found', { name: 'absent', kind: 'pods' });
    },

    'a JSON patch whose test fails resizes nothing': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      const patch = [
        { op: 'test', path: '/metadata/uid', value: 'another' },
        { op: 'replace', path: '/spec/containers/0/resources/requests/cpu', value: '150m' },
      ];
      expect((await api.patch('json', 'pods', 'web', patch, 'resize')).status).toBe(422);
    },

    'a resize is owned with its subresource': async (api) => {
      await api.made('pods', aPodWith('web', BURSTABLE), { fieldManager: 'ann' });
      const { body } = await api.patch('strategic', 'pods', 'web', resizeTo({ requests: { cpu: '150m' } }), 'resize', {
        fieldManager: 'bob',
      });
      const entry = body.metadata.managedFields.find((candidate: Json) => candidate.manager === 'bob');
      expect([entry.operation, entry.subresource, entry.fieldsV1]).toEqual([
        'Update',
        'resize',
        { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { 'f:resources': { 'f:requests': { 'f:cpu': {} } } } } } },
      ]);
    },

    'a quota applies to a resize': async (api, given) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      await api.made('resourcequotas', { metadata: { name: 'team' }, spec: { hard: { 'requests.cpu': '500m' } } });
      const patch = resizeTo({ requests: { cpu: '600m' }, limits: { cpu: '1' } });
      // A real server first has to count the usage.
      const refusal = async (): Promise<Json> => {
        const answer = await api.patch('strategic', 'pods', 'web', patch, 'resize', { dryRun: 'All' });
        return answer.body.message?.includes('exceeded quota: team') === true ? answer : undefined;
      };
      const answer = await given.eventually('the quota refuses it: the use was counted', refusal);
      expectStatus(
        answer,
        403,
        'Forbidden',
        /exceeded quota: team, requested: requests\.cpu=500m, used: requests\.cpu=100m, limited: requests\.cpu=500m$/,
        {
          name: 'web',
          kind: 'pods',
        },
      );
    },

    'a LimitRange applies to a resize': async (api, given) => {
      await api.made('pods', aPodWith('web', BURSTABLE));
      await api.made('limitranges', { metadata: { name: 'bounds' }, spec: { limits: [{ type: 'Container', max: { cpu: '500m' } }] } });
      const patch = resizeTo({ requests: { cpu: '600m' }, limits: { cpu: '600m' } });
      const answer = await given.eventually('the LimitRange refuses it: the cache of LimitRanges follows every write', async () => {
        const response = await api.patch('strategic', 'pods', 'web', patch, 'resize', { dryRun: 'All' });
        return response.status === 403 ? response : undefined;
      });
      expectStatus(answer, 403, 'Forbidden', 'pods "web" is forbidden: maximum cpu usage per Container is 500m, but limit is 600m', {
        name: 'web',
        kind: 'pods',
      });
    },
  }),
);
