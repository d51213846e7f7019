import type { ClusterCheck } from './cluster-check.ts';
import type { PrometheusQueries } from './prometheus-client.ts';

/** Nothing is asked before the check has passed; each query throws PrometheusFailure where it has not. */
export class CheckedQueries implements PrometheusQueries {
  readonly shown: string;
  readonly #client: PrometheusQueries;
  readonly #check: Pick<ClusterCheck, 'pass'>;

  constructor(client: PrometheusQueries, check: Pick<ClusterCheck, 'pass'>) {
    this.shown = client.shown;
    this.#client = client;
    this.#check = check;
  }

  async instant(...asked: Parameters<PrometheusQueries['instant']>): ReturnType<PrometheusQueries['instant']> {
    await this.#check.pass(asked[2]);
    return this.#client.instant(...asked);
  }

  async range(...asked: Parameters<PrometheusQueries['range']>): ReturnType<PrometheusQueries['range']> {
    await this.#check.pass(asked[2]);
    return this.#client.range(...asked);
  }

  async labelNames(...asked: Parameters<PrometheusQueries['labelNames']>): ReturnType<PrometheusQueries['labelNames']> {
    await this.#check.pass(asked[3]);
    return this.#client.labelNames(...asked);
  }

  async labelValues(...asked: Parameters<PrometheusQueries['labelValues']>): ReturnType<PrometheusQueries['labelValues']> {
    await this.#check.pass(asked[4]);
    return this.#client.labelValues(...asked);
  }

  async series(...asked: Parameters<PrometheusQueries['series']>): ReturnType<PrometheusQueries['series']> {
    await this.#check.pass(asked[3]);
    return this.#client.series(...asked);
  }
}
