import { goMaxProcsOf, runtimeOf, type RuntimeTraces } from '#kube/records/container-runtime';
import { instantOf } from '#kube/time/iso-time';
import type { TemplateContainer, WorkloadRecord } from '#kube/records/workload';
import { readTolerations } from '#kube/pod-spec/toleration';
import { annotationsOf, metadataOf, unlabelledMetadataOf, type Metadata } from './decode-metadata.ts';
import { requestsAndLimits } from './decode-quantities.ts';
import type { Interner } from './interner.ts';
import { WorkloadLink } from './compact/workload-link.ts';
import { apiVersionOf, RESTARTED_AT, type ApiResource } from '../resources.ts';
import { numberAt, objectAt, objectsAt, optionalNumberAt, requiredTextAt, textAt, textsByKeyAt, type Wire } from '../wire.ts';

/** Annotations of the tool that installed a workload. */
const RETAINED_ANNOTATIONS = new Set(['meta.helm.sh/release-name', 'argocd.argoproj.io/tracking-id']);

type WorkloadHead = Pick<WorkloadRecord, 'namespace' | 'name' | 'uid' | 'resourceVersion' | 'labels' | 'annotations' | 'createdAt'> &
  Pick<WorkloadRecord, 'deletionAt' | 'controller'>;

interface Progress {
  readonly replicas: WorkloadRecord['replicas'];
  readonly rolloutInProgress: boolean;
}

/** Decodes one kind of workload. List items have no kind, so it comes from the resource. @throws WireError */
export function workloadReader(resource: ApiResource): (wire: Wire, interner: Interner) => WorkloadRecord {
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  const ofKind = { kind, apiVersion };
  return (wire, interner) => {
    const link = isLink(kind) ? linkOf(ofKind, wire, interner) : null;
    if (link !== null) return link;
    const metadata = metadataOf(wire, interner);
    const spec = objectAt(wire, 'spec');
    const status = objectAt(wire, 'status');
    return {
      ...workloadHead(metadata, wire, interner),
      kind,
      apiVersion,
      ...podTemplateOf(podSpecOf(kind, spec), interner),
      ...progressOf(kind, metadata, spec, status),
      ...rolloutHeldOf(spec),
      ...restartedAtOf(spec),
    };
  };
}

/** Fields that workloads of all kinds have. @throws WireError */
export function workloadHead(metadata: Metadata, wire: Wire, interner: Interner): WorkloadHead {
  return {
    namespace: metadata.namespace,
    name: interner.text(metadata.name),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    labels: metadata.labels,
    annotations: annotationsOf(wire, interner, RETAINED_ANNOTATIONS),
    createdAt: metadata.createdAt,
    deletionAt: metadata.deletionAt,
    controller: metadata.controller,
  };
}

function linkOf(kind: Pick<WorkloadRecord, 'kind' | 'apiVersion'>, wire: Wire, interner: Interner): WorkloadLink | null {
  const metadata = unlabelledMetadataOf(wire, interner);
  return metadata.controller === null ? null : new WorkloadLink(kind, metadata.controller, metadata);
}

function isLink(kind: string): boolean {
  return kind === 'ReplicaSet' || kind === 'Job';
}

function podSpecOf(kind: string, spec: Wire): Wire {
  const owner = kind === 'CronJob' ? objectAt(objectAt(spec, 'jobTemplate'), 'spec') : spec;
  return objectAt(objectAt(owner, 'template'), 'spec');
}

/** Containers and placement of a template's pod spec. @throws WireError */
export function podTemplateOf(pod: Wire, interner: Interner): Pick<WorkloadRecord, 'containers' | 'placement'> {
  return { containers: templateContainers(pod, interner), ...placementOf(pod, interner) };
}

/** Absent without node selector and tolerations, as in most templates. */
function placementOf(pod: Wire, interner: Interner): Pick<WorkloadRecord, 'placement'> {
  const nodeSelector = interner.map(textsByKeyAt(pod, 'nodeSelector', 'spec.template.spec.nodeSelector'));
  const tolerations = readTolerations(pod, 'spec.template.spec.tolerations');
  return tolerations.length === 0 && Object.keys(nodeSelector).length === 0 ? {} : { placement: { nodeSelector, tolerations } };
}

function templateContainers(pod: Wire, interner: Interner): readonly TemplateContainer[] {
  const main = objectsAt(pod, 'containers', 'spec.template.spec.containers');
  const sidecars = objectsAt(pod, 'initContainers', 'spec.template.spec.initContainers').filter((one) => one['restartPolicy'] === 'Always');
  return [
    ...main.map((container) => templateContainer(container, false, interner)),
    ...sidecars.map((container) => templateContainer(container, true, interner)),
  ];
}

function templateContainer(container: Wire, sidecar: boolean, interner: Interner): TemplateContainer {
  const name = interner.text(requiredTextAt(container, 'name', 'spec.template.spec.containers[].name'));
  const path = `spec.template.spec.containers[${name}].resources`;
  return {
    ...requestsAndLimits(objectAt(container, 'resources', path), path),
    name,
    sidecar,
    image: interner.text(textAt(container, 'image')),
    ...detectRuntime(container),
  };
}

