import type { ErrorDetail } from '../../apis/http/types.generated.ts';

/** Why something has no answer. Expected, so a value. */
export type Refusal =
  | { readonly kind: 'not-found'; readonly message: string }
  /** Not authorised; says no word on whether it exists. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** Two kinds share the name. */
  | { readonly kind: 'ambiguous'; readonly message: string; readonly kinds: readonly string[] }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

export function notAuthorised(namespace: string): Refusal {
  return { kind: 'forbidden', message: `You are not authorized for namespace ${namespace}. Ask an admin for a grant.` };
}
