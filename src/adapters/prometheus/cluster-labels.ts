// Whether series are of several clusters, by the labels that distinguish clusters.

import type { Instant } from '#kube/units';
import { ANY } from './metric-names.ts';
import type { PrometheusQueries } from './prometheus-client.ts';
import { quoted } from './series-names.ts';

/** `__tenant_id__` is what Mimir adds to series of several tenants. */
const CLUSTER_LABEL = /^(((k8s|kube|kubernetes|openshift|eks|aks|gke)_?)?cluster(_?(name|id|uid|uuid))?|__tenant_id__)$/i;
const MAX_SHOWN = 5;

/**
 * What is wrong where series of a span of time differ in a label of clusters, with the remedy; null where none do. The series
 * themselves are asked for, never what a query has summed. Throws PrometheusFailure.
 * @param setting where the person who reads it sets matchers
 */
export async function severalClusters(
  client: PrometheusQueries,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  setting: string,
  signal: AbortSignal,
): Promise<string | null> {
  const names = await client.labelNames(`{${ANY}}`, from, to, signal);
  for (const label of [...names].filter((name) => CLUSTER_LABEL.test(name)).sort()) {
    const values = (await client.labelValues(label, `{${ANY}}`, from, to, signal)).filter((value) => value !== '').sort();
    const others = await client.labelNames(`{${ANY},${label}=""}`, from, to, signal);
    if (values.length + (others.size > 0 ? 1 : 0) < 2) continue;
    const shown = [...values.slice(0, MAX_SHOWN).map(quoted), ...(values.length > MAX_SHOWN ? ['…'] : [])];
    if (others.size > 0) shown.push('not set');
    return (
      `Prometheus at ${client.shown} holds several clusters: label ${label} is ${shown.join(', ')}; ` +
      `set ${setting} to this cluster's value of ${label}`
    );
  }
  return null;
}
