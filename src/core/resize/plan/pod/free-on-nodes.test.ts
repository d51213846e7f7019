import { expect, test } from '@jest/globals';
import { amounts, aPodRecord } from '../../../../../test/builders/rightsizing.ts';
import { freeOnNode } from './free-on-nodes.ts';

test('requests of init containers and pod overhead are not free capacity', () => {
  const allocatable = { cpuMillicores: 4000, memoryBytes: amounts(null, '8Gi').memoryBytes! };
  const pod = aPodRecord({ initContainers: [{ requests: amounts('2', null), sidecarsBefore: 0 }], overhead: amounts('250m', '512Mi') });
  expect(freeOnNode({ allocatable }, [pod])).toEqual(amounts('1750m', '7Gi'));
  expect(freeOnNode({ allocatable }, [{ ...pod, phase: 'Succeeded' }])).toEqual(allocatable);
});
