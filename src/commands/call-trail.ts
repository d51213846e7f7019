// The access events of one call: one for each audit entry, and one for the outcome of a call, or an item of a bulk, without any.

import type { AccessEvent, AccessOutcome } from '../core/access/events/access-event.ts';
import { REFUSAL_CODE, type CommandRefusal } from './outcome.ts';

/** What a call did to one object. */
export type CallRecord = Pick<AccessEvent, 'target' | 'outcome' | 'before' | 'after'>;

/** Refusals by what the caller may do; all others are errors. */
const DENIALS: ReadonlySet<CommandRefusal['kind']> = new Set(['unauthenticated', 'forbidden', 'session-required', 'feature-disabled']);

export class CallTrail {
  readonly #write: (record: CallRecord, isLogged: boolean) => void;
  #isRecorded = false;

  /** @param write `isLogged`: the log has the record as an audit line */
  constructor(write: (record: CallRecord, isLogged: boolean) => void) {
    this.#write = write;
  }

  /** The trail of one item of a bulk. */
  item(): CallTrail {
    return new CallTrail((record, isLogged) => {
      this.#isRecorded = true;
      this.#write(record, isLogged);
    });
  }

  /** An audit entry. @param dryRun nothing was changed, so that an allowed request has no event */
  audit(record: CallRecord, dryRun: boolean): void {
    this.#isRecorded = true;
    if (!dryRun || record.outcome !== 'allowed') this.#write(record, true);
  }

  /** The outcome, where no audit entry was written. */
  complete(outcome: { readonly kind: 'done'; readonly dryRun: boolean } | CommandRefusal, input: unknown): void {
    if (outcome.kind === 'done') {
      if (!this.#isRecorded && !outcome.dryRun) this.#outcome('allowed', null, input);
    } else {
      this.#outcome(DENIALS.has(outcome.kind) ? 'denied' : 'error', { code: REFUSAL_CODE[outcome.kind] }, input);
    }
  }

  /** The call threw an error. */
  fail(input: unknown): void {
    this.#outcome('error', { code: 'internal' }, input);
  }

  #outcome(outcome: AccessOutcome, after: unknown, input: unknown): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    this.#write({ target: targetOf(input), outcome, before: null, after }, false);
  }
}

/** The object that an input names. */
function targetOf(input: unknown): string {
  const { target, id, ...item } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id === 'string') return id;
  const { kind, namespace, name } = (target ?? item) as Readonly<Record<string, unknown>>;
  return [kind, namespace, name].filter((part) => typeof part === 'string').join('/');
}
