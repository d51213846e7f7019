import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { ErrorRates } from '../../ports/usage/error-rates.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';

/** Deadline of a query, since a decision waits for it. */
const TIMEOUT_MS: DurationMs = 10 * SECOND_MS;

/** Error rates of workloads by a policy's query. null: unknown, since the query failed or returned nothing. */
export class PrometheusErrorRates implements ErrorRates {
  readonly #client: Pick<PrometheusQueries, 'instant'>;
  readonly #timer: MachineTimer;
  readonly #logger: Logger;

  constructor(client: Pick<PrometheusQueries, 'instant'>, timer: MachineTimer, logger: Logger) {
    this.#client = client;
    this.#timer = timer;
    this.#logger = logger;
  }

  async query(query: string, at: Instant, signal: AbortSignal): Promise<number | null> {
    const late = new AbortController();
    const cancel = this.#timer.setTimer(TIMEOUT_MS, () => late.abort(new Error(`no answer within ${TIMEOUT_MS / SECOND_MS} s`)));
    try {
      const samples = await this.#client.instant(query, at, AbortSignal.any([signal, late.signal]));
      // Without requests a ratio divides by zero, which means no errors.
      return samples.length === 0 ? null : samples.reduce((sum, { value }) => sum + (Number.isFinite(value) ? value : 0), 0);
    } catch (err) {
      signal.throwIfAborted();
      this.#logger.warn('Query of an error rate failed; reductions wait', { query, err });
      return null;
    } finally {
      cancel();
    }
  }
}
