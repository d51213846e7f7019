import { ContainerLabels, MetricCollector } from '../../src/adapters/kubelet/pages/metric-columns.ts';
import type { ResourceMetrics } from '#kube/kubelet/kubelet-pages';

const NODE = 'n1';

/** Parses a page of Prometheus text into its series. */
export function textMetrics(text: string): ResourceMetrics {
  const columns = new MetricCollector().collect(NODE, Buffer.from(text), { maxContainers: 20_000 }, null);
  return { visit: (visitor) => new ContainerLabels().resolve(NODE, columns).visit(visitor) };
}
