/**
 * Why Prometheus did not answer. `too-much`: a shorter range may work. `busy`: a later retry may work. `unreachable`: no
 * answer, or not in time. `refused`: fails until its configuration is changed. `malformed`: the answer is not
 * Prometheus', or was cut off.
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
