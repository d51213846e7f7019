import type { DurationMs, Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';

/**
 * When something that lasts so long in machine time ends by the cluster's own clock: an embedded cluster's may run faster.
 * null where it is unknown (a clock at full speed): then without an end.
 */
export async function clusterTimeIn(transport: ApiTransport, ms: DurationMs, signal: AbortSignal): Promise<Instant | null> {
  const version = await transport.request({ method: 'GET', path: '/version', signal });
  const { gitVersion } = (version.body ?? {}) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== 'string' || !gitVersion.endsWith('+evenkeel')) return Date.now() + ms;
  const { body } = await transport.request({ method: 'GET', path: '/evenkeel/clock', signal });
  const { now, speed } = (body ?? {}) as { readonly now?: unknown; readonly speed?: unknown };
  return typeof now === 'number' && typeof speed === 'number' ? now + ms * speed : null;
}
