import type { LabelSelector } from '#kube/label-selector';
import type { KubeObject } from './kube-object.ts';

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** The state before; absent for ADDED. */
  readonly previous?: KubeObject;
}

/**
 * How components (scheduler, kubelets, workload controllers) reach the store: in memory and synchronous, through the same
 * verbs, strategies and admission as a request over HTTP, so that no component can do what a client could not. Resources are
 * named `pods`, `deployments.apps`. Returned objects are shared and must not be changed.
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
  /** The same for another subresource that is written like the object (`resize`, `binding`): the strategy puts back what it may not change. */
  modifySubresource(
    resource: string,
    namespace: string | null,
    name: string,
    subresource: string,
    change: (draft: KubeObject) => void,
  ): KubeObject | undefined;
  /** Goes the API's way: grace period, finalizers, propagation. Quiet when it is gone already. */
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
