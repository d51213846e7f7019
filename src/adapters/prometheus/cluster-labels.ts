// Detects series of several clusters by cluster labels.

import type { Instant } from '#kube/units';
import { ANY } from './metric-names.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import { quoted } from './series-names.ts';

/** Names of cluster labels. Mimir adds `__tenant_id__` to series of several tenants. */
const CLUSTER_LABEL = /^(((k8s|kube|kubernetes|openshift|eks|aks|gke)_?)?cluster(_?(name|id|uid|uuid))?|__tenant_id__)$/i;
const MAX_SHOWN = 5;

/**
 * Returns the problem and remedy where series of the time span differ in a cluster label; null where none do. Reads labels of raw series,
 * never of aggregated ones. @throws PrometheusFailure
 * @param setting name of the setting or option for matchers
 */
export async function findSeveralClusters(
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
