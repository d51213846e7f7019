// What happened at the surface of Evenkeel: who asked for which change, from where, and with which outcome.

import type { Instant } from '#kube/units';
import type { Credential } from '../scope.ts';

export type AccessOutcome = 'allowed' | 'denied' | 'error';

/** One attempt to change something, to sign in, or to read what the caller may not read. */
export interface AccessEvent {
  readonly at: Instant;
  readonly actor: {
    /** null: no verified address. */
    readonly email: string | null;
    readonly via: Credential['via'];
    readonly keyId: string | null;
  };
  /** Operation of the API, such as `setBounds`. */
  readonly action: string;
  /** `Kind/namespace/name`, or the method and path of a request that names no object. */
  readonly target: string;
  readonly outcome: AccessOutcome;
  /** The changed part before; null: none, or not known. Of any JSON type. */
  readonly before: unknown;
  /** The changed part afterwards. Where the outcome is not `allowed`, `{ code }`: the error code of the answer, or why a sign-in was refused. */
  readonly after: unknown;
  readonly requestId: string;
  /** Address of the client. */
  readonly address: string;
}

/** An event in the chain of one writer. */
export interface ChainedAccessEvent extends AccessEvent {
  readonly id: string;
  /** The process that wrote it. */
  readonly writer: string;
  /** Position in the chain of the writer, from 1. */
  readonly sequence: number;
  readonly hash: string;
  /** Hash of the event before; of the first, `GENESIS_HASH`. */
  readonly previousHash: string;
}

/** Action of the event that replaces dropped ones. */
export const DROPPED_ACTION = 'dropAccessEvents';
/** Action of the event that counts the reads of one actor above the limit. */
export const COUNTED_READS_ACTION = 'countReads';
/** Action of the event that counts denied requests above the limit. */
export const COUNTED_ACTION = 'countDeniedRequests';
