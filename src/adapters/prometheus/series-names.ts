// Labels that hold namespace, pod and container. They differ with the kubelet version and the scrape configuration.

import type { Instant } from '#kube/units';
import type { LabelSet } from './client/read-answer.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';

export interface SeriesNames {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Candidates in order of preference. Prometheus adds `exported_` to a label that its scrape configuration also sets. */
const CANDIDATES: Readonly<Record<keyof SeriesNames, readonly string[]>> = {
  namespace: ['exported_namespace', 'namespace'],
  pod: ['exported_pod', 'pod', 'pod_name'],
  container: ['exported_container', 'container', 'container_name'],
};

/**
 * Finds the labels of a metric; null where it has no series in this time span, or none with a container label. @throws PrometheusFailure
 */
export async function findSeriesNames(
  client: Pick<PrometheusQueries, 'labelNames'>,
  metric: string,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  signal: AbortSignal,
): Promise<SeriesNames | null> {
  const known = await client.labelNames(metric, from, to, signal);
  const pick = (name: keyof SeriesNames): string | undefined => CANDIDATES[name].find((candidate) => known.has(candidate));
  const [namespace, pod, container] = [pick('namespace'), pick('pod'), pick('container')];
  if (namespace === undefined || pod === undefined || container === undefined) return null;
  return { namespace, pod, container };
}

/** The container that a series belongs to. */
export function refOf(
  labels: LabelSet,
  names: SeriesNames,
): { readonly namespace: string; readonly pod: string; readonly container: string } {
  return { namespace: labels[names.namespace] ?? '', pod: labels[names.pod] ?? '', container: labels[names.container] ?? '' };
}

/** Matchers of a namespace's containers, without pod cgroups and pause containers. */
export function containersIn(namespace: string, names: SeriesNames): string {
  return `${names.namespace}=${quoted(namespace)},${names.pod}!="",${names.container}!="",${names.container}!="POD"`;
}

/** A label value quoted for PromQL. */
export function quoted(value: string): string {
  return JSON.stringify(value);
}
