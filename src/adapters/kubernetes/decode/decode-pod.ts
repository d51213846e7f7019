import { readSchedulingFacts } from '#kube/pod-spec/scheduling-facts';
import { readPriority } from '#kube/pod-spec/scheduling-rules';
import type { ContainerRecord, ContainerTermination, PodRecord, PodResizeStatus, ResizeRestartPolicy } from '#kube/records/pod';
import { greaterResources, UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { VPA_POD_ANNOTATIONS } from '../../../core/resize/plan/blockers/other-manager.ts';
import { CompactContainer } from './compact/compact-container.ts';
import { CompactPod, type RarePodFields, type SharedPodFields } from './compact/compact-pod.ts';
import { annotationsOf, metadataOf, oneOf } from './decode-metadata.ts';
import { optionalResources, requestsAndLimits } from './decode-quantities.ts';
import { refusalByKubelet } from '../refusal-message.ts';
import { latestWriterThrough } from './managed-fields.ts';
import type { Interner } from './interner.ts';
import {
  booleanAt,
  numberAt,
  objectAt,
  objectsAt,
  optionalInstantAt,
  optionalObjectAt,
  optionalTextAt,
  requiredTextAt,
  textAt,
  type Wire,
} from '../wire.ts';

const RETAINED_ANNOTATIONS = new Set<string>([
  'kubernetes.io/config.mirror',
  'kubectl.kubernetes.io/default-container',
  ...VPA_POD_ANNOTATIONS,
]);

/** Decodes the fields of a pod that decisions need: a few hundred bytes of about 7 kB. @throws WireError */
export function readPod(wire: Wire, interner: Interner): PodRecord {
  const metadata = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const status = objectAt(wire, 'status');
  const conditions = conditionsByType(status);
  const ready = conditions.get('Ready');
  const isReady = ready?.['status'] === 'True';
  const scheduled = conditions.get('PodScheduled');
  const node = textAt(spec, 'nodeName', 'spec.nodeName');
  const { facts, pinnedNode } = readSchedulingFacts(spec, metadata);
  const shared: SharedPodFields = {
    namespace: metadata.namespace,
    annotations: annotationsOf(wire, interner, RETAINED_ANNOTATIONS),
    phase: oneOf(textAt(status, 'phase', 'status.phase'), ['Pending', 'Running', 'Succeeded', 'Failed'], 'Unknown'),
    ready: isReady,
    schedulable: scheduled?.['status'] !== 'False' || scheduled['reason'] !== 'Unschedulable',
    qosClass: oneOf(textAt(status, 'qosClass', 'status.qosClass'), ['Guaranteed', 'Burstable', 'BestEffort'], 'BestEffort'),
    priority: readPriority(spec),
    restartPolicy: oneOf(textAt(spec, 'restartPolicy', 'spec.restartPolicy'), ['Always', 'OnFailure', 'Never'], 'Always'),
    owner: metadata.controller,
    hostNetwork: booleanAt(spec, 'hostNetwork', false, 'spec.hostNetwork'),
    windows: textAt(objectAt(spec, 'os', 'spec.os'), 'name') === 'windows',
    sizedAsWhole: Object.keys(objectAt(spec, 'resources', 'spec.resources')).length === 0 ? undefined : true,
    scheduling: interner.schedulingFacts(facts),
    initContainers: initContainersOf(spec, interner),
    overhead: overheadOf(spec, interner),
  };
  const rare: RarePodFields = {
    deletionAt: metadata.deletionAt,
    unreadySince: ready === undefined || isReady ? null : optionalInstantAt(ready, 'lastTransitionTime'),
    resize: resizeStatus(status, conditions),
    resizedBy: latestWriterThrough(wire, 'resize'),
    pinnedNode: pinnedNode === null ? null : interner.text(pinnedNode),
  };
  return new CompactPod(
    {
      uid: metadata.uid,
      name: metadata.name,
      resourceVersion: metadata.resourceVersion,
      labels: metadata.labels,
      createdAt: metadata.createdAt,
      node: node === '' ? null : interner.text(node),
      readySince: isReady ? optionalInstantAt(ready, 'lastTransitionTime') : null,
      ip: optionalTextAt(status, 'podIP', 'status.podIP'),
      containers: containersOf(spec, status, interner),
    },
    interner.podFields(shared),
    isCommon(rare) ? NO_RARE_FIELDS : rare,
  );
}

const NO_RESIZE: PodResizeStatus = { state: 'none', message: '', since: null };
const NO_RARE_FIELDS: RarePodFields = { deletionAt: null, unreadySince: null, resize: NO_RESIZE, resizedBy: null, pinnedNode: null };

function isCommon({ deletionAt, unreadySince, resize, resizedBy, pinnedNode }: RarePodFields): boolean {
  return deletionAt === null && unreadySince === null && resize === NO_RESIZE && resizedBy === null && pinnedNode === null;
}

function conditionsByType(status: Wire): ReadonlyMap<string, Wire> {
  return new Map(objectsAt(status, 'conditions', 'status.conditions').map((condition) => [textAt(condition, 'type'), condition]));
}

// Kubernetes 1.33 moved the state from `status.resize` into two conditions; the field still comes from older kubelets.
function resizeStatus(status: Wire, conditions: ReadonlyMap<string, Wire>): PodResizeStatus {
  const pending = conditions.get('PodResizePending');
  const progress = conditions.get('PodResizeInProgress');
  // A pending resize is newer than one in progress, and it is the one to report.
  if (pending?.['status'] === 'True') {
    const state = textAt(pending, 'reason') === 'Infeasible' ? 'infeasible' : 'deferred';
    const details = messageAndTime(pending);
    return { state, ...details, refusal: refusalByKubelet(state, details.message) };
  }
  if (progress?.['status'] === 'True') {
    return { state: textAt(progress, 'reason') === 'Error' ? 'error' : 'in-progress', ...messageAndTime(progress) };
  }
  switch (textAt(status, 'resize', 'status.resize')) {
    case 'Proposed':
    case 'InProgress':
      return { state: 'in-progress', message: '', since: null };
    case 'Deferred':
      return { state: 'deferred', message: '', since: null };
    case 'Infeasible':
      return { state: 'infeasible', message: '', since: null };
    default:
      return NO_RESIZE;
  }
}

function messageAndTime(condition: Wire): Pick<PodResizeStatus, 'message' | 'since'> {
  return { message: textAt(condition, 'message'), since: optionalInstantAt(condition, 'lastTransitionTime') };
}

function containersOf(spec: Wire, status: Wire, interner: Interner): readonly ContainerRecord[] {
  const statuses = statusesByName(status, 'containerStatuses');
  const containers = objectsAt(spec, 'containers', 'spec.containers').map((container) =>
    readContainer(container, statuses, false, interner),
  );
  const sidecars = objectsAt(spec, 'initContainers', 'spec.initContainers').filter((container) => container['restartPolicy'] === 'Always');
  if (sidecars.length === 0) return containers;
  const initStatuses = statusesByName(status, 'initContainerStatuses');
  return [...containers, ...sidecars.map((container) => readContainer(container, initStatuses, true, interner))];
}

function initContainersOf(spec: Wire, interner: Interner): PodRecord['initContainers'] {
  let sidecarsBefore = 0;
  // Keyed by the number of preceding sidecars. Init containers between two sidecars count as their maximum, per resource.
  const greatest = new Map<number, OptionalResources>();
  for (const container of objectsAt(spec, 'initContainers', 'spec.initContainers')) {
    const name = requiredTextAt(container, 'name', 'spec.initContainers[].name');
    if (container['restartPolicy'] === 'Always') {
      sidecarsBefore += 1;
      continue;
    }
    const path = `spec.initContainers[${name}].resources`;
    const { requests } = requestsAndLimits(objectAt(container, 'resources', path), path);
    if (isSet(requests)) greatest.set(sidecarsBefore, greaterResources(greatest.get(sidecarsBefore) ?? UNSET_RESOURCES, requests));
  }
  if (greatest.size === 0) return undefined;
  return [...greatest].map(([before, requests]) => ({ requests: interner.resources(requests), sidecarsBefore: before }));
}

function overheadOf(spec: Wire, interner: Interner): PodRecord['overhead'] {
  const overhead = optionalResources(objectAt(spec, 'overhead', 'spec.overhead'), 'spec.overhead');
  return isSet(overhead) ? interner.resources(overhead) : undefined;
}

function isSet({ cpuMillicores, memoryBytes }: OptionalResources): boolean {
  return cpuMillicores !== null || memoryBytes !== null;
}

function statusesByName(status: Wire, key: string): ReadonlyMap<string, Wire> {
  return new Map(objectsAt(status, key, `status.${key}`).map((one) => [textAt(one, 'name'), one]));
}

function readContainer(container: Wire, statuses: ReadonlyMap<string, Wire>, sidecar: boolean, interner: Interner): ContainerRecord {
  const name = interner.text(requiredTextAt(container, 'name', 'spec.containers[].name'));
  const status = statuses.get(name) ?? {};
  const path = `spec.containers[${name}].resources`;
  const statusPath = `status.containerStatuses[${name}]`;
  const desired = interner.requestsAndLimits(requestsAndLimits(objectAt(container, 'resources', path), path));
  const actual = optionalObjectAt(status, 'resources', `${statusPath}.resources`);
  const allocated = optionalObjectAt(status, 'allocatedResources', `${statusPath}.allocatedResources`);
  const state = objectAt(status, 'state', `${statusPath}.state`);
  const running = optionalObjectAt(state, 'running');
  const terminated = optionalObjectAt(state, 'terminated');
  const shared = interner.containerFields({
    requests: desired.requests,
    limits: desired.limits,
    name,
    sidecar,
    actual: actual === null ? null : interner.requestsAndLimits(requestsAndLimits(actual, `${statusPath}.resources`)),
    allocated: allocated === null ? null : interner.resources(optionalResources(allocated, `${statusPath}.allocatedResources`)),
    resizePolicy: resizePolicyOf(container),
    state: running !== null ? 'running' : terminated !== null ? 'terminated' : 'waiting',
    waitingReason: optionalTextAt(objectAt(state, 'waiting'), 'reason'),
    ready: booleanAt(status, 'ready', false, `${statusPath}.ready`),
    restarts: numberAt(status, 'restartCount', 0, `${statusPath}.restartCount`),
    // The termination of a container that stays terminated is in `state`; of a restarted one, in `lastState`.
    lastTermination: terminationOf(terminated ?? optionalObjectAt(objectAt(status, 'lastState'), 'terminated'), interner),
  });
  return new CompactContainer(shared, optionalInstantAt(running ?? {}, 'startedAt'));
}

function terminationOf(terminated: Wire | null, interner: Interner): ContainerTermination | null {
  if (terminated === null) return null;
  return {
    reason: interner.text(textAt(terminated, 'reason')),
    exitCode: numberAt(terminated, 'exitCode', 0),
    startedAt: optionalInstantAt(terminated, 'startedAt'),
    finishedAt: optionalInstantAt(terminated, 'finishedAt'),
  };
}

const NO_RESTART: ContainerRecord['resizePolicy'] = { cpu: 'NotRequired', memory: 'NotRequired' };

function resizePolicyOf(container: Wire): ContainerRecord['resizePolicy'] {
  const policies = objectsAt(container, 'resizePolicy', 'spec.containers[].resizePolicy');
  if (policies.length === 0) return NO_RESTART;
  const of = (resource: string): ResizeRestartPolicy => {
    const policy = policies.find((one) => one['resourceName'] === resource);
    // An unknown value counts as RestartContainer: an unexpected restart is worse than a resize that waits.
    return policy === undefined || policy['restartPolicy'] === 'NotRequired' ? 'NotRequired' : 'RestartContainer';
  };
  const [cpu, memory] = [of('cpu'), of('memory')];
  return cpu === 'NotRequired' && memory === 'NotRequired' ? NO_RESTART : { cpu, memory };
}
