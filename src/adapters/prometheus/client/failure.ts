/**
 * Why a query failed. `too-much`: a shorter range may succeed. `busy`: a later retry may succeed. `unreachable`: no answer in time.
 * `refused`: fails until the configuration changes. `malformed`: the answer is not of the Prometheus API, or is truncated.
 */
export type PrometheusFailureKind = 'too-much' | 'busy' | 'unreachable' | 'refused' | 'malformed';

/** Rejection of every query of PrometheusClient. */
export class PrometheusFailure extends Error {
  readonly kind: PrometheusFailureKind;
  /** Value of Retry-After; null where absent. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: PrometheusFailureKind,
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'PrometheusFailure';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
