import type { Metrics } from '../../ports/metrics.ts';
import type { ShareRefusal } from './fair-share.ts';

/** `client`, `total`: see `ShareRefusal`. `displaced`: closed for a client that has less. `slow`: a body that does not arrive, or a stream that is not read. `pipelined`: too many requests before their answers. `rate`: too many in a second. */
export type RefusalReason = ShareRefusal | 'displaced' | 'slow' | 'pipelined' | 'rate';

/** Counts what a server refuses or closes to leave room for others. */
export type CountRefusal = (kind: 'connection' | 'request' | 'body' | 'stream', reason: RefusalReason) => void;

export function refusalCounter(metrics: Metrics, server: 'dashboard' | 'metrics' | 'probes' | 'admission'): CountRefusal {
  const refused = metrics.counter({
    name: 'evenkeel_http_refused_total',
    help: 'Connections, requests, bodies and streams refused or closed for others: client, total, displaced, slow, pipelined, rate.',
    labels: ['server', 'kind', 'reason'],
  });
  return (kind, reason) => refused.add(1, { server, kind, reason });
}
