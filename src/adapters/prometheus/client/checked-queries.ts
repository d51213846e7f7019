import type { ClusterCheck } from '../cluster-check.ts';
import type { PrometheusQueries } from './prometheus-client.ts';

/** Queries Prometheus only while the cluster check passes; otherwise each query rejects with PrometheusFailure. */
export class CheckedQueries implements PrometheusQueries {
  readonly shown: string;
  readonly #client: PrometheusQueries;
  readonly #check: Pick<ClusterCheck, 'pass'>;

  constructor(client: PrometheusQueries, check: Pick<ClusterCheck, 'pass'>) {
    this.shown = client.shown;
    this.#client = client;
    this.#check = check;
  }

  async instant(...query: Parameters<PrometheusQueries['instant']>): ReturnType<PrometheusQueries['instant']> {
    await this.#check.pass(query[2]);
    return this.#client.instant(...query);
  }

  async range(...query: Parameters<PrometheusQueries['range']>): ReturnType<PrometheusQueries['range']> {
    await this.#check.pass(query[2]);
    return this.#client.range(...query);
  }

  async labelNames(...query: Parameters<PrometheusQueries['labelNames']>): ReturnType<PrometheusQueries['labelNames']> {
    await this.#check.pass(query[3]);
    return this.#client.labelNames(...query);
  }

  async labelValues(...query: Parameters<PrometheusQueries['labelValues']>): ReturnType<PrometheusQueries['labelValues']> {
    await this.#check.pass(query[4]);
    return this.#client.labelValues(...query);
  }

  async series(...query: Parameters<PrometheusQueries['series']>): ReturnType<PrometheusQueries['series']> {
    await this.#check.pass(query[3]);
    return this.#client.series(...query);
  }
}
