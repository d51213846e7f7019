import type { ApiTransport } from '#kube/api-transport';
import type { Logger } from '../../ports/logger.ts';

/** Whether the API server has `pods/resize` (Kubernetes 1.33 and later). Where it does not say, true: a refusal then tells. */
export async function probeInPlaceResize(transport: ApiTransport, logger: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await transport.request({ method: 'GET', path: '/api/v1', signal });
    if (answer.status !== 200) return true;
    const { resources = [] } = answer.body as { resources?: readonly { readonly name: string }[] };
    const served = resources.some(({ name }) => name === 'pods/resize');
    if (!served) logger.warn('The API server has no pods/resize: nothing can be resized in place', { needs: 'Kubernetes 1.33' });
    return served;
  } catch (err) {
    signal.throwIfAborted();
    logger.warn('Asking for pods/resize failed; assuming that it is there', { err });
    return true;
  }
}
