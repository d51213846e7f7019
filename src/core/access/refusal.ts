import type { ErrorDetail } from '../../apis/http/types.generated.ts';

/** Why something has no answer. Expected, so a value. */
export type Refusal =
  | { readonly kind: 'not-found'; readonly message: string }
  /** No valid credential. */
  | { readonly kind: 'unauthenticated'; readonly message: string }
  /** Not authorised; says no word on whether it exists. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** An admin's session is needed, and the caller has another credential. */
  | { readonly kind: 'session-required'; readonly message: string }
  /** Switched off by a setting. */
  | { readonly kind: 'feature-disabled'; readonly message: string }
  /** Two kinds share the name. */
  | { readonly kind: 'ambiguous'; readonly message: string; readonly kinds: readonly string[] }
  /** `path` of a detail is a JSON Pointer into the input: `/duration`, `/floor/app/cpu`. */
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

export function notAuthorised(namespace: string): Refusal {
  return { kind: 'forbidden', message: `You are not authorized for namespace ${namespace}. Ask an admin for a grant.` };
}
