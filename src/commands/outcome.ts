import type { Warning } from '../apis/http/types.generated.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { WriteOutcome } from '../ports/cluster/writers.ts';

/** Why a command was not carried out. */
export type CommandRefusal =
  | Refusal
  /** The object's state does not allow it: for example changed values, or no previous values to roll back to. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** The API server, an admission webhook or a quota refused it, with the original message. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The request is valid, but not possible for this object. */
  | { readonly kind: 'not-feasible'; readonly message: string }
  /** The address has no grant, so that a credential for it could do nothing. */
  | { readonly kind: 'no-grant'; readonly message: string }
  /** The API server cannot be reached. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** The outcome of a command: the changed object (in a dry run as it would be), or a refusal. */
export type CommandOutcome<T> =
  { readonly kind: 'done'; readonly item: T; readonly dryRun: boolean; readonly warnings?: readonly Warning[] } | CommandRefusal;

/** The refusal of a conditional command whose object has changed. */
export const OBJECT_CHANGED = {
  kind: 'conflict',
  message: 'The object has changed since it was read. Read it again, then repeat the request.',
} as const satisfies CommandRefusal;

/** The refusal in a write's outcome; null where it was carried out. */
export function refusalOf(outcome: WriteOutcome, object: string): CommandRefusal | null {
  switch (outcome.kind) {
    case 'done':
    case 'dry-run':
      return null;
    case 'conflict':
      return { kind: 'conflict', message: `${object} has changed meanwhile. Read it again, then repeat the request.` };
    case 'gone':
      return { kind: 'not-found', message: `${object} was deleted.` };
    case 'refused':
      return { kind: 'rejected', message: outcome.message };
    case 'blocked':
      return { kind: 'conflict', message: outcome.message };
  }
}

/** Error codes of the API by kind of refusal. */
export const REFUSAL_CODE = {
  'not-found': 'not_found',
  forbidden: 'forbidden',
  unauthenticated: 'unauthenticated',
  'session-required': 'session_required',
  'feature-disabled': 'feature_disabled',
  ambiguous: 'ambiguous_workload',
  invalid: 'invalid_request',
  conflict: 'conflict',
  rejected: 'rejected_by_cluster',
  'not-feasible': 'not_feasible',
  'no-grant': 'no_grant',
  unavailable: 'not_ready',
} as const satisfies Readonly<Record<CommandRefusal['kind'], string>>;

/** The error of one bulk item. */
export function refusalError(refusal: CommandRefusal): { readonly code: string; readonly message: string } {
  const message =
    refusal.kind === 'invalid' ? refusal.details.map((detail) => `${detail.path} ${detail.message}`).join('; ') : refusal.message;
  return { code: REFUSAL_CODE[refusal.kind], message };
}
