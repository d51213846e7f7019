import type { ApiTransport } from '#kube/api-transport';
import type { Logger } from '../../../ports/logger.ts';

/**
 * Whether the API server serves `pods/resize` (Kubernetes 1.33 or later). True where discovery fails: a resize is then refused if it is not
 * served.
 */
export async function probeInPlaceResize(transport: ApiTransport, logger: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await transport.request({ method: 'GET', path: '/api/v1', signal });
    if (answer.status !== 200) return true;
    const { resources = [] } = answer.body as { resources?: readonly { readonly name: string }[] };
    const served = resources.some(({ name }) => name === 'pods/resize');
    if (!served) logger.warn('API server does not serve pods/resize; pods cannot be resized in place', { requires: 'Kubernetes 1.33' });
    return served;
  } catch (err) {
    signal.throwIfAborted();
    logger.warn('Discovery of pods/resize failed; assuming that it is served', { err });
    return true;
  }
}
