import type { ApiRequest, ApiTransport } from '#kube/api-transport';

/**
 * A transport that sends a write only if `canWrite()` is true at the last moment, after any wait for the rate limit, a retry or a
 * connection. A suspended or starved process may resume with writes in flight after another replica became leader.
 */
export function fencedTransport(transport: ApiTransport, canWrite: () => boolean): ApiTransport {
  const fenced = (request: ApiRequest): ApiRequest => (request.method === 'GET' ? request : { ...request, canSend: canWrite });
  return {
    request: (request) => transport.request(fenced(request)),
    stream: (request) => transport.stream(fenced(request)),
  };
}
