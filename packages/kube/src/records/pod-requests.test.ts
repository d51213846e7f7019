import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCpuMillicores, parseMemoryBytes } from '../quantity.ts';
import { countedRequests } from './pod.ts';
import { podRequests, requestsBesideContainers, type RequestingPod } from './pod-requests.ts';
import type { OptionalResources } from './resources.ts';

interface Container {
  readonly sidecar: boolean;
  readonly requests: OptionalResources;
}

/** `amounts('100m', '128Mi')`; null leaves a resource unset. */
function amounts(cpu: string | null, memory: string | null): OptionalResources {
  const [cpuMillicores, memoryBytes] = [cpu === null ? null : parseCpuMillicores(cpu), memory === null ? null : parseMemoryBytes(memory)];
  if (cpuMillicores?.ok === false || memoryBytes?.ok === false) throw new Error(`${cpu} or ${memory} is no quantity`);
  return { cpuMillicores: cpuMillicores?.value ?? null, memoryBytes: memoryBytes?.value ?? null };
}

const main: Container = { sidecar: false, requests: amounts('500m', '512Mi') };
const proxy: Container = { sidecar: true, requests: amounts('100m', '128Mi') };
const requestsOf = (pod: RequestingPod<Container>) => podRequests(pod, ({ requests }) => requests);

test.each<[string, RequestingPod<Container>, string, string]>([
  ['main containers and sidecars together', { containers: [main, proxy] }, '600m', '640Mi'],
  [
    'the maximum of an init container and the long-running containers, per resource',
    { containers: [main, proxy], initContainers: [{ requests: amounts('2', '256Mi'), sidecarsBefore: 0 }] },
    '2',
    '640Mi',
  ],
  [
    'an init container plus the sidecars before it',
    { containers: [main, proxy], initContainers: [{ requests: amounts('2', '600Mi'), sidecarsBefore: 1 }] },
    '2100m',
    '728Mi',
  ],
  [
    'the maximum of several init containers, which run one at a time',
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

test('requests beside the containers are the difference from the container sum', () => {
  const pod = { containers: [main], initContainers: [{ requests: amounts('2', '256Mi'), sidecarsBefore: 0 }] };
  expect(requestsBesideContainers(pod, ({ requests }) => requests)).toEqual(amounts('1500m', '0'));
});

test('during a resize a container counts as the maximum of requested and allocated, per resource', () => {
  const container = (allocated: OptionalResources | null) => ({ requests: amounts('500m', '1Gi'), allocated });
  expect(countedRequests(container(amounts('1', '512Mi')))).toEqual(amounts('1', '1Gi'));
  expect(countedRequests(container(null))).toEqual(amounts('500m', '1Gi'));
});

/** A container in spec order: plain init containers and sidecars, then main containers. */
interface Spec {
  readonly role: 'init' | 'sidecar' | 'main';
  readonly cpu: number | null;
}

/** The formula of KEP-753, transcribed literally. */
function expectedCpu(containers: readonly Spec[], overhead: number): number {
  const cpuOf = ({ cpu }: Spec): number => cpu ?? 0;
  const sum = (specs: readonly Spec[]): number => specs.reduce((total, spec) => total + cpuOf(spec), 0);
  const inits = containers.filter(({ role }) => role !== 'main');
  const isSidecar = ({ role }: Spec): boolean => role === 'sidecar';
  // InitContainerUse(i) = sum of the sidecars before i + init container i; a sidecar is one of them.
  const initUses = inits.map((init, index) => sum(inits.slice(0, index).filter(isSidecar)) + cpuOf(init));
  const mains = sum(containers.filter(({ role }) => role === 'main'));
  return Math.max(0, ...initUses, sum(inits.filter(isSidecar)) + mains) + overhead;
}

/** The same pod as a record: main containers and sidecars, then plain init containers with the number of preceding sidecars. */
function recordOf(specs: readonly Spec[], overhead: number): RequestingPod<Container> {
  const requests = ({ cpu }: Spec): OptionalResources => ({ cpuMillicores: cpu, memoryBytes: null });
  const container = (spec: Spec): Container => ({ requests: requests(spec), sidecar: spec.role === 'sidecar' });
  const withRole = (role: Spec['role']) => specs.filter((spec) => spec.role === role);
  return {
    containers: [...withRole('main'), ...withRole('sidecar')].map(container),
    initContainers: specs.flatMap((spec, index) =>
      spec.role === 'init'
        ? [{ requests: requests(spec), sidecarsBefore: specs.slice(0, index).filter(({ role }) => role === 'sidecar').length }]
        : [],
    ),
    overhead: { cpuMillicores: overhead, memoryBytes: null },
  };
}

test('a pod requests what KEP-753 specifies, for any containers', () => {
  const cpu = fc.option(fc.nat(1_000));
  const inits = fc.array(fc.record({ role: fc.constantFrom('init' as const, 'sidecar' as const), cpu }), { maxLength: 6 });
  const mains = fc.array(fc.record({ role: fc.constant('main' as const), cpu }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(inits, mains, fc.nat(500), (before, main, overhead) => {
      const specs: readonly Spec[] = [...before, ...main];
      expect(requestsOf(recordOf(specs, overhead))).toEqual({ cpuMillicores: expectedCpu(specs, overhead), memoryBytes: 0 });
    }),
  );
});
