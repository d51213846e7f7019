// Filters of kube-scheduler 1.36 that depend on one node only. A filter returns null for a feasible node.

import type { Toleration } from '../../pod-spec/toleration.ts';
import type { Taint } from '../../records/node.ts';
import { isNodeAffinityMet } from './node-affinity.ts';
import { final, resolvable, type Refusal } from '../refusal.ts';
import type { HostPort } from '../../pod-spec/host-port.ts';
import type { InlineDisk } from '../../pod-spec/pod-volumes.ts';
import type { SchedulingNode, SchedulingPod } from '../scheduling-model.ts';

const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };
const ANY_ADDRESS = '0.0.0.0';

const UNSCHEDULABLE = final('node(s) were unschedulable');
const OTHER_NODE = final("node(s) didn't match the requested node name");
const TAINTED = final('node(s) had untolerated taint(s)');
const NODE_AFFINITY_UNMET = final("node(s) didn't match Pod's node affinity/selector");
export const PORT_TAKEN = resolvable("node(s) didn't have free ports for the requested pod ports");
export const DISK_TAKEN = resolvable('node(s) had no available disk');
const FEATURE_MISSING = final("node(s) didn't match Pod's required features");

/** Refuses cordoned nodes, unless the pod tolerates the cordon. */
export function filterUnschedulable(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  return !node.unschedulable || isTolerated(pod.tolerations, UNSCHEDULABLE_TAINT) ? null : UNSCHEDULABLE;
}

/** Refuses nodes other than `spec.nodeName`. */
export function filterNodeName(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  return pod.nodeName === null || pod.nodeName === node.name ? null : OTHER_NODE;
}

/** Refuses nodes with untolerated NoSchedule or NoExecute taints. */
export function filterTaints(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  for (const taint of node.taints) {
    if (taint.effect !== 'PreferNoSchedule' && !isTolerated(pod.tolerations, taint)) return TAINTED;
  }
  return null;
}

/** Whether a toleration matches the taint. */
export function isTolerated(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator, value, effect }) => {
    if (effect !== null && effect !== taint.effect) return false;
    if (key !== null && key !== taint.key) return false;
    return operator === 'Exists' || (operator === 'Equal' && value === taint.value);
  });
}

export function filterNodeAffinity(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  return isNodeAffinityMet(pod, node) ? null : NODE_AFFINITY_UNMET;
}

/** Refuses nodes with conflicting host ports: equal port, protocol and address; the unspecified address conflicts with every one. */
export function filterPorts(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  if (pod.ports.length === 0) return null;
  for (const other of node.pods.values()) {
    if (other.ports.some((used) => pod.ports.some((port) => isPortConflict(used, port)))) return PORT_TAKEN;
  }
  return null;
}

function isPortConflict(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS);
}

/** Refuses nodes with too many pods or insufficient resources, and reports each of them. */
export function filterResources(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  let short: string[] | null = null;
  // Preemption does not help a pod that is larger than the node.
  let canBeHelped = true;
  if (node.pods.size + 1 > (node.allocatable.get('pods') ?? 0)) short = ['Too many pods'];
  for (const [resource, amount] of pod.requests) {
    if (amount <= 0) continue;
    const allocatable = node.allocatable.get(resource) ?? 0;
    if (amount <= allocatable - (node.requested.get(resource) ?? 0)) continue;
    (short ??= []).push(`Insufficient ${resource}`);
    canBeHelped &&= amount <= allocatable;
  }
  return short === null ? null : { reasons: short, resolvable: canBeHelped };
}

/** Refuses nodes on which an inline disk is mounted, unless all mounts are read-only. */
export function filterDisks(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  for (const disk of pod.disks) {
    for (const other of node.pods.values()) if (other.disks.some((used) => isDiskConflict(disk, used))) return DISK_TAKEN;
  }
  return null;
}

function isDiskConflict(a: InlineDisk, b: InlineDisk): boolean {
  if (a.kind !== b.kind || a.kind === 'other' || a.id !== b.id) return false;
  if (a.kind === 'awsElasticBlockStore') return true;
  if (a.kind === 'rbd' && !a.monitors.some((monitor) => b.monitors.includes(monitor))) return false;
  return !(a.readOnly && b.readOnly);
}

/** Refuses nodes that do not declare the features of the pod (KEP-5328). */
export function filterFeatures(pod: SchedulingPod, node: SchedulingNode): Refusal | null {
  return pod.features.every((feature) => node.declaredFeatures.has(feature)) ? null : FEATURE_MISSING;
}
