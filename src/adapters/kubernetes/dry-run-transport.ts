import type { ApiRequest, ApiTransport } from '#kube/api-transport';

/** The same transport, making a dry run of whatever is not a read: the server validates, admits, counts quotas, and stores nothing. */
export function dryRunTransport(transport: ApiTransport): ApiTransport {
  return {
    request: (request) => transport.request(asDryRun(request)),
    stream: (request) => transport.stream(asDryRun(request)),
  };
}

function asDryRun(request: ApiRequest): ApiRequest {
  if (request.method === 'GET') return request;
  const asked = { ...request, query: { ...request.query, dryRun: 'All' } };
  // A DELETE with a body is judged by its body alone: kube-apiserver then looks at no parameter, and would delete for real.
  if (request.method !== 'DELETE') return asked;
  return { ...asked, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...(request.body as object | undefined), dryRun: ['All'] } };
}
