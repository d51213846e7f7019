// Pods of a DaemonSet serve their nodes, so their needs depend on the node's size. Their usage is learnt by node size class, under the
// name `container@class`; no container name contains `@`.

import { nodeClass } from '../../../model/node-class.ts';
import type { NodeRecord } from '#kube/records/node';
import { isWorkloadOfKind, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';

/** Whether the workload's pods are sized by node size class. */
export function isByNodeClass({ kind }: Pick<WorkloadRef, 'kind'>): boolean {
  return kind === 'DaemonSet';
}

/** `isByNodeClass` for a workload's key. */
export function isKeyByNodeClass(key: WorkloadKey): boolean {
  return isWorkloadOfKind(key, 'DaemonSet');
}

/** Cache: the class is looked up for every sample of a DaemonSet. Keys are immutable; a changed node has a new `allocatable`. */
const classes = new WeakMap<NodeRecord['allocatable'], string>();

/** Size class of a node; null: unknown node, or it has not reported its allocatable yet. */
export function classOfNode(node: Pick<NodeRecord, 'allocatable'> | undefined): string | null {
  if (node === undefined || node.allocatable.cpuMillicores <= 0 || node.allocatable.memoryBytes <= 0) return null;
  let name = classes.get(node.allocatable);
  if (name === undefined) classes.set(node.allocatable, (name = nodeClass(node.allocatable)));
  return name;
}

/** Joins a container's name and a class. */
export function classedName(container: string, name: string): string {
  return `${container}@${name}`;
}

/** Splits a joined name; null: a container's name without a class. */
export function splitClassedName(classed: string): { readonly container: string; readonly className: string } | null {
  const at = classed.indexOf('@');
  return at < 0 ? null : { container: classed.slice(0, at), className: classed.slice(at + 1) };
}

/** The entries of one class, by container name. */
export function ofClass<T>(values: ReadonlyMap<string, T>, className: string): ReadonlyMap<string, T> {
  return new Map(
    [...values].flatMap(([key, value]) => {
      const split = splitClassedName(key);
      return split?.className === className ? [[split.container, value] as const] : [];
    }),
  );
}
