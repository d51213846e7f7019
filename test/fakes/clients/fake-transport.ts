import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';

/** Answers from a function, and records the requests. */
export class FakeTransport implements ApiTransport {
  readonly requests: ApiRequest[] = [];
  answer: (request: ApiRequest) => { readonly status?: number; readonly body?: unknown } | Promise<never>;

  constructor(answer: FakeTransport['answer'] = () => ({})) {
    this.answer = answer;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.requests.push(request);
    const { status = 200, body = {} } = await this.answer(request);
    return { status, headers: {}, body };
  }

  async stream(): Promise<ApiStream> {
    throw new Error('the fake transport has no streams: use FakeApiServer');
  }
}

/** The Status body of an error response. */
export function status(code: number, reason: string, message: string, causes: readonly object[] = []): { status: number; body: object } {
  return { status: code, body: { kind: 'Status', status: 'Failure', code, reason, message, details: { causes } } };
}
