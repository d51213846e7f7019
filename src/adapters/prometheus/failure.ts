/**
 * Why Prometheus did not answer. `too-much`: the same over less time may do. `busy`: later may do. `unreachable`: nobody
 * answered, or not in time. `refused`: it will not, until somebody changes something. `malformed`: what answered is no
 * Prometheus, or was cut off.
 */
export type PrometheusFailureKind = 'too-much' | 'busy' | 'unreachable' | 'refused' | 'malformed';

export class PrometheusFailure extends Error {
  readonly kind: PrometheusFailureKind;
  /** How long it asked to be left alone; null where it did not say. */
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
