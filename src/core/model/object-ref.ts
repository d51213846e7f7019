/** Names an object of any kind. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** null: a cluster-scoped object. */
  readonly namespace: string | null;
  readonly name: string;
}

/** Names an object of a namespace. */
export interface NamespacedRef extends ObjectRef {
  readonly namespace: string;
  /** Resource in API paths, of kinds that are not Kubernetes' own. */
  readonly plural?: string;
}

/** The reference alone, of a record that has these fields among others. */
export function namespacedRef({ apiVersion, plural, kind, namespace, name }: NamespacedRef): NamespacedRef {
  return { apiVersion, ...(plural === undefined ? {} : { plural }), kind, namespace, name };
}

export function podRef({ namespace, name }: Pick<NamespacedRef, 'namespace' | 'name'>): NamespacedRef {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name };
}

export function hpaRef({ namespace, name }: Pick<NamespacedRef, 'namespace' | 'name'>): NamespacedRef {
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name };
}

/** `shop/Deployment/web`, as workload keys are; `Node/n1` where the object has no namespace. */
export function objectKey({ namespace, kind, name }: Pick<ObjectRef, 'namespace' | 'kind' | 'name'>): string {
  return namespace === null ? `${kind}/${name}` : `${namespace}/${kind}/${name}`;
}
