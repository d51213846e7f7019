import type { ApiTransport } from '#kube/api-transport';
import type { ElectionReply } from './messages.ts';

/** Posts each response to the main thread, which reports permissions that the API server denied. */
export function postingTransport(transport: ApiTransport, post: (reply: ElectionReply) => void): ApiTransport {
  return {
    request: async (request) => {
      const response = await transport.request(request);
      post({ type: 'response', request: { method: request.method, path: request.path }, response });
      return response;
    },
    stream: (request) => transport.stream(request),
  };
}
