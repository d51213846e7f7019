import type { ClusterArithmetic, RecommendationTotals, Warning } from '../../../apis/http/types.generated.ts';

/** `meta` of an answer, as far as the page reads it. */
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

/** What went wrong, in the server's words where it said some. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const kept = new Map<string, { readonly tag: string; readonly answer: Answer<unknown> }>();

/** Reads an endpoint. What has not changed since the last time costs a 304. */
export async function read<T>(path: string): Promise<Answer<T>> {
  const known = kept.get(path);
  const response = await reach(path, known === undefined ? {} : { headers: { 'if-none-match': known.tag } });
  if (response.status === 304 && known !== undefined) return known.answer as Answer<T>;
  const answer = await answerOf<T>(response);
  const tag = response.headers.get('etag');
  if (tag !== null) kept.set(path, { tag, answer });
  return answer;
}

/** Asks for a change. */
export async function act<T>(method: 'POST' | 'PUT', path: string, body: object): Promise<Answer<T>> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  // randomUUID is there on https and localhost alone; without a key a repeat is merely not recognised.
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
