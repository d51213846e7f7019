import { expect, test } from '@jest/globals';
import { inferOwner, inferOwners } from './infer-owner.ts';

test.each([
  ['web-7d4f9c5b8d-x2k4v', 'Deployment/web'],
  ['my-web-2-5c6b79dd8-zxcvb', 'Deployment/my-web-2'],
  ['nightly-28391040-qwrtz', 'CronJob/nightly'],
  ['db-0', 'StatefulSet/db'],
  ['kafka-broker-12', 'StatefulSet/kafka-broker'],
  ['agent-x2k4v', 'DaemonSet/agent'],
  ['debug', 'Pod/debug'],
])('%s most likely belongs to %s, and least likely to no workload', (pod, likeliest) => {
  const owners = inferOwners('shop', pod).map(({ kind, name }) => `${kind}/${name}`);
  expect(owners[0]).toBe(likeliest);
  expect(owners.at(-1)).toBe(`Pod/${pod}`);
});

test.each([
  ['a ReplicaSet of a Deployment', 'ReplicaSet', 'web-5f7d', { 'pod-template-hash': '5f7d' }, { kind: 'Deployment', name: 'web' }],
  ['a ReplicaSet of a Rollout', 'ReplicaSet', 'web-5f7d', { 'rollouts-pod-template-hash': '5f7d' }, { kind: 'Rollout', name: 'web' }],
  ['a ReplicaSet with another hash', 'ReplicaSet', 'web-5f7d', { 'pod-template-hash': 'abcd' }, null],
  ['a Job of a CronJob', 'Job', 'report-29384756', {}, { kind: 'CronJob', name: 'report' }],
  ['a Job without a time', 'Job', 'report', {}, null],
])('the owner of %s follows from its name', (_, kind, name, labels: Record<string, string>, owner) => {
  expect(inferOwner({ kind, name }, labels)).toEqual(owner);
});
