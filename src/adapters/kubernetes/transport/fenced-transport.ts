import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiRequest, ApiResponse, ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../../ports/clock.ts';
import { reasonOf } from '../sleep.ts';

/** Time for the response to a write that was sent before its signal aborted. A stop has 8 s for everything. */
export const SENT_WRITE_GRACE_MS: DurationMs = 2 * SECOND_MS;

/**
 * A transport that sends a write only if `canWrite()` is true at the last moment, after any wait for the rate limit, a retry or a
 * connection. A suspended or starved process may resume with writes in flight after another replica became leader. A write that was sent
 * ends with its response: the API server may carry out one whose client has gone, also after the lease was released.
 */
export function fencedTransport(transport: ApiTransport, canWrite: () => boolean, timer: MachineTimer): ApiTransport {
  const fenced = (request: ApiRequest): ApiRequest => (request.method === 'GET' ? request : { ...request, canSend: canWrite });
  return {
    request: (request) => (request.method === 'GET' ? transport.request(request) : sendWrite(transport, request, canWrite, timer)),
    stream: (request) => transport.stream(fenced(request)),
  };
}

async function sendWrite(transport: ApiTransport, request: ApiRequest, canWrite: () => boolean, timer: MachineTimer): Promise<ApiResponse> {
  const { signal } = request;
  if (signal === undefined) return await transport.request({ ...request, canSend: canWrite });
  const end = new AbortController();
  let isSent = false;
  let cancelGrace: () => void = () => undefined;
  const abort = (): void => end.abort(reasonOf(signal));
  const onAbort = (): void => {
    if (isSent) cancelGrace = timer.setTimer(SENT_WRITE_GRACE_MS, abort);
    else abort();
  };
  const canSend = (): boolean => {
    isSent = !signal.aborted && canWrite();
    return isSent;
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) abort();
  try {
    return await transport.request({ ...request, signal: end.signal, canSend });
  } finally {
    cancelGrace();
    signal.removeEventListener('abort', onAbort);
  }
}
