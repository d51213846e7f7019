// The labels in which a metric has namespace, pod and container: they differ with the version of the kubelet and with the
// scrape configuration.

import type { Instant } from '#kube/units';
import type { LabelSet } from './read-answer.ts';
import type { PrometheusQueries } from './prometheus-client.ts';

export interface SeriesNames {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The first that exists. `exported_` is what Prometheus makes of a label that its scrape configuration sets, too. */
const CANDIDATES: Readonly<Record<keyof SeriesNames, readonly string[]>> = {
  namespace: ['exported_namespace', 'namespace'],
  pod: ['exported_pod', 'pod', 'pod_name'],
  container: ['exported_container', 'container', 'container_name'],
};

/** Null where the metric has no series in this time, or none with a container label. */
export async function namesOf(
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

/** What a series is about, by the names that its metric goes by. */
export function refOf(
  labels: LabelSet,
  names: SeriesNames,
): { readonly namespace: string; readonly pod: string; readonly container: string } {
  return { namespace: labels[names.namespace] ?? '', pod: labels[names.pod] ?? '', container: labels[names.container] ?? '' };
}

/** Selector of a namespace's containers: neither the pod's own cgroup nor its pause container. */
export function containersIn(namespace: string, names: SeriesNames): string {
  return `${names.namespace}=${quoted(namespace)},${names.pod}!="",${names.container}!="",${names.container}!="POD"`;
}

/** A label value as PromQL writes it. */
export function quoted(value: string): string {
  return JSON.stringify(value);
}
