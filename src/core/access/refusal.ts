import type { ErrorDetail } from '../../apis/http/types.generated.ts';

/** Why a query or command has no result; an expected outcome. */
export type Refusal =
  | { readonly kind: 'not-found'; readonly message: string }
  /** No valid credential. */
  | { readonly kind: 'unauthenticated'; readonly message: string }
  /** Not authorized; does not reveal whether the object exists. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The call needs the session of an admin, and the caller has another credential. */
  | { readonly kind: 'session-required'; readonly message: string }
  /** Disabled by a setting. */
  | { readonly kind: 'feature-disabled'; readonly message: string }
  /** Workloads of several kinds have the name. */
  | { readonly kind: 'ambiguous'; readonly message: string; readonly kinds: readonly string[] }
  /** `path` of a detail is a JSON Pointer into the input: `/duration`, `/floor/app/cpu`. */
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** Refusal for a namespace outside the caller's grants. */
export function notAuthorized(namespace: string): Refusal {
  return { kind: 'forbidden', message: `You are not authorized for namespace ${namespace}. Ask an admin for a grant.` };
}
