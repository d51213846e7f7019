// A DaemonSet's pods serve their nodes, so what each needs depends on the size of its node. What is learnt of them is learnt
// by class of nodes, under the container's name and the class behind an `@`, which no container's name has.

import { nodeClass } from '../../../model/node-class.ts';
import type { NodeRecord } from '#kube/records/node';
import { isWorkloadOfKind, type WorkloadKey, type WorkloadRef } from '#kube/records/workload';

/** Whether a workload's pods differ by node. */
export function isByNodeClass({ kind }: Pick<WorkloadRef, 'kind'>): boolean {
  return kind === 'DaemonSet';
}

/** The same of a workload's key. */
export function isKeyByNodeClass(key: WorkloadKey): boolean {
  return isWorkloadOfKind(key, 'DaemonSet');
}

/** What a node has is replaced, never changed; every sample of a DaemonSet asks for the class. */
const classes = new WeakMap<NodeRecord['allocatable'], string>();

/** The class of a node; null while it is not known, or has not reported its size yet. */
export function classOfNode(node: Pick<NodeRecord, 'allocatable'> | undefined): string | null {
  if (node === undefined || node.allocatable.cpuMillicores <= 0 || node.allocatable.memoryBytes <= 0) return null;
  let name = classes.get(node.allocatable);
  if (name === undefined) classes.set(node.allocatable, (name = nodeClass(node.allocatable)));
  return name;
}

export function classedName(container: string, name: string): string {
  return `${container}@${name}`;
}

/** null: it is plain. */
export function splitClassedName(classed: string): { readonly container: string; readonly className: string } | null {
  const at = classed.indexOf('@');
  return at < 0 ? null : { container: classed.slice(0, at), className: classed.slice(at + 1) };
}

/** What is known by container, of one class alone and under the containers' own names. */
export function ofClass<T>(values: ReadonlyMap<string, T>, className: string): ReadonlyMap<string, T> {
  return new Map(
    [...values].flatMap(([key, value]) => {
      const split = splitClassedName(key);
      return split?.className === className ? [[split.container, value] as const] : [];
    }),
  );
}
