import type { Metrics } from '../ports/metrics.ts';
import { type CountRefusal, refusalCounter } from '../runtime/clients/refusals.ts';

/** Metrics of the dashboard server. */
export interface HttpMetrics {
  observe(outcome: { readonly operation: string; readonly method: string; readonly status: number; readonly seconds: number }): void;
  rateLimited(): void;
  readonly refused: CountRefusal;
  streams(open: number): void;
  halfOpen(connections: number): void;
}

/** Registers the `evenkeel_http_*` metrics. Operation labels come from the description, so they are bounded. */
export function httpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.counter({
    name: 'evenkeel_http_requests_total',
    help: 'Requests to the dashboard API, by operation, method and status.',
    labels: ['operation', 'method', 'status'],
  });
  const seconds = metrics.histogram({
    name: 'evenkeel_http_request_duration_seconds',
    help: 'Time until a request to the dashboard API was answered, by operation, without streams.',
    labels: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const limited = metrics.counter({
    name: 'evenkeel_http_rate_limited_total',
    help: 'Requests refused because one client exceeded its rate limit.',
  });
  const streams = metrics.gauge({ name: 'evenkeel_http_streams', help: 'Open event streams.' });
  const halfOpen = metrics.gauge({
    name: 'evenkeel_http_half_open_connections',
    help: 'Open connections to the dashboard over which no request has arrived yet. Each is closed after 10 s.',
  });
  return {
    observe: (outcome) => {
      requests.add(1, { operation: outcome.operation, method: outcome.method, status: String(outcome.status) });
      if (outcome.operation !== 'stream') seconds.observe(outcome.seconds, { operation: outcome.operation });
    },
    rateLimited: () => limited.add(),
    refused: refusalCounter(metrics, 'dashboard'),
    streams: (open) => streams.set(open),
    halfOpen: (connections) => halfOpen.set(connections),
  };
}
