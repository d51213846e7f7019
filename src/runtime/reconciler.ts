import type { DurationMs } from '#kube/units';

/** What a reconcile came to. There is no "soon": whoever wants to be called again says when, in domain time. */
export type ReconcileResult = { readonly done: true } | { readonly requeueAfterMs: DurationMs };

/**
 * Brings one object from how it is to how it should be.
 *
 * Level-triggered: the key alone is given, the world is read as it is now. Safe to call at any time and again after any
 * crash. A throw is a fault and is retried with back-off; `TerminalError` is not retried until the object changes. The
 * signal aborts when leadership is lost, the process stops, or the deadline passes.
 */
export interface Reconciler<K extends string = string> {
  reconcile(key: K, signal: AbortSignal): Promise<ReconcileResult>;
}

/** A failure that trying again cannot mend. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
