// metrics.k8s.io/v1beta1: measurements in the form of objects, which are not stored.

import { json, type Answer } from '../answer.ts';
import type { ApiCall } from './api-call.ts';
import { ApiStatusError, notFound } from '../api-error.ts';
import { parseFieldSelector } from '../verbs/selection/field-selection.ts';
import { parseLabelSelector } from '../verbs/selection/label-selection.ts';
import type { MeasuredUsage, MetricsProvider, NodeMetrics, PodMetrics } from '../providers.ts';
import type { ResourceTarget } from './request-target.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import { toTimestamp } from '../timestamp.ts';
import { subjectOf } from '../verbs/write-request.ts';

type Measured = NodeMetrics | PodMetrics;

/** get and list. Throws ApiStatusError: NotFound without a measurement, 503 without a provider. */
export function metricsAnswer(
  provider: MetricsProvider | undefined,
  resource: ServedResource,
  target: ResourceTarget,
  call: ApiCall,
): Answer {
  if (provider === undefined)
    throw new ApiStatusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request: no usage is simulated');
  const { plural, kind, listKind } = resource.descriptor;
  const { namespace, name } = target;
  const labels = parseLabelSelector(call.query['labelSelector'] ?? '');
  const byName = parseFieldSelector(call.query['fieldSelector'] ?? '', resource).find(({ field }) => field === 'metadata.name');
  const wanted = name ?? byName?.value;
  const found: readonly Measured[] =
    plural === 'nodes' ? provider.nodeMetrics(wanted) : provider.podMetrics(namespace ?? undefined, wanted);
  const shown = found
    .filter((measured) => labels === null || labels(measured.labels))
    .map((measured) => presentMeasured(kind, resource.apiVersion, measured))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ object }) => object);
  if (name === null) return json(200, { kind: listKind, apiVersion: resource.apiVersion, metadata: {}, items: shown });
  const [only] = shown;
  if (only === undefined) throw notFound(subjectOf(resource, name));
  return json(200, only);
}

function presentMeasured(kind: string, apiVersion: string, measured: Measured): { readonly key: string; readonly object: object } {
  const { name, labels, at, windowSeconds } = measured;
  const namespaced = 'namespace' in measured ? { namespace: measured.namespace } : {};
  const own =
    'containers' in measured
      ? { containers: measured.containers.map((container) => ({ name: container.name, usage: quantities(container.usage) })) }
      : { usage: quantities(measured.usage) };
  return {
    key: `${'namespace' in measured ? measured.namespace : ''}/${name}`,
    object: {
      kind,
      apiVersion,
      metadata: { name, ...namespaced, creationTimestamp: toTimestamp(at), labels },
      timestamp: toTimestamp(at),
      window: `${windowSeconds}s`,
      ...own,
    },
  };
}

/** In the units of metrics-server: nanocores and kibibytes. */
function quantities(usage: MeasuredUsage): { readonly cpu: string; readonly memory: string } {
  return { cpu: `${Math.round(usage.cpuNanocores)}n`, memory: `${Math.round(usage.memoryBytes / 1024)}Ki` };
}
