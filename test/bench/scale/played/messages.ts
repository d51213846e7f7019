// Messages between the bench and the played processes.

import type { Credentials, ServingCertificate } from './api-server.ts';
import type { PodChange } from './cluster.ts';
import type { Counts } from './request-counts.ts';

export interface ApiServerConfiguration {
  readonly nodes: number;
  /** false: the same cluster without pods. */
  readonly withPods: boolean;
  readonly tls: ServingCertificate;
  readonly credentials: Credentials;
}

export type ToApiServer =
  | { readonly type: 'configure'; readonly configuration: ApiServerConfiguration }
  | { readonly type: 'load'; readonly on: boolean }
  /** Changes a label of a node; `marked` has its name and the time. */
  | { readonly type: 'mark'; readonly index: number; readonly mark: string }
  | { readonly type: 'count' };

export type FromApiServer =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'pods'; readonly changes: readonly PodChange[] }
  | { readonly type: 'marked'; readonly node: string; readonly atMs: number }
  | {
      readonly type: 'counts';
      readonly counts: Counts;
      readonly events: number;
      readonly objects: Counts;
      readonly longestRenewalGapMs: number;
    };

export interface KubeletsConfiguration {
  readonly nodes: number;
  readonly port: number;
  readonly token: string;
  /** Serving certificate of each block of addresses. */
  readonly certificates: readonly ServingCertificate[];
}

export type ToKubelets =
  | { readonly type: 'configure'; readonly configuration: KubeletsConfiguration }
  | { readonly type: 'pods'; readonly changes: readonly PodChange[] }
  | { readonly type: 'count' };

export type FromKubelets = { readonly type: 'listening' } | { readonly type: 'counts'; readonly counts: Counts };

/** Time of this machine in milliseconds, comparable between processes. */
export function machineMs(): number {
  return performance.timeOrigin + performance.now();
}
