import type { DurationMs } from '#kube/units';

/** The result of a reconcile: done until the next change, or requeued after a delay in domain time. */
export type ReconcileResult = { readonly done: true } | { readonly requeueAfterMs: DurationMs };

/**
 * Moves one object from its present state to its desired one.
 *
 * Level-triggered: it gets the key alone and reads the present state. It may be called at any time, and again after any crash. An error
 * is retried with back-off; a `TerminalError` is not retried until the object changes. The signal aborts when leadership is lost, the
 * process stops, or the deadline passes.
 */
export interface Reconciler<K extends string = string> {
  reconcile(key: K, signal: AbortSignal): Promise<ReconcileResult>;
}

/** A failure that a retry cannot resolve. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
