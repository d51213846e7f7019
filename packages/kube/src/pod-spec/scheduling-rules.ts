// Scheduling rules of a pod besides requests and priority, in a form that the pods of a template share.

import { readNodeAffinity, readPodAffinity, type NodeAffinity, type NodeTerm, type PodAffinity } from './affinity.ts';
import { readHostPorts, type HostPort } from './host-port.ts';
import type { Labels } from '../label-selector.ts';
import { readClaims, readDisks, type ClaimTemplate, type InlineDisk } from './pod-volumes.ts';
import { readSpreadConstraints, type SpreadConstraint } from './spread-constraint.ts';
import { readTolerations, type Toleration } from './toleration.ts';
import { booleanAt, numberAt, objectsAt, textAt, textsByKeyAt, type Wire } from '../wire.ts';

/** Scheduling rules of the pods of a template. */
export interface SchedulingRules extends NodeAffinity, PodAffinity {
  readonly nodeSelector: Labels;
  readonly tolerations: readonly Toleration[];
  readonly spread: readonly SpreadConstraint[];
  readonly ports: readonly HostPort[];
  readonly claims: readonly ClaimTemplate[];
  readonly disks: readonly InlineDisk[];
  /** Features that a node must declare. */
  readonly features: readonly string[];
  /** Scheduling gates, which keep the pod out of the queue. */
  readonly gates: readonly string[];
  /** Whether preemptionPolicy is not Never. */
  readonly mayPreempt: boolean;
  /** Fields that no rule here implements; such a pod fits nowhere, because a guess could be wrong. */
  readonly unmodelled: readonly string[];
}

/** The pod of a spec; its labels are needed for `matchLabelKeys`. */
export interface PodIdentity {
  readonly name: string;
  readonly labels: Labels;
}

/** The rules of one pod. */
export interface PodRules {
  readonly rules: SchedulingRules;
  /** The single node of its affinity, as for a DaemonSet pod; null: none. */
  readonly pinnedNode: string | null;
}

const NONE: readonly never[] = [];

/**
 * Parses the spec of a pod. Pods of one template have equal rules, without their names in claims and without the node of a
 * DaemonSet pod.
 *
 * @throws WireError
 */
export function readSchedulingRules(spec: Wire, pod: PodIdentity): PodRules {
  const unmodelled = objectsAt(spec, 'resourceClaims', 'spec.resourceClaims').length > 0 ? ['spec.resourceClaims'] : [];
  const onUnknown = (field: string): void => void unmodelled.push(field);
  const nodes = readNodeAffinity(spec, onUnknown);
  const pinnedNode = findPinnedNode(nodes.nodeTerms);
  const pods = readPodAffinity(spec, pod.labels, onUnknown);
  const rules: SchedulingRules = {
    nodeSelector: textsByKeyAt(spec, 'nodeSelector', 'spec.nodeSelector'),
    nodeTerms: pinnedNode === null ? nodes.nodeTerms : null,
    preferredNodeTerms: orNone(nodes.preferredNodeTerms),
    affinity: orNone(pods.affinity),
    antiAffinity: orNone(pods.antiAffinity),
    preferredAffinity: orNone(pods.preferredAffinity),
    preferredAntiAffinity: orNone(pods.preferredAntiAffinity),
    tolerations: orNone(readTolerations(spec)),
    spread: orNone(readSpreadConstraints(spec, pod.labels, onUnknown)),
    ports: orNone(readHostPorts(spec)),
    claims: orNone(readClaims(spec, pod.name)),
    disks: orNone(readDisks(spec)),
    features: orNone(readFeatures(spec)),
    gates: orNone(objectsAt(spec, 'schedulingGates', 'spec.schedulingGates').map((gate) => textAt(gate, 'name'))),
    mayPreempt: textAt(spec, 'preemptionPolicy', 'spec.preemptionPolicy') !== 'Never',
    unmodelled: orNone(unmodelled),
  };
  return { rules, pinnedNode };
}

/** Parses the priority of a pod spec. @throws WireError */
export function readPriority(spec: Wire): number {
  return numberAt(spec, 'priority', 0, 'spec.priority');
}

/** Required node affinity of one pod: that of its template, or its pinned node. */
export function nodeTermsOf({ rules, pinnedNode }: PodRules): readonly NodeTerm[] | null {
  if (pinnedNode === null) return rules.nodeTerms;
  return [{ labels: NONE, fields: [{ key: 'metadata.name', operator: 'In', values: [pinnedNode] }] }];
}

// The DaemonSet controller replaces the terms of the template with a node name, which would make the rules of each pod different.
function findPinnedNode(terms: readonly NodeTerm[] | null): string | null {
  const [term, ...otherTerms] = terms ?? NONE;
  if (term === undefined || otherTerms.length > 0 || term.labels.length > 0) return null;
  const [field, ...otherFields] = term.fields;
  if (field?.key !== 'metadata.name' || field.operator !== 'In' || otherFields.length > 0) return null;
  return field.values.length === 1 ? (field.values[0] ?? null) : null;
}

/** Features that a node must declare (KEP-5328), as Kubernetes 1.36 infers them from a pod. */
function readFeatures(spec: Wire): readonly string[] {
  const features: string[] = [];
  if (booleanAt(spec, 'hostNetwork', false, 'spec.hostNetwork') && spec['hostUsers'] === false) {
    features.push('UserNamespacesHostNetworkSupport');
  }
  const containers = [...objectsAt(spec, 'containers', 'spec.containers'), ...objectsAt(spec, 'initContainers', 'spec.initContainers')];
  if (containers.some(hasRestartAllRule)) features.push('RestartAllContainersOnContainerExits');
  return features;
}

function hasRestartAllRule(container: Wire): boolean {
  return objectsAt(container, 'restartPolicyRules').some(({ action }) => action === 'RestartAllContainers');
}

/** Shares one empty list, because most pods have a dozen of them. */
function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NONE : list;
}
