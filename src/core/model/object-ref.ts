/** Reference to an object of any kind. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** null: a cluster-scoped object. */
  readonly namespace: string | null;
  readonly name: string;
}

/** Reference to a namespaced object. */
export interface NamespacedRef extends ObjectRef {
  readonly namespace: string;
  /** Resource name in API paths, for kinds that are not built into Kubernetes. */
  readonly plural?: string;
}

/** Picks the fields of the reference from a record. */
export function namespacedRef({ apiVersion, plural, kind, namespace, name }: NamespacedRef): NamespacedRef {
  return { apiVersion, ...(plural === undefined ? {} : { plural }), kind, namespace, name };
}

/** Reference to a pod. */
export function podRef({ namespace, name }: Pick<NamespacedRef, 'namespace' | 'name'>): NamespacedRef {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name };
}

/** Reference to a HorizontalPodAutoscaler. */
export function hpaRef({ namespace, name }: Pick<NamespacedRef, 'namespace' | 'name'>): NamespacedRef {
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name };
}

/** `shop/Deployment/web`, the format of workload keys; `Node/n1` for a cluster-scoped object. */
export function objectKey({ namespace, kind, name }: Pick<ObjectRef, 'namespace' | 'kind' | 'name'>): string {
  return namespace === null ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;
}
