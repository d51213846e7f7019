// Optimistic concurrency for user requests: decide from an object, write it if it is unchanged, else read it again and repeat.

import type { WriteOutcome } from '../ports/cluster/writers.ts';
import { recordAudit, type AuditEntry } from './audit.ts';
import type { Caller, CommandPorts } from './context.ts';
import { refusalOf, type CommandOutcome, type CommandRefusal } from './outcome.ts';

/** Attempts before a conflict is the caller's: two users may write at once, and the status of an object changes by itself. */
const MAX_ATTEMPTS = 6;

/** A write of one object, decided from the version that was read. */
export interface PlannedWrite<Item> {
  readonly kind: 'write';
  /** null: part of a change that has its own entry. */
  readonly audit: Omit<AuditEntry, 'outcome'> | null;
  /** Validates the write first, where that takes a request: the refusal, or null. */
  readonly validate?: () => Promise<CommandRefusal | null>;
  /** Guarded by the resourceVersion that was read, so that a concurrent write is never overwritten. */
  readonly write: () => Promise<WriteOutcome & { readonly object?: unknown }>;
  /** The answer after the write. @param object as the API server answered it; undefined where the writer answers none */
  readonly itemOf: (object: unknown) => Item;
}

export interface GuardedWrite<Seen, Item> {
  /** `Kind name`, for refusals. */
  readonly object: string;
  /** Kind and namespace with the name, for the log. */
  readonly logName: string;
  /** The answer where the API server is not reached. */
  readonly unavailable?: string;
  /** The caller of this write: one whose policy is in dry run, as far as the object that was read makes that matter. */
  callerOf(seen: Seen): Caller;
  /** Decides from the object as it was read: a write, or the answer without one. @param attempt `tries` is 1 in the first */
  plan(seen: Seen, attempt: { readonly tries: number; readonly caller: Caller }): PlannedWrite<Item> | CommandOutcome<Item>;
  /**
   * Reads the object again after a conflict, from the API server, as informers may lag.
   * null: it is gone, or another object has its name. A refusal: it differs from what the caller saw.
   */
  readAgain(seen: Seen): Promise<{ readonly kind: 'read'; readonly object: Seen } | CommandRefusal | null>;
}

/** A time-out may come after the API server has made the change. */
export const NOT_REACHED = 'The API server does not answer. Look whether the change was made, and try again shortly if it was not.';

/** Plans and writes, up to `MAX_ATTEMPTS` times while the object changes in between. Each write leaves one audit entry, where its plan has one. */
export async function writeGuarded<Seen, Item>(
  ports: CommandPorts,
  first: Seen,
  guarded: GuardedWrite<Seen, Item>,
): Promise<CommandOutcome<Item>> {
  let seen = first;
  for (let tries = 1; ; tries += 1) {
    const caller = guarded.callerOf(seen);
    const plan = guarded.plan(seen, { tries, caller });
    if (plan.kind !== 'write') return plan;
    const record = (outcome: AuditEntry['outcome']): void => {
      if (plan.audit !== null) recordAudit(ports, caller, { ...plan.audit, outcome });
    };
    let outcome: WriteOutcome & { readonly object?: unknown };
    try {
      const invalid = (await plan.validate?.()) ?? null;
      if (invalid !== null) return invalid;
      outcome = await plan.write();
      if (outcome.kind === 'conflict' && tries < MAX_ATTEMPTS) {
        const again = await guarded.readAgain(seen);
        if (again !== null && again.kind !== 'read') return again;
        if (again !== null) {
          seen = again.object;
          continue;
        }
      }
    } catch (error) {
      ports.logger.warn('Writing user request failed', { object: guarded.logName, err: error });
      record('error');
      return { kind: 'unavailable', message: guarded.unavailable ?? NOT_REACHED };
    }
    const refusal = refusalOf(outcome, guarded.object);
    record(refusal === null ? 'allowed' : 'error');
    return refusal ?? { kind: 'done', item: plan.itemOf(outcome.object), dryRun: caller.dryRun };
  }
}