// Of arguments and environment only a runtime's memory sizes are stored.
function detectRuntime(container: Wire): Pick<TemplateContainer, 'runtime' | 'goMaxProcs'> {
  const texts = (field: unknown) => (Array.isArray(field) ? field.filter((each) => typeof each === 'string') : []);
  const variables = Array.isArray(container['env']) ? container['env'] : [];
  const traces: RuntimeTraces = {
    commandLine: [...texts(container['command']), ...texts(container['args'])],
    variable: (name) => {
      const found: unknown = variables.find((one: unknown) => isNamed(one, name));
      return isNamed(found, name) && typeof found.value === 'string' ? found.value : null;
    },
    isFromLimit: (name) => variables.some((one: unknown) => isNamed(one, name) && isFieldOfContainer(one.valueFrom)),
    image: textAt(container, 'image'),
  };
  const [runtime, goMaxProcs] = [runtimeOf(traces), goMaxProcsOf(traces)];
  return { ...(runtime === null ? {} : { runtime }), ...(goMaxProcs === null ? {} : { goMaxProcs }) };
}

interface NamedVariable {
  readonly name: string;
  readonly value?: unknown;
  readonly valueFrom?: unknown;
}

function isNamed(variable: unknown, name: string): variable is NamedVariable {
  return typeof variable === 'object' && variable !== null && 'name' in variable && variable.name === name;
}

function isFieldOfContainer(source: unknown): boolean {
  return typeof source === 'object' && source !== null && 'resourceFieldRef' in source;
}

function rolloutHeldOf(spec: Wire): Pick<WorkloadRecord, 'rolloutHeld'> {
  if (spec['paused'] === true) return { rolloutHeld: 'paused' };
  return textAt(objectAt(spec, 'updateStrategy'), 'type') === 'OnDelete' ? { rolloutHeld: 'on-delete' } : {};
}

function restartedAtOf(spec: Wire): Pick<WorkloadRecord, 'restartedAt'> {
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const restartedAt = instantOf(textAt(objectAt(metadata, 'annotations'), RESTARTED_AT));
  return restartedAt === null ? {} : { restartedAt };
}

function progressOf(kind: string, metadata: Metadata, spec: Wire, status: Wire): Progress {
  switch (kind) {
    case 'Deployment':
      return deploymentProgress(metadata, spec, status);
    case 'StatefulSet':
      return statefulSetProgress(metadata, spec, status);
    case 'DaemonSet':
      return daemonSetProgress(metadata, spec, status);
    case 'ReplicaSet': {
      const current = numberAt(status, 'replicas', 0);
      const replicas = { desired: numberAt(spec, 'replicas', 1), current, ready: numberAt(status, 'readyReplicas', 0) };
      return { replicas, rolloutInProgress: false };
    }
    case 'Job': {
      const active = numberAt(status, 'active', 0);
      const replicas = { desired: numberAt(spec, 'parallelism', 1), current: active, ready: numberAt(status, 'ready', 0) };
      return { replicas, rolloutInProgress: false };
    }
    default: {
      const active = objectsAt(status, 'active', 'status.active').length;
      return { replicas: { desired: 0, current: active, ready: 0 }, rolloutInProgress: false };
    }
  }
}

function deploymentProgress(metadata: Metadata, spec: Wire, status: Wire): Progress {
  const current = numberAt(status, 'replicas', 0);
  const updated = numberAt(status, 'updatedReplicas', 0);
  return {
    replicas: { desired: numberAt(spec, 'replicas', 1), current, ready: numberAt(status, 'readyReplicas', 0) },
    rolloutInProgress: isUnobserved(metadata, status) || current > updated,
  };
}

// Old pods below a partition or under OnDelete are intended: as in `kubectl rollout status`, the rollout is complete.
function statefulSetProgress(metadata: Metadata, spec: Wire, status: Wire): Progress {
  const desired = numberAt(spec, 'replicas', 1);
  const current = numberAt(status, 'replicas', 0);
  const sameRevision = textAt(status, 'currentRevision') === textAt(status, 'updateRevision');
  const updated = sameRevision ? current : numberAt(status, 'updatedReplicas', 0);
  const strategy = objectAt(spec, 'updateStrategy');
  const partition = optionalNumberAt(objectAt(strategy, 'rollingUpdate'), 'partition') ?? 0;
  const expectedUpdated = textAt(strategy, 'type') === 'OnDelete' ? 0 : Math.max(0, Math.min(current, desired) - partition);
  return {
    replicas: { desired, current, ready: numberAt(status, 'readyReplicas', 0) },
    rolloutInProgress: isUnobserved(metadata, status) || updated < expectedUpdated,
  };
}

function daemonSetProgress(metadata: Metadata, spec: Wire, status: Wire): Progress {
  const desired = numberAt(status, 'desiredNumberScheduled', 0);
  const updated = numberAt(status, 'updatedNumberScheduled', 0);
  const onDelete = textAt(objectAt(spec, 'updateStrategy'), 'type') === 'OnDelete';
  const current = numberAt(status, 'currentNumberScheduled', 0);
  return {
    replicas: { desired, current, ready: numberAt(status, 'numberReady', 0) },
    rolloutInProgress: isUnobserved(metadata, status) || (!onDelete && updated < Math.min(desired, current)),
  };
}

// The controller has not observed the newest spec, so its status describes an older one.
function isUnobserved(metadata: Metadata, status: Wire): boolean {
  return numberAt(status, 'observedGeneration', 0) < metadata.generation;
}
