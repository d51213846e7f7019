import type { AccessEvent, AccessOutcome, ChainedAccessEvent } from '../../core/access/events/access-event.ts';
import type { ChainPoint } from '../../core/access/events/event-chain.ts';
import type { ChainFault } from '../../core/access/events/verify-chain.ts';
import type { Instant } from '#kube/units';

/** Queues events for the store, which appends them to the chain of this process. */
export interface AccessEventWriter {
  appendAccessEvent(event: AccessEvent): void;
}

/** Which events are read; each field that is left out excludes none. */
export interface AccessEventFilter {
  readonly since?: Instant;
  /** Addresses of actors, in lower case. */
  readonly actors?: readonly string[];
  readonly actions?: readonly string[];
  readonly outcomes?: readonly AccessOutcome[];
  readonly limit: number;
}

/** Ends of chains that are recorded outside of the store, by writer, in ascending order. */
export type ChainWitnesses = ReadonlyMap<string, readonly ChainPoint[]>;

/** Result of verifying every chain. */
export interface AccessEventVerification {
  /** `unsigned`: no fault was found, but heads are not signed or no key is available, so that rewritten chains would not be found. */
  readonly state: 'intact' | 'unsigned' | 'broken';
  readonly events: number;
  readonly chains: number;
  /** In the order of writers and positions. */
  readonly faults: readonly ChainFault[];
  /** Writers whose heads are not signed. */
  readonly unsigned: readonly string[];
  /** The recorded end of each chain. */
  readonly heads: readonly (ChainPoint & { readonly writer: string })[];
}

/** Recorded events. Reads reject while the store is unavailable. */
export interface AccessEventReader {
  /** The newest first. */
  readAccessEvents(filter: AccessEventFilter): Promise<readonly ChainedAccessEvent[]>;
  /** Verifies all chains, and the one of this process up to its last written event. Takes about a second for 100,000 events. */
  verifyAccessEvents(witnesses: ChainWitnesses): Promise<AccessEventVerification>;
}

/** The end of this process's chain, for a record outside of the store. */
export interface AccessEventHead extends ChainPoint {
  readonly writer: string;
  readonly at: Instant;
}

/** What waits, and what was lost, for `/api/v1/health`. */
export interface AccessEventQueue {
  accessEventQueue(): { readonly waiting: number; readonly dropped: number };
  /** null: this process has written none. */
  accessEventHead(): AccessEventHead | null;
}
