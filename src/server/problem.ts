import type { ErrorDetail } from '../apis/http/types.generated.ts';

/** Error codes of the API and their status. */
export const PROBLEM_STATUS = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  api_key_read_only: 403,
  csrf_failed: 403,
  session_required: 403,
  feature_disabled: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  ambiguous_workload: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rejected_by_cluster: 422,
  not_feasible: 422,
  no_grant: 422,
  rate_limited: 429,
  internal: 500,
  not_ready: 503,
} as const;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** An error answer, which the error handler renders. `message` has the problem and the remedy. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Lower-case names, such as `allow` and `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    extra: { details?: readonly ErrorDetail[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
  }

  get status(): number {
    return PROBLEM_STATUS[this.code];
  }
}

/** 400 with every invalid field. */
export function invalidRequest(details: readonly ErrorDetail[]): Problem {
  const first = details[0];
  const message =
    details.length === 1 && first !== undefined
      ? `${first.path === '' ? 'The body' : first.path} ${first.message}.`
      : `${details.length} fields are invalid; see details.`;
  return new Problem('invalid_request', message, { details });
}

/** 503: the caches have not synced yet, or the API server does not answer a change or confirm access. */
export function notReady(message: string, retryAfterSeconds = 5): Problem {
  return new Problem('not_ready', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
}
