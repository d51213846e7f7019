import type { Refusal } from '../core/access/refusal.ts';
import type { WriteOutcome } from '../ports/writers.ts';

/** Why a command was not carried out. */
export type CommandRefusal =
  | Refusal
  /** State forbids it: values moved on, nothing to go back to. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** The API server, an admission webhook or a quota said no; its own words. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** Understood, and the cluster's rules refuse: nothing of this kind can be done to this object. */
  | { readonly kind: 'not-feasible'; readonly message: string }
  /** The API server is out of reach. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What came of a command: the object as it now is (in a dry run: as it would be), or why not. */
export type CommandOutcome<T> = { readonly kind: 'done'; readonly item: T; readonly dryRun: boolean } | CommandRefusal;

/** For a caller who would change only what they have seen. */
export const MOVED_ON = {
  kind: 'conflict',
  message: 'It has changed since you looked at it. Read it again, then repeat.',
} as const satisfies CommandRefusal;

/** The refusal in a write's outcome; null where it was carried out. */
export function refusalOf(outcome: WriteOutcome, object: string): CommandRefusal | null {
  switch (outcome.kind) {
    case 'done':
    case 'dry-run':
      return null;
    case 'conflict':
      return { kind: 'conflict', message: `${object} has changed meanwhile. Look at it again, then repeat.` };
    case 'gone':
      return { kind: 'not-found', message: `${object} is gone.` };
    case 'refused':
      return { kind: 'rejected', message: outcome.message };
    case 'held':
      return { kind: 'conflict', message: outcome.message };
  }
}

/** How a bulk names it, in the words of the error catalogue. */
export function refusalError(refusal: CommandRefusal): { readonly code: string; readonly message: string } {
  switch (refusal.kind) {
    case 'not-found':
      return { code: 'not_found', message: refusal.message };
    case 'forbidden':
      return { code: 'forbidden', message: refusal.message };
    case 'unauthenticated':
      return { code: 'unauthenticated', message: refusal.message };
    case 'session-required':
      return { code: 'session_required', message: refusal.message };
    case 'feature-disabled':
      return { code: 'feature_disabled', message: refusal.message };
    case 'ambiguous':
      return { code: 'ambiguous_workload', message: refusal.message };
    case 'invalid':
      return { code: 'invalid_request', message: refusal.details.map((detail) => `${detail.path} ${detail.message}`).join('; ') };
    case 'conflict':
      return { code: 'conflict', message: refusal.message };
    case 'rejected':
      return { code: 'rejected_by_cluster', message: refusal.message };
    case 'not-feasible':
      return { code: 'not_feasible', message: refusal.message };
    case 'unavailable':
      return { code: 'not_ready', message: refusal.message };
  }
}
