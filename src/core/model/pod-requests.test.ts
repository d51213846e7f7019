import { expect, test } from '@jest/globals';
import { aContainer, amounts, aPodRecord } from '../../../test/builders/rightsizing.ts';
import type { PodRecord } from './pod.ts';
import { podRequests, requestsBesideContainers } from './pod-requests.ts';

const main = aContainer({ name: 'main', requests: amounts('500m', '512Mi') });
const proxy = aContainer({ name: 'proxy', requests: amounts('100m', '128Mi'), record: { sidecar: true } });
const requestsOf = (pod: Partial<PodRecord>) => podRequests(aPodRecord(pod), ({ requests }) => requests);

test.each<[string, Partial<PodRecord>, string, string]>([
  ['main containers and sidecars together', { containers: [main, proxy] }, '600m', '640Mi'],
  [
    'the most of an init container and of the others, each resource by itself',
    { containers: [main, proxy], initContainers: [{ requests: amounts('2', '256Mi'), sidecarsBefore: 0 }] },
    '2',
    '640Mi',
  ],
  [
    'an init container beside the sidecars before it',
    { containers: [main, proxy], initContainers: [{ requests: amounts('2', '600Mi'), sidecarsBefore: 1 }] },
    '2100m',
    '728Mi',
  ],
  [
    'the greatest of several init containers, which run one after another',
    {
      containers: [main],
      initContainers: [
        { requests: amounts('800m', null), sidecarsBefore: 0 },
        { requests: amounts('700m', '1Gi'), sidecarsBefore: 0 },
      ],
    },
    '800m',
    '1Gi',
  ],
  ['overhead on top', { containers: [main], overhead: amounts('250m', '120Mi') }, '750m', '632Mi'],
])('a pod requests %s', (_case, pod, cpu, memory) => {
  expect(requestsOf(pod)).toEqual(amounts(cpu, memory));
});

test('what it requests beside its containers is what is left of that', () => {
  const pod = aPodRecord({ containers: [main], initContainers: [{ requests: amounts('2', '256Mi'), sidecarsBefore: 0 }] });
  expect(requestsBesideContainers(pod, ({ requests }) => requests)).toEqual(amounts('1500m', '0'));
});
