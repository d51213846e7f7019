import type { Refusal } from '../core/access/refusal.ts';
import type { WriteOutcome } from '../ports/writers.ts';

/** Why a command was not carried out. */
export type CommandRefusal =
  | Refusal
  /** State forbids it: values moved on, nothing to go back to. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** The API server, an admission webhook or a quota said no; its own words. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The API server is out of reach. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What came of a command: the object as it now is (in a dry run: as it would be), or why not. */
export type CommandOutcome<T> = { readonly kind: 'done'; readonly item: T; readonly dryRun: boolean } | CommandRefusal;

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
