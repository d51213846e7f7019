import { readResourceMetrics } from '../../src/adapters/kubelet/pages/resource-metrics.ts';
import type { ResourceMetrics } from '#kube/kubelet/kubelet-pages';

/** Parses a page of Prometheus text into its series. */
export function textMetrics(text: string): ResourceMetrics {
  return { visit: (visitor) => readResourceMetrics(text, visitor) };
}
