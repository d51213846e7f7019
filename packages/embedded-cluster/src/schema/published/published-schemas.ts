// The schemas of built-in kinds, as Kubernetes publishes them.

import kubernetes from './kubernetes-schemas.generated.json' with { type: 'json' };
import { METRICS_SCHEMAS } from './metrics-schemas.ts';
import type { PublishedSchema } from './published-schema.ts';

const KUBERNETES_SCHEMAS = kubernetes.schemas as unknown as Readonly<Record<string, PublishedSchema>>;

/** A schema by name (`io.k8s.api.core.v1.Pod`); undefined when there is none. */
export function findPublished(name: string): PublishedSchema | undefined {
  return KUBERNETES_SCHEMAS[name] ?? METRICS_SCHEMAS[name];
}
