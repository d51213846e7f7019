// The scale subresource, and the other subresources of a pod: binding, log.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods, type NamespaceClient } from '../namespace-client.ts';
import { aDaemonSet, aDeployment, aPod, aReplicaSet, aStatefulSet } from '../objects.ts';

const DEPLOYMENTS = 'deployments.apps';

const SCALABLE: Readonly<Record<string, readonly [resource: string, object: Json]>> = {
  Deployment: [DEPLOYMENTS, aDeployment('scaled')],
  ReplicaSet: ['replicasets.apps', aReplicaSet('scaled')],
  StatefulSet: ['statefulsets.apps', aStatefulSet('scaled')],
};

const PLAIN = inNamespace({
  ...Object.fromEntries(
    Object.entries(SCALABLE).map(([kind, [resource, object]]) => [
      `the scale of a ${kind} is read as autoscaling/v1`,
      async (api: NamespaceClient) => {
        const { metadata } = await api.made(resource, object);
        const { status, body } = await api.read(resource, 'scaled', 'scale');
        const { uid, creationTimestamp } = metadata;
        expect([status, body]).toEqual([
          200,
          {
            kind: 'Scale',
            apiVersion: 'autoscaling/v1',
            metadata: { name: 'scaled', namespace: api.namespace, uid, resourceVersion: expect.any(String), creationTimestamp },
            spec: {},
            status: { replicas: 0, selector: 'app=scaled' },
          },
        ]);
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(SCALABLE).map(([kind, [resource, object]]) => [
      `a scale of a ${kind} sets its replicas`,
      async (api: NamespaceClient) => {
        await api.made(resource, object);
        const body = await api.patched('merge', resource, 'scaled', { spec: { replicas: 2 } }, 'scale');
        expect([body.kind, body.spec.replicas, (await api.stored(resource, 'scaled')).spec.replicas]).toEqual(['Scale', 2, 2]);
      },
    ]),
  ),

  'a scale can be replaced by PUT': async (api, given) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    // The controller writes the status at any time, and replacing an older version is a conflict.
    const { status, body } = await given.eventually('a put between its writes: it writes only when the status changes', async () => {
      const scale = await api.stored(DEPLOYMENTS, 'scaled', 'scale');
      const answer = await api.replace(DEPLOYMENTS, { ...scale, spec: { replicas: 3 } }, 'scale');
      return answer.status !== 409 && answer;
    });
    expect([status, body.spec.replicas]).toEqual([200, 3]);
  },

  'a PUT of a scale may omit the resourceVersion': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    const scale = { metadata: { name: 'scaled', namespace: api.namespace }, spec: { replicas: 3 } };
    expect((await api.replace(DEPLOYMENTS, scale, 'scale')).body.spec?.replicas).toBe(3);
  },

  'a scale of a stale version gets 409': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    const scale = await api.stored(DEPLOYMENTS, 'scaled', 'scale');
    await api.patched('merge', DEPLOYMENTS, 'scaled', { metadata: { labels: { a: 'b' } } });
    expect((await api.replace(DEPLOYMENTS, { ...scale, spec: { replicas: 3 } }, 'scale')).status).toBe(409);
  },

  'a scale increments the generation': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    await api.patched('merge', DEPLOYMENTS, 'scaled', { spec: { replicas: 1 } }, 'scale');
    expect((await api.stored(DEPLOYMENTS, 'scaled')).metadata.generation).toBe(2);
  },

  'a negative scale is refused': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    const answer = await api.patch('merge', DEPLOYMENTS, 'scaled', { spec: { replicas: -1 } }, 'scale');
    expectInvalid(answer, 'Scale.autoscaling', 'scaled', [
      ['FieldValueInvalid', 'spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
    ]);
  },

  'a scale accepts a JSON patch': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled', { replicas: 1, paused: true }));
    const patch = [
      { op: 'test', path: '/spec/replicas', value: 1 },
      { op: 'replace', path: '/spec/replicas', value: 2 },
    ];
    expect((await api.patched('json', DEPLOYMENTS, 'scaled', patch, 'scale')).spec.replicas).toBe(2);
  },

  'a scale accepts a strategic merge patch': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    expect((await api.patched('strategic', DEPLOYMENTS, 'scaled', { spec: { replicas: 2 } }, 'scale')).spec.replicas).toBe(2);
  },

  'a scale takes the ownership of replicas': async (api) => {
    await api.applied(DEPLOYMENTS, aDeployment('scaled', { replicas: 1, paused: true }), 'ann');
    await api.patch('merge', DEPLOYMENTS, 'scaled', { spec: { replicas: 2 } }, 'scale', { fieldManager: 'bob' });
    const { metadata } = await api.stored(DEPLOYMENTS, 'scaled');
    const entry = metadata.managedFields.find((candidate: Json) => candidate.manager === 'bob');
    expect([entry.subresource, entry.fieldsV1]).toEqual(['scale', { 'f:spec': { 'f:replicas': {} } }]);
    const answer = await api.apply(DEPLOYMENTS, aDeployment('scaled', { replicas: 1, paused: true }), 'ann');
    expect([answer.status, answer.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "bob" with subresource "scale" using apps/v1: .spec.replicas',
    ]);
  },

  'a scale can be applied': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('scaled'));
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'scaled' }, spec: { replicas: 4 } };
    const { status, body } = await api.apply(DEPLOYMENTS, scale, 'ann', { force: true }, 'scale');
    expect([status, body.spec?.replicas]).toEqual([200, 4]);
  },

  'the scale of a missing object gets 404': async (api) => {
    const answer = await api.read(DEPLOYMENTS, 'absent', 'scale');
    expectStatus(answer, 404, 'NotFound', 'deployments.apps "absent" not found', { name: 'absent', group: 'apps', kind: 'deployments' });
  },

  'a daemon set has no scale': async (api) => {
    await api.made('daemonsets.apps', aDaemonSet('scaled'));
    expect((await api.read('daemonsets.apps', 'scaled', 'scale')).status).toBe(404);
  },
});

