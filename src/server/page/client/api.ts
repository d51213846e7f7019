import type { ClusterArithmetic, RecommendationTotals, Warning } from '../../../apis/http/types.generated.ts';

/** The fields of `meta` that the page reads. */
export interface Meta {
  readonly total: number;
  readonly timestamp: string;
  readonly dataAge?: number;
  readonly stale?: boolean;
  readonly dryRun?: boolean;
  readonly nextCursor?: string;
  readonly warnings?: readonly Warning[];
  readonly summary?: ClusterArithmetic & RecommendationTotals;
}

export interface Answer<T> {
  readonly data: T;
  readonly meta: Meta;
}

/** A failed request, with the server's code and message where available. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const cache = new Map<string, { readonly tag: string; readonly answer: Answer<unknown> }>();

/** Reads an endpoint; unchanged data costs a 304. @throws ApiFailure */
export async function read<T>(path: string): Promise<Answer<T>> {
  const known = cache.get(path);
  const response = await reach(path, known === undefined ? {} : { headers: { 'if-none-match': known.tag } });
  if (response.status === 304 && known !== undefined) return known.answer as Answer<T>;
  const answer = await answerOf<T>(response);
  const tag = response.headers.get('etag');
  if (tag !== null) cache.set(path, { tag, answer });
  return answer;
}

/** Sends a change. @throws ApiFailure */
export async function act<T>(method: 'POST' | 'PUT', path: string, body: object): Promise<Answer<T>> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  // randomUUID exists only on https and localhost; without a key a repeat is not deduplicated.
  if (method === 'POST' && typeof crypto.randomUUID === 'function') headers['idempotency-key'] = crypto.randomUUID();
  return answerOf<T>(await reach(path, { method, headers, body: JSON.stringify(body) }));
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`api/v1${path}`, init);
  } catch {
    throw new ApiFailure('unreachable', 'The dashboard’s server does not answer.');
  }
}

async function answerOf<T>(response: Response): Promise<Answer<T>> {
  const body = (await response.json().catch(() => null)) as
    (Answer<T> & { readonly error?: { readonly code: string; readonly message: string } }) | null;
  if (response.ok && body !== null) return body;
  throw new ApiFailure(body?.error?.code ?? `http_${response.status}`, body?.error?.message ?? 'The answer could not be read.');
}
