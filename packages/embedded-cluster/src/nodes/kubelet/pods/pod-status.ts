// A pod's status as its kubelet writes it, computed from the running containers. Pure: the same runtime and old status give the same
// result.

import { formatCpu, formatMemory } from '#kube/quantity';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { ContainerStatus, PodStatus, ResourceList, WireCondition, WireResources } from '../../../controllers/wire/pod.ts';
import { hashText } from '../../../clock/seeded-hash.ts';
import type { ContainerRuntime, Termination } from '../container-runtime.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { toTimestamp } from '../../../api/timestamp.ts';

const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodResizePending',
  'PodResizeInProgress',
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
]);

/** @param old the current status: conditions of other writers and times of unchanged ones are kept */
export function podStatus(pod: PodRuntime, old: PodStatus, hostIp: string, now: Instant): PodStatus {
  const init = pod.initContainers();
  const status: PodStatus = {
    observedGeneration: pod.generation,
    phase: podPhase(pod),
    conditions: conditionsOf(pod, old.conditions ?? [], now),
    ...(pod.failure === null ? {} : { reason: pod.failure.reason, message: pod.failure.message }),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(pod.podIp === null ? {} : { podIP: pod.podIp, podIPs: [{ ip: pod.podIp }] }),
    ...(pod.startTime === null ? {} : { startTime: toTimestamp(pod.startTime) }),
    ...(init.length === 0 ? {} : { initContainerStatuses: init.map((container) => containerStatus(pod, container)) }),
    containerStatuses: pod.mainContainers().map((container) => containerStatus(pod, container)),
    qosClass: pod.qosClass,
  };
  return status;
}

/** Pending, Running, Succeeded or Failed, by the kubelet's rules. */
function podPhase(pod: PodRuntime): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  if (pod.failure !== null) return 'Failed';
  const main = pod.mainContainers();
  if (pod.ended) {
    const failed = pod.containers.some(
      ({ spec, state }) => spec.role !== 'sidecar' && state.kind === 'terminated' && state.termination.exitCode !== 0,
    );
    return failed || main.some(({ state }) => state.kind === 'waiting') ? 'Failed' : 'Succeeded';
  }
  if (!pod.initialized) return 'Pending';
  const neverStarted = main.some(({ state, lastTermination }) => state.kind === 'waiting' && lastTermination === null);
  return neverStarted ? 'Pending' : 'Running';
}

function conditionsOf(pod: PodRuntime, old: readonly WireCondition[], now: Instant): WireCondition[] {
  const previous = new Map(old.map((condition) => [condition.type, condition]));
  const conditions: WireCondition[] = [];
  const add = (type: string, status: boolean, reason?: string, message?: string): void => {
    conditions.push(withTime(previous.get(type), type, status ? 'True' : 'False', pod.generation, now, reason, message));
  };
  const { resizePending, resizeInProgress } = pod;
  if (resizePending !== null) {
    conditions.push(
      withTime(
        previous.get('PodResizePending'),
        'PodResizePending',
        'True',
        resizePending.generation,
        now,
        resizePending.reason,
        resizePending.message,
      ),
    );
  }
  if (resizeInProgress !== null) {
    const { error, generation } = resizeInProgress;
    const words: [string?, string?] = error === null ? [] : ['Error', error];
    conditions.push(withTime(previous.get('PodResizeInProgress'), 'PodResizeInProgress', 'True', generation, now, ...words));
  }
  add('PodReadyToStartContainers', pod.podIp !== null && !pod.ended);
  const notInitialized = pod
    .initContainers()
    .filter(({ spec, state, started }) => (spec.role === 'sidecar' ? !started : state.kind !== 'terminated'));
  if (pod.initialized) add('Initialized', true, ...(isCompleted(pod) ? (['PodCompleted'] as const) : []));
  else add('Initialized', false, 'ContainersNotInitialized', `containers with incomplete status: [${names(notInitialized)}]`);
  addReadiness(pod, add);
  return [...conditions, ...old.filter(({ type }) => !OWN_CONDITIONS.has(type))];
}

function addReadiness(pod: PodRuntime, add: (type: string, status: boolean, reason?: string, message?: string) => void): void {
  const notReady = pod.containers.filter(({ spec, ready }) => spec.role !== 'init' && !ready);
  for (const type of ['Ready', 'ContainersReady']) {
    if (isCompleted(pod)) add(type, false, 'PodCompleted');
    else if (pod.ended) add(type, false, 'PodFailed');
    else if (notReady.length > 0) add(type, false, 'ContainersNotReady', `containers with unready status: [${names(notReady)}]`);
    else add(type, true);
  }
}

function isCompleted(pod: PodRuntime): boolean {
  return pod.ended && podPhase(pod) === 'Succeeded';
}

function names(containers: readonly ContainerRuntime[]): string {
  return containers.map(({ name }) => name).join(' ');
}

function withTime(
  old: WireCondition | undefined,
  type: string,
  status: string,
  generation: number,
  now: Instant,
  reason?: string,
  message?: string,
): WireCondition {
  const unchanged = old?.status === status;
  return {
    type,
    status,
    observedGeneration: generation,
    lastProbeTime: null,
    lastTransitionTime: (unchanged ? old.lastTransitionTime : undefined) ?? toTimestamp(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function containerStatus(pod: PodRuntime, container: ContainerRuntime): ContainerStatus {
  const { state, lastTermination, spec } = container;
  const ran = container.containerId !== '';
  return {
    name: container.name,
    state: wireState(container),
    lastState: lastTermination === null ? {} : { terminated: wireTermination(lastTermination) },
    ready: container.ready || (spec.role === 'init' && state.kind === 'terminated' && state.termination.exitCode === 0),
    restartCount: container.restartCount,
    image: spec.image,
    imageID: ran ? imageId(spec.image) : '',
    ...(ran ? { containerID: container.containerId } : {}),
    started: container.started,
    ...(container.actual === null || pod.ended
      ? {}
      : { allocatedResources: resourceList(container.allocated.requests), resources: wireResources(container.actual) }),
  };
}

function wireState(container: ContainerRuntime): Record<string, unknown> {
  const { state } = container;
  switch (state.kind) {
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message === null ? {} : { message: state.message }) } };
    case 'running':
      return { running: { startedAt: toTimestamp(state.startedAt) } };
    case 'terminated':
      return { terminated: wireTermination(state.termination) };
  }
}

function wireTermination(termination: Termination): Record<string, unknown> {
  return {
    exitCode: termination.exitCode,
    reason: termination.reason,
    startedAt: toTimestamp(termination.startedAt),
    finishedAt: toTimestamp(termination.finishedAt),
    containerID: termination.containerId,
  };
}

/** A digest that depends on the image's name alone. */
function imageId(image: string): string {
  let digest = '';
  for (let part = 0; part < 8; part++) digest += hashText(part, image).toString(16).padStart(8, '0');
  return `${image.replace(/[:@][^/]*$/, '')}@sha256:${digest}`;
}

/** Formatted like requests and limits; unset values are omitted. */
export function wireResources(resources: RequestsAndLimits): WireResources {
  const requests = resourceList(resources.requests);
  const limits = resourceList(resources.limits);
  return { ...(Object.keys(limits).length > 0 ? { limits } : {}), ...(Object.keys(requests).length > 0 ? { requests } : {}) };
}

function resourceList(resources: OptionalResources): ResourceList {
  return {
    ...(resources.cpuMillicores === null ? {} : { cpu: formatCpu(resources.cpuMillicores) }),
    ...(resources.memoryBytes === null ? {} : { memory: formatMemory(resources.memoryBytes) }),
  };
}