const TO_NODE = { target: { kind: 'Node', name: 'no-such-node' } };

const OF_PODS = inNamespaceForPods({
  'a binding assigns the pod to a node, once': async (api) => {
    await api.made('pods', aPod('bound'));
    const { status, body } = await api.act('pods', 'bound', 'binding', { metadata: { name: 'bound' }, ...TO_NODE });
    expect([status, body]).toEqual([201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }]);
    const pod = await api.stored('pods', 'bound');
    expect([pod.spec.nodeName, pod.status.conditions]).toEqual([
      'no-such-node',
      [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: expect.any(String) }],
    ]);
    const again = await api.act('pods', 'bound', 'binding', { metadata: { name: 'bound' }, ...TO_NODE });
    const message = 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "no-such-node"';
    expectStatus(again, 409, 'Conflict', message, { name: 'bound', kind: 'pods/binding' });
    await api.remove('pods', 'bound', { gracePeriodSeconds: 0 });
  },

  'a binding can add annotations': async (api) => {
    await api.made('pods', aPod('bound', {}, { annotations: { a: '1' } }));
    await api.act('pods', 'bound', 'binding', { metadata: { name: 'bound', annotations: { b: '2' } }, ...TO_NODE });
    expect((await api.stored('pods', 'bound')).metadata.annotations).toEqual({ a: '1', b: '2' });
    await api.remove('pods', 'bound', { gracePeriodSeconds: 0 });
  },

  'a binding requires a node': async (api) => {
    await api.made('pods', aPod('bound'));
    const answer = await api.act('pods', 'bound', 'binding', { metadata: { name: 'bound' }, target: {} });
    expectStatus(answer, 500, undefined, 'target.name: Required value');
  },

  'a binding accepts only nodes': async (api) => {
    await api.made('pods', aPod('bound'));
    const answer = await api.act('pods', 'bound', 'binding', { metadata: { name: 'bound' }, target: { kind: 'Minion', name: 'x' } });
    expectStatus(answer, 500, undefined, 'target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>"');
  },

  'a binding of a missing pod gets 404': async (api) => {
    const answer = await api.act('pods', 'absent', 'binding', { metadata: { name: 'absent' }, ...TO_NODE });
    expectStatus(answer, 404, 'NotFound', 'pods "absent" not found', { name: 'absent', kind: 'pods' });
  },

  'a pod with scheduling gates is not bound': async (api) => {
    await api.made('pods', aPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
    const answer = await api.act('pods', 'gated', 'binding', { metadata: { name: 'gated' }, ...TO_NODE });
    const message = 'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates';
    expectStatus(answer, 409, 'Conflict', message, { name: 'gated', kind: 'pods/binding' });
  },

  'the name in the binding must equal that of the path': async (api) => {
    await api.made('pods', aPod('bound'));
    expectStatus(
      await api.act('pods', 'bound', 'binding', TO_NODE),
      400,
      'BadRequest',
      'name in URL does not match name in Binding object',
    );
  },

  'the log of an unscheduled pod is empty': async (api) => {
    await api.made('pods', aPod('unplaced'));
    const { status, text } = await api.read('pods', 'unplaced', 'log');
    expect([status, text]).toEqual([204, '']);
  },

  'the log of a missing pod gets 404': async (api) => {
    const answer = await api.read('pods', 'absent', 'log');
    expectStatus(answer, 404, 'NotFound', 'pods "absent" not found', { name: 'absent', kind: 'pods' });
  },

  'the log of a pod with two containers requires a container name': async (api) => {
    await api.made('pods', aPod('two', { containers: ['a', 'b'].map((name) => ({ name, image: 'web:1' })) }));
    const answer = await api.read('pods', 'two', 'log');
    expectStatus(answer, 400, 'BadRequest', 'a container name must be specified for pod two, choose one of: [a b]');
  },

  'the log of an unknown container gets 400': async (api) => {
    await api.made('pods', aPod('one'));
    const answer = await api.client.get(api.path('pods', 'one', 'log'), { container: 'other' });
    expectStatus(answer, 400, 'BadRequest', 'container other is not valid for pod one');
  },
});

export const SCALE_CASES = area('scale, binding and log', { ...PLAIN, ...OF_PODS });
