import { readResourceMetrics } from '../../src/adapters/kubelet/resource-metrics.ts';
import type { ResourceMetrics } from '#kube/kubelet/kubelet-pages';

/** A page's text as its series. */
export function textMetrics(text: string): ResourceMetrics {
  return { visit: (visitor) => readResourceMetrics(text, visitor) };
}
