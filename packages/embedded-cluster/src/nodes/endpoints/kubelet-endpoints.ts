import type { Clock } from '../../ports/clock.ts';
import type { ContainerCounters, ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import type { KubeletAnswer, KubeletProvider } from '../../api/providers.ts';
import type { Kubelets } from '../kubelet/kubelets.ts';
import { CadvisorMetricsPage } from './cadvisor-metrics.ts';
import { ResourceMetricsPage } from './resource-metrics.ts';
import { statsSummary } from './stats-summary.ts';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** HTTP paths of the kubelets, in process: `/metrics/resource`, `/metrics/cadvisor`, `/stats/summary`, `/pods`, `/healthz`. */
export class KubeletEndpoints implements KubeletProvider {
  readonly #kubelets: Kubelets;
  readonly #clock: Clock;
  readonly #resourceMetrics = new ResourceMetricsPage();
  readonly #cadvisorMetrics = new CadvisorMetricsPage();

  constructor(kubelets: Kubelets, clock: Clock) {
    this.#kubelets = kubelets;
    this.#clock = clock;
  }

  /** `/metrics/resource` as series, without the text; undefined for an unknown node. */
  resourceMetrics(node: string): ResourceMetrics | undefined {
    const kubelet = this.#kubelets.find(node);
    if (kubelet === undefined) return undefined;
    return { visit: (visitor) => this.#resourceMetrics.visit(kubelet, this.#clock.now(), visitor) };
  }

  /** Counters of `/metrics/cadvisor`, without the text; undefined for an unknown node. */
  containerCounters(node: string): readonly ContainerCounters[] | undefined {
    const kubelet = this.#kubelets.find(node);
    return kubelet === undefined ? undefined : this.#cadvisorMetrics.counters(kubelet);
  }

  /** `/stats/summary` as an object; undefined for an unknown node. */
  statsSummary(node: string): object | undefined {
    const kubelet = this.#kubelets.find(node);
    return kubelet === undefined ? undefined : statsSummary(kubelet, this.#clock.now());
  }

  /** undefined for an unknown node; 404 for an unknown path. */
  get(node: string, path: string): KubeletAnswer | undefined {
    const kubelet = this.#kubelets.find(node);
    if (kubelet === undefined) return undefined;
    const now = this.#clock.now();
    switch (path.replace(/\/$/, '')) {
      case '/metrics/resource':
        return { status: 200, contentType: METRICS_TYPE, body: this.#resourceMetrics.print(kubelet, now) };
      case '/metrics/cadvisor':
        return { status: 200, contentType: METRICS_TYPE, body: this.#cadvisorMetrics.print(kubelet) };
      case '/stats/summary':
        return json(statsSummary(kubelet, now));
      case '/pods': {
        const items = [...kubelet.pods()].map((pod) => pod.object);
        return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
      }
      case '/healthz':
        return text(200, 'ok');
      default:
        return text(404, '404 page not found\n');
    }
  }
}

function json(body: object): KubeletAnswer {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}

function text(status: number, body: string): KubeletAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}
