import type { KubeObject } from '../../api/kube-object.ts';
import { controllerReference } from '../object-key.ts';
import type { PodSpec, PodTemplate } from '../wire/pod.ts';

/** A pod to be created; the server sets the remaining fields. */
export interface PodDraft {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: {
    name: string;
    generateName?: string;
    namespace: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    finalizers?: string[];
    ownerReferences: ReturnType<typeof controllerReference>[];
  };
  readonly spec: PodSpec;
}

/** A copy of the template with a name and an owner reference to its controller. */
export function podFromTemplate(owner: KubeObject, template: PodTemplate, name: string): PodDraft {
  const finalizers = template.metadata?.finalizers;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: owner.metadata.namespace ?? 'default',
      labels: { ...template.metadata?.labels },
      annotations: { ...template.metadata?.annotations },
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec),
  };
}
