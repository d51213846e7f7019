import { expect, test } from '@jest/globals';
import { refusalByKubelet, refusalByServer } from './refusal-message.ts';

// Messages of the kubelet, the authorizer and the admission plugins of Kubernetes.
test.each([
  ['deferred', "Node didn't have enough resource: cpu, requested: 2000, used: 3500, capacity: 4000", 'node-capacity'],
  ['infeasible', "Node didn't have enough capacity: memory, requested: 68719476736, capacity: 33554432000", 'node-capacity'],
  ['infeasible', 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"', 'cpu-manager'],
  ['infeasible', 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"', 'memory-manager'],
  ['infeasible', 'In-place resize of containers with swap is not supported.', 'swap'],
  ['infeasible', 'In-place pod resize is not supported on Windows', 'no-resize'],
  ['infeasible', 'InPlacePodVerticalScaling is disabled', 'no-resize'],
  ['error', 'pods "web-1" is forbidden: Pod running on node without support for resize', 'no-resize'],
  [
    'error',
    'pods "web-1" is forbidden: User "system:serviceaccount:e:e" cannot patch resource "pods/resize" in API group ""',
    'permission',
  ],
  [
    'error',
    'pods "web-1" is forbidden: exceeded quota: team, requested: requests.cpu=2, used: requests.cpu=9, limited: requests.cpu=10',
    'quota',
  ],
  ['error', 'pods "web-1" is forbidden: maximum cpu usage per Container is 2, but limit is 4', 'quota'],
  ['error', 'admission webhook "policy.example.com" denied the request: no', 'other'],
] as const)('%s: %s', (state, message, code) => {
  expect(state === 'error' ? refusalByServer(message) : refusalByKubelet(state, message).code).toBe(code);
});

test.each([
  ["Node didn't have enough capacity: memory, requested: 68719476736, capacity: 33554432000", 'memory'],
  ["Node didn't have enough capacity: cpu, requested: 64000, capacity: 4000", 'cpu'],
  ['Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"', 'cpu'],
  ['In-place resize of containers with swap is not supported.', 'memory'],
  ['In-place pod resize is not supported on Windows', null],
  ['', null],
] as const)('the resource refused by %j is %s', (message, resource) => {
  expect(refusalByKubelet('infeasible', message).resource).toBe(resource);
});
