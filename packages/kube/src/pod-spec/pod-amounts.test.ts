import { describe, expect, test } from '@jest/globals';
import { readWholeAmounts } from '../amounts.ts';
import { readOtherRequests, readOverhead, readRequests, readWholeRequests, sumContainers } from './pod-amounts.ts';
import type { Wire } from '../wire.ts';

const requests = (amounts: object, fields: object = {}): object => ({ resources: { requests: amounts }, ...fields });
const SIDECAR = { restartPolicy: 'Always' };

describe('amounts', () => {
  test.each<[Wire, object]>([
    [
      { cpu: '250m', memory: '1Ki', pods: '110' },
      { cpu: 250, memory: 1024, pods: 110 },
    ],
    [
      { cpu: 2, memory: '1500m', 'example.com/gpu': '1' },
      { cpu: 2000, memory: 2, 'example.com/gpu': 1 },
    ],
    [
      { cpu: '1u', memory: 'much', 'hugepages-2Mi': null },
      { cpu: 1, memory: 0, 'hugepages-2Mi': 0 },
    ],
    [{ cpu: '-1' }, { cpu: 0 }],
  ])('reads %j as %j', (list, expected) => {
    expect(Object.fromEntries(readWholeAmounts(list))).toEqual(expected);
  });
});

describe('requests of a pod', () => {
  const sum = (spec: Wire): object => Object.fromEntries(sumContainers(spec, readRequests, readRequests));

  test.each<[string, Wire, object]>([
    ['main containers run together', { containers: [requests({ cpu: '1' }), requests({ cpu: '2', gpu: '1' })] }, { cpu: 3000, gpu: 1 }],
    [
      'init containers run one at a time before the main containers',
      { initContainers: [requests({ cpu: '3' }), requests({ cpu: '2' })], containers: [requests({ cpu: '1' })] },
      { cpu: 3000 },
    ],
    [
      'sidecars run alongside what starts after them',
      {
        initContainers: [requests({ cpu: '4' }), requests({ cpu: '1' }, SIDECAR), requests({ cpu: '4' })],
        containers: [requests({ cpu: '1' })],
      },
      { cpu: 5000 },
    ],
  ])('%s', (_, spec, expected) => {
    expect(sum(spec)).toEqual(expected);
  });

  test.each<[string, Wire, object]>([
    ['nothing', { containers: [requests({ cpu: '1' })] }, {}],
    ['requests', { resources: { requests: { cpu: '2', other: '1' } }, containers: [requests({ cpu: '1' })] }, { cpu: 2000 }],
    ['limits, from container requests', { resources: { limits: { cpu: '4' } }, containers: [requests({ cpu: '1' })] }, { cpu: 1000 }],
    ['limits only', { resources: { limits: { cpu: '4' } }, containers: [{}] }, { cpu: 4000 }],
  ])('pod-level requests: %s', (_, spec, expected) => {
    expect(Object.fromEntries(readWholeRequests(spec))).toEqual(expected);
  });

  test.each<[string, Wire, object]>([
    ['nothing', { containers: [requests({ cpu: '1', memory: '1Gi' })], overhead: { cpu: '1' } }, {}],
    [
      'devices and storage, including init containers and overhead',
      {
        initContainers: [requests({ 'ephemeral-storage': '2Gi' })],
        containers: [requests({ 'ephemeral-storage': '1Gi', 'nvidia.com/gpu': '1' }), requests({ 'nvidia.com/gpu': '1' })],
        overhead: { 'ephemeral-storage': '500m' },
      },
      { 'ephemeral-storage': 2 * 2 ** 30 + 1, 'nvidia.com/gpu': 2 },
    ],
    [
      'pod-level huge pages',
      { resources: { requests: { 'hugepages-2Mi': '4Mi', cpu: '1' } }, containers: [requests({ 'hugepages-2Mi': '2Mi' })] },
      { 'hugepages-2Mi': 4 * 2 ** 20 },
    ],
  ])('besides CPU and memory: %s', (_, spec, expected) => {
    expect(Object.fromEntries(readOtherRequests(spec))).toEqual(expected);
  });

  test('overhead is read from spec.overhead', () => {
    expect(Object.fromEntries(readOverhead({ overhead: { cpu: '250m', memory: '120Mi' } }))).toEqual({ cpu: 250, memory: 120 * 2 ** 20 });
    expect(readOverhead({}).size).toBe(0);
  });
});
