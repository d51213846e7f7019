// Isolation of the status subresource: writes of spec and status do not affect each other, and own separate fields.

import { expect } from '@jest/globals';
import { area } from '../contract-case.ts';
import type { Json } from '../raw-client.ts';
import { expectInvalid, expectStatus, inNamespace, inNamespaceForPods } from '../namespace-client.ts';
import { aConfigMap, aDeployment, anAutoscaler, aPod, aService } from '../objects.ts';

const DEPLOYMENTS = 'deployments.apps';
const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };

/** Entries of managedFields of managers that are not controllers. */
function entriesOf(object: Json, ...managers: string[]): Json[] {
  return object.metadata.managedFields.filter((entry: Json) => managers.includes(entry.manager));
}

const PLAIN = inNamespace({
  'a status on create is ignored': async (api) => {
    const made = await api.made('services', { ...aService('fresh'), status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } });
    expect(made.status).toEqual({ loadBalancer: {} });
  },

  'an update keeps the status': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('held', { paused: true }));
    const answer = await api.patch('merge', DEPLOYMENTS, 'held', { status: { replicas: 77 }, spec: { minReadySeconds: 3 } });
    expect([answer.status, answer.body.spec.minReadySeconds, answer.body.status.replicas ?? 0]).toEqual([200, 3, 0]);
  },

  'a write of the status keeps the spec': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('held', { paused: true }));
    const change = { spec: { minReadySeconds: 9 }, status: { observedGeneration: 41 } };
    const { body } = await api.patch('merge', DEPLOYMENTS, 'held', change, 'status');
    expect([body.spec.minReadySeconds, body.status.observedGeneration, body.metadata.generation]).toEqual([undefined, 41, 1]);
  },

  'a write of the status keeps the labels': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('held', { paused: true }));
    const { body } = await api.patch('merge', DEPLOYMENTS, 'held', { metadata: { labels: { a: 'b' } } }, 'status');
    expect(body.metadata.labels).toBeUndefined();
  },

  'reading the status subresource returns the whole object': async (api) => {
    await api.made(DEPLOYMENTS, aDeployment('read'));
    const { status, body } = await api.read(DEPLOYMENTS, 'read', 'status');
    expect([status, body.kind, body.spec.replicas]).toEqual([200, 'Deployment', 0]);
  },

  'a status can be replaced by PUT': async (api) => {
    const made = await api.made('services', aService('put', { type: 'LoadBalancer' }));
    const wanted = { ...made, status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } };
    const { status, body } = await api.replace('services', wanted, 'status');
    expect([status, body.status.loadBalancer.ingress]).toEqual([200, [{ ip: '10.1.1.1', ipMode: 'VIP' }]]);
  },

  'a stale status gets 409': async (api) => {
    const first = await api.made('services', aService('stale'));
    await api.patched('merge', 'services', 'stale', { metadata: { labels: { a: 'b' } } });
    expect((await api.replace('services', first, 'status')).status).toBe(409);
  },

  'a kind without a status has no status path': async (api) => {
    await api.made('configmaps', aConfigMap('plain'));
    expect((await api.read('configmaps', 'plain', 'status')).status).toBe(404);
  },

  'fields of the status are owned with their subresource': async (api) => {
    await api.made('services', aService('owned', { type: 'LoadBalancer' }), { fieldManager: 'ann' });
    const status = { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } };
    const { body } = await api.patch('merge', 'services', 'owned', { status }, 'status', { fieldManager: 'ann' });
    expect(entriesOf(body, 'ann').map((entry) => [entry.operation, entry.subresource, Object.keys(entry.fieldsV1)])).toEqual([
      ['Update', undefined, ['f:spec']],
      ['Update', 'status', ['f:status']],
    ]);
  },

  'a status can be applied': async (api) => {
    await api.made('services', aService('applied'));
    const part = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'applied' },
      status: { conditions: [{ ...READY, reason: 'Fine', message: '' }] },
    };
    const { status, body } = await api.apply('services', part, 'ann', {}, 'status');
    expect([status, body.status.conditions.length]).toEqual([200, 1]);
    expect(entriesOf(body, 'ann')).toMatchObject([
      { operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': {} } } } },
    ]);
  },

  'a spec that is applied at the status path is not owned': async (api) => {
    await api.made('services', aService('applied'));
    const part = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'applied' },
      spec: { selector: { other: 'x' } },
      status: { conditions: [{ ...READY, reason: 'Fine', message: '' }] },
    };
    const { body } = await api.apply('services', part, 'ann', {}, 'status');
    expect(body.spec.selector).toEqual({ app: 'applied' });
    expect(Object.keys(entriesOf(body, 'ann')[0].fieldsV1)).toEqual(['f:status']);
  },

  'an apply of a status creates nothing': async (api) => {
    const deployment = { ...aDeployment('absent'), status: {} };
    const answer = await api.apply(DEPLOYMENTS, deployment, 'ann', {}, 'status');
    expectStatus(answer, 404, 'NotFound', 'deployments.apps "absent" not found', { name: 'absent', group: 'apps', kind: 'deployments' });
  },

  'a status of an autoscaler is isolated': async (api) => {
    await api.made('horizontalpodautoscalers.autoscaling', anAutoscaler('held'));
    const change = { spec: { maxReplicas: 9 }, status: { currentReplicas: 1, desiredReplicas: 2 } };
    const { body } = await api.patch('merge', 'horizontalpodautoscalers.autoscaling', 'held', change, 'status');
    expect([body.spec.maxReplicas, body.status.desiredReplicas]).toEqual([3, 2]);
  },
});

const OF_PODS = inNamespaceForPods({
  'a new pod is Pending and has its QoS class': async (api) => {
    const made = await api.made('pods', { ...aPod('fresh'), status: { phase: 'Running' } });
    expect(made.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  },

  'conditions of a pod are merged by type': async (api) => {
    await api.made('pods', aPod('conditions'));
    const condition = (type: string): Json => ({ type, status: 'True' });
    await api.patched('strategic', 'pods', 'conditions', { status: { conditions: [condition('example.com/a')] } }, 'status');
    const { status } = await api.patched(
      'strategic',
      'pods',
      'conditions',
      { status: { conditions: [condition('example.com/b')] } },
      'status',
    );
    expect(status.conditions.map((condition: Json) => condition.type).sort()).toEqual(['example.com/a', 'example.com/b']);
  },

  'the QoS class of a pod is immutable': async (api) => {
    await api.made('pods', aPod('class'));
    const answer = await api.patch('merge', 'pods', 'class', { status: { qosClass: 'Guaranteed' } }, 'status');
    expectInvalid(answer, 'Pod', 'class', [['FieldValueInvalid', 'status.qosClass', 'Invalid value: "Guaranteed": field is immutable']]);
  },

  'a status update of a pod keeps its spec': async (api) => {
    await api.made('pods', aPod('held'));
    const { body } = await api.patch('merge', 'pods', 'held', { spec: { nodeName: 'n1' }, status: { message: 'hello' } }, 'status');
    expect([body.spec.nodeName, body.status.message]).toEqual([undefined, 'hello']);
  },
});

export const STATUS_CASES = area('status isolation', { ...PLAIN, ...OF_PODS });
