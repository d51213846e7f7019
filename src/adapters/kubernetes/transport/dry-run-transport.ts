import type { ApiRequest, ApiTransport } from '#kube/api-transport';

/** Sends every write as a dry run: the server validates, admits and checks quotas, and stores nothing. */
export function dryRunTransport(transport: ApiTransport): ApiTransport {
  return {
    request: (request) => transport.request(asDryRun(request)),
    stream: (request) => transport.stream(asDryRun(request)),
  };
}

function asDryRun(request: ApiRequest): ApiRequest {
  if (request.method === 'GET') return request;
  const dryRunRequest = { ...request, query: { ...request.query, dryRun: 'All' } };
  // For a DELETE with a body kube-apiserver ignores query parameters, and would delete for real.
  if (request.method !== 'DELETE') return dryRunRequest;
  return { ...dryRunRequest, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...(request.body as object | undefined), dryRun: ['All'] } };
}
