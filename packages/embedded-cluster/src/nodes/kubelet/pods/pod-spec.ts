// A pod's spec in the kubelet's form, decoded again whenever it changes.

import type { Parsed } from '#kube/parsed';
import { RESOURCE_AMOUNTS } from '#kube/records/pod-requests';
import { PodSum } from '#kube/pod-spec/pod-sum';
import type { OptionalResources, RequestsAndLimits, Resources } from '#kube/records/resources';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { Pod, PodSpec, ResourceList, WireContainer, WireResources } from '../../../controllers/wire/pod.ts';
import type { KubeObject } from '../../../api/kube-object.ts';
import { readScript, type ContainerScript } from '../container-script.ts';
import { probeTiming, type ProbeTiming } from './probe-timing.ts';

export type ContainerRole = 'main' | 'sidecar' | 'init';

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** Always contacts the registry at a start, even when the image is present. */
  readonly pullsAlways: boolean;
  readonly role: ContainerRole;
  readonly resources: RequestsAndLimits;
  readonly restartOn: { readonly cpu: boolean; readonly memory: boolean };
  readonly readiness: ProbeTiming | null;
  readonly startup: ProbeTiming | null;
  readonly script: ContainerScript | null;
}

/** Stored objects are valid by their schema; this only types their fields. */
export function asPod(object: KubeObject): Pod {
  return object as unknown as Pod;
}

/** Init containers in order (sidecars among them), then main containers. */
export function containerSpecs(spec: PodSpec): readonly ContainerSpec[] {
  return [
    ...(spec.initContainers ?? []).map((container) => containerSpec(container, container.restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...spec.containers.map((container) => containerSpec(container, 'main')),
  ];
}

function containerSpec(container: WireContainer, role: ContainerRole): ContainerSpec {
  const isRestartRequired = (resource: string): boolean =>
    container.resizePolicy?.some((policy) => policy.resourceName === resource && policy.restartPolicy === 'RestartContainer') ?? false;
  return {
    name: container.name,
    image: container.image ?? '',
    pullsAlways: container['imagePullPolicy'] === 'Always',
    role,
    resources: requestsAndLimits(container.resources),
    restartOn: { cpu: isRestartRequired('cpu'), memory: isRestartRequired('memory') },
    readiness: probeTiming(container['readinessProbe']),
    startup: probeTiming(container['startupProbe']),
    script: readScript([...texts(container['command']), ...texts(container['args'])]),
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function requestsAndLimits(resources: WireResources | undefined): RequestsAndLimits {
  return { requests: optionalResources(resources?.requests), limits: optionalResources(resources?.limits) };
}

export function optionalResources(list: ResourceList | undefined): OptionalResources {
  const cpu = list?.['cpu'];
  const memory = list?.['memory'];
  return {
    cpuMillicores: cpu === undefined ? null : valueOf(parseCpuMillicores(cpu)),
    memoryBytes: memory === undefined ? null : valueOf(parseMemoryBytes(memory)),
  };
}

function valueOf(parsed: Parsed<number>): number | null {
  return parsed.ok ? parsed.value : null;
}

const NONE: OptionalResources = { cpuMillicores: null, memoryBytes: null };
const NOTHING_STATED: RequestsAndLimits = { requests: NONE, limits: NONE };

/** The fields that a pod's total depends on. */
export interface RequestingContainer {
  readonly role: ContainerRole;
  readonly requests: OptionalResources;
}

/**
 * Requests of a pod on its node: the sum of its containers in the order of the spec, or its pod-level resources (KEP-2837); a limit without
 * a request counts as the request.
 */
export function podRequests(containers: Iterable<RequestingContainer>, whole: RequestsAndLimits = NOTHING_STATED): Resources {
  const sum = new PodSum(RESOURCE_AMOUNTS);
  for (const { role, requests } of containers) {
    if (role === 'init') sum.addInit(requests);
    else if (role === 'sidecar') sum.addSidecar(requests);
    else sum.addMain(requests);
  }
  const summed = sum.total();
  const total = (resource: keyof Resources): number => whole.requests[resource] ?? (summed[resource] || (whole.limits[resource] ?? 0));
  return { cpuMillicores: total('cpuMillicores'), memoryBytes: total('memoryBytes') };
}

/** Time for a pod to stop: its deletion's grace period, else that of its spec, else 30 s. */
export function gracePeriodMs(pod: Pod): DurationMs {
  return (pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * SECOND_MS;
}
