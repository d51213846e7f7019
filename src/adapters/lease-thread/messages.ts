// Messages between the main thread and the thread of the leader election.

import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import type { ConnectionSource } from '../kubernetes/transport/connection.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import type { Labels, MetricSpec } from '../../ports/metrics.ts';

/** Data that the thread starts with. */
export interface ElectionThreadData {
  readonly connection: ConnectionSource;
  readonly userAgent: string;
  readonly namespace: string;
  readonly lease: string;
  readonly identity: string;
  /** Memory of a `SharedDeadline`. */
  readonly deadline: SharedArrayBuffer;
}

/** From the main thread. Each message also shows that the main thread runs. */
export type ElectionRequest =
  | { readonly type: 'pong' }
  /** The work of the term has ended: nothing more is written. @param error why the work failed; null: it did not */
  | { readonly type: 'term-done'; readonly error: string | null }
  /** Ends the term, releases the lease and ends the election. */
  | { readonly type: 'stop' };

/** To the main thread. */
export type ElectionReply =
  | { readonly type: 'ping'; readonly status: ElectionStatus }
  | { readonly type: 'term-began'; readonly status: ElectionStatus }
  | { readonly type: 'term-ended'; readonly status: ElectionStatus }
  | { readonly type: 'stopped' }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string; readonly fields: LogFields }
  | { readonly type: 'metric'; readonly change: MetricChange }
  | { readonly type: 'response'; readonly request: LeaseRequest; readonly response: LeaseResponse };

export interface ElectionStatus {
  readonly holder: string | null;
  readonly transitions: number;
  readonly problem: string | null;
}

export type LogLevel = Exclude<keyof Logger, 'child'>;

export interface MetricChange {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly spec: MetricSpec;
  /** null: the series of the labels is removed. */
  readonly value: number | null;
  readonly labels: Labels;
}

export type LeaseRequest = Pick<ApiRequest, 'method' | 'path'>;
export type LeaseResponse = ApiResponse;
