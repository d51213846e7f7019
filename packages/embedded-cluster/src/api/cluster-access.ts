import type { LabelSelector } from '#kube/label-selector';
import type { KubeObject } from './kube-object.ts';

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** The previous state; absent for ADDED. */
  readonly previous?: KubeObject;
}

/**
 * Access of components (scheduler, kubelets, workload controllers) to the store: in memory and synchronous, but with the same verbs,
 * strategies and admission as HTTP requests. Resources are named `pods`, `deployments.apps`. Returned objects are shared and must not be
 * changed.
 */
export interface ClusterAccess {
  get(resource: string, namespace: string | null, name: string): KubeObject | undefined;
  list(resource: string, options?: { readonly namespace?: string; readonly selector?: LabelSelector }): readonly KubeObject[];
  /** Throws ApiStatusError (already exists, invalid, forbidden by quota …). `metadata.generateName` works. */
  create(resource: string, object: object): KubeObject;
  /** Clones, lets `change` alter metadata and spec, commits. undefined when there is no such object. No commit when nothing differs. */
  modify(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined;
  /** The same for the status subresource: only `status` (and, for pods and nodes, what their status strategy allows) is kept. */
  modifyStatus(resource: string, namespace: string | null, name: string, change: (draft: KubeObject) => void): KubeObject | undefined;
  /** The same for another subresource with the shape of the object (`resize`, `binding`): the strategy restores the immutable parts. */
  modifySubresource(
    resource: string,
    namespace: string | null,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined;
  /** Deletes as the API does, with grace period, finalizers and propagation. Does nothing when the object no longer exists. */
  delete(
    resource: string,
    namespace: string | null,
    name: string,
    options?: {
      readonly uid?: string;
      readonly gracePeriodSeconds?: number;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
    },
  ): void;
  /** POST to a subresource: `binding`, `eviction`, `scale`. */
  createSubresource(resource: string, namespace: string, name: string, subresource: string, body: object): KubeObject;
  /**
   * Every change of a resource in commit order, beginning with ADDED for what exists. Called after the commit from a queue
   * (never inside the caller's own write), before the clock moves on.
   */
  onChange(resource: string, listener: (event: ObjectEvent) => void): () => void;
}
