import type { ApiRequest, ApiTransport } from '../../ports/api-transport.ts';

/** The same transport, adding `dryRun=All` to whatever is not a read: the server validates, admits, counts quotas, and stores nothing. */
export function dryRunTransport(transport: ApiTransport): ApiTransport {
  return {
    request: (request) => transport.request(asDryRun(request)),
    stream: (request) => transport.stream(asDryRun(request)),
  };
}

function asDryRun(request: ApiRequest): ApiRequest {
  return request.method === 'GET' ? request : { ...request, query: { ...request.query, dryRun: 'All' } };
}
