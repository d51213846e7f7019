import type { DurationMs, Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';

/**
 * The time on the cluster's clock after `ms` of machine time, since an embedded cluster's clock may run faster. null where it is unknown
 * (full speed).
 */
export async function clusterTimeIn(transport: ApiTransport, ms: DurationMs, signal: AbortSignal): Promise<Instant | null> {
  const version = await transport.request({ method: 'GET', path: '/version', signal });
  const { gitVersion } = (version.body ?? {}) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== 'string' || !gitVersion.endsWith('+evenkeel')) return Date.now() + ms;
  const { body } = await transport.request({ method: 'GET', path: '/evenkeel/clock', signal });
  const { now, speed } = (body ?? {}) as { readonly now?: unknown; readonly speed?: unknown };
  return typeof now === 'number' && typeof speed === 'number' ? now + ms * speed : null;
}
