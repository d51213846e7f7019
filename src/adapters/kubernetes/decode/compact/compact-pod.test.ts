import { expect, test } from '@jest/globals';
import { copyContainer, copyPod } from '#kube/records/pod';
import type { Wire } from '../../wire.ts';
import { readPod } from '../decode-pod.ts';
import { Interner } from '../interner.ts';

const AT = '2026-11-20T12:00:00Z';

function wirePod(name: string, status: object = {}, containers: readonly string[] = ['app']): Wire {
  const resources = { requests: { cpu: '250m', memory: '128Mi' } };
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '12',
      creationTimestamp: AT,
      labels: { app: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs', controller: true }],
    },
    spec: { nodeName: 'n1', containers: containers.map((each) => ({ name: each, resources })) },
    status: {
      phase: 'Running',
      qosClass: 'Burstable',
      podIP: '10.0.0.7',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT }],
      containerStatuses: containers.map((each) => ({ name: each, ready: true, restartCount: 0, state: { running: { startedAt: AT } } })),
      ...status,
    },
  };
}

test('a copy has every field of a decoded pod and of its containers, and the changes', () => {
  const pod = readPod(wirePod('web-1-a', {}, ['app', 'proxy']), new Interner());
  const copy = copyPod(pod, { containers: pod.containers.map((container) => copyContainer(container, { restarts: 3 })), live: pod });
  expect(copy).toMatchObject({ uid: 'uid-web-1-a', namespace: 'shop', resourceVersion: '12', node: 'n1', ip: '10.0.0.7', live: pod });
  expect([copy.createdAt, copy.readySince, copy.phase, copy.owner?.name]).toEqual([Date.parse(AT), Date.parse(AT), 'Running', 'web-1']);
  expect(copy.containers.map(({ name, startedAt, restarts }) => [name, startedAt, restarts])).toEqual([
    ['app', Date.parse(AT), 3],
    ['proxy', Date.parse(AT), 3],
  ]);
  expect(copyPod({ ...copy, labels: {} }, {}).labels).toEqual({});
});

test('pods of an owner do not mix up what differs between them', () => {
  const interner = new Interner();
  const read = (name: string, status: object) => readPod(wirePod(name, status), interner);
  const pods = [
    read('a', {}),
    read('b', { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: AT }] }),
    read('c', { containerStatuses: [{ name: 'app', ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } }] }),
    read('d', { qosClass: 'Guaranteed' }),
    read('e', {}),
  ];
  expect(pods.map(({ name, phase, ready, unreadySince, qosClass }) => [name, phase, ready, unreadySince, qosClass])).toEqual([
    ['a', 'Running', true, null, 'Burstable'],
    ['b', 'Pending', false, Date.parse(AT), 'Burstable'],
    ['c', 'Running', true, null, 'Burstable'],
    ['d', 'Running', true, null, 'Guaranteed'],
    ['e', 'Running', true, null, 'Burstable'],
  ]);
  expect(pods.map(({ containers: [app] }) => [app?.state, app?.restarts, app?.waitingReason, app?.requests.cpuMillicores])).toEqual([
    ['running', 0, null, 250],
    ['running', 0, null, 250],
    ['waiting', 2, 'CrashLoopBackOff', 250],
    ['running', 0, null, 250],
    ['running', 0, null, 250],
  ]);
});
