import type { Metrics } from '../../ports/metrics.ts';
import type { ShareRefusal } from './fair-share.ts';

/**
 * `client`, `total`: see `ShareRefusal`. `displaced`: closed for a client with less. `slow`: a handshake, head or body that does not
 * arrive in time, or a stream that is not read. `large`: a head above its limit. `pipelined`: too many unanswered requests. `rate`: too many
 * requests per second.
 */
export type RefusalReason = ShareRefusal | 'displaced' | 'slow' | 'large' | 'pipelined' | 'rate';

/** Counts what a server refuses or closes in favour of other clients. */
export type CountRefusal = (kind: 'connection' | 'request' | 'body' | 'stream', reason: RefusalReason) => void;

export function refusalCounter(metrics: Metrics, server: 'dashboard' | 'metrics' | 'probes' | 'admission'): CountRefusal {
  const refused = metrics.counter({
    name: 'evenkeel_http_refused_total',
    help: 'Connections, requests, bodies and streams refused or closed in favour of other clients, by reason: client, total, displaced, slow, large, pipelined, rate.',
    labels: ['server', 'kind', 'reason'],
  });
  return (kind, reason) => refused.add(1, { server, kind, reason });
}
