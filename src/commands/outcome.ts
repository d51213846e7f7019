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
    case 'blocked':
      return { kind: 'conflict', message: outcome.message };
  }
}

/** The code of each refusal in the catalogue that every head answers with. */
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
  unavailable: 'not_ready',
} as const satisfies Readonly<Record<CommandRefusal['kind'], string>>;

/** The refusal of one item of a bulk. */
export function refusalError(refusal: CommandRefusal): { readonly code: string; readonly message: string } {
  const message =
    refusal.kind === 'invalid' ? refusal.details.map((detail) => `${detail.path} ${detail.message}`).join('; ') : refusal.message;
  return { code: REFUSAL_CODE[refusal.kind], message };
}
