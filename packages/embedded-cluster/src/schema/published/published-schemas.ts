// The schemas of built-in kinds in Kubernetes' own words.

import kubernetes from './kubernetes-schemas.generated.json' with { type: 'json' };
import { METRICS_SCHEMAS } from './metrics-schemas.ts';
import type { PublishedSchema } from './published-schema.ts';

const KUBERNETES_SCHEMAS = kubernetes.schemas as unknown as Readonly<Record<string, PublishedSchema>>;

/** By name (`io.k8s.api.core.v1.Pod`); undefined where there is none. */
export function findPublished(name: string): PublishedSchema | undefined {
  return KUBERNETES_SCHEMAS[name] ?? METRICS_SCHEMAS[name];
}
