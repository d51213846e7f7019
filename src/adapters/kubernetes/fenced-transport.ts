import type { ApiRequest, ApiTransport } from '#kube/api-transport';

/**
 * A transport whose writes leave only while `mayWrite` says so at the last moment: not when they were decided, nor before
 * they waited for a rate limit, a retry or a connection. A process that was suspended or starved may resume with
 * writes under way that now belong to another replica.
 */
export function fencedTransport(transport: ApiTransport, mayWrite: () => boolean): ApiTransport {
  const fenced = (request: ApiRequest): ApiRequest => (request.method === 'GET' ? request : { ...request, mayBeSent: mayWrite });
  return {
    request: (request) => transport.request(fenced(request)),
    stream: (request) => transport.stream(fenced(request)),
  };
}
