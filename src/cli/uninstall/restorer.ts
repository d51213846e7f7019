// An uninstall has one restorer for each kind of change that Evenkeel may leave behind. Restorers are stateless: each reads the current
// cluster, so the next run continues an interrupted one.

import type { WriteOutcome } from '../../ports/cluster/writers.ts';

/** An object to change, or to leave unchanged with a reason. */
export type Finding =
  | {
      readonly kind: 'change';
      /** `pod shop/web-1` */
      readonly object: string;
      /** `main: cpu 120m → 500m` */
      readonly change: string;
      /** Guarded by preconditions that the server checks: safe to repeat, and safe beside other writers. */
      readonly carryOut: (signal: AbortSignal) => Promise<WriteOutcome>;
    }
  /** Deliberately unchanged. */
  | { readonly kind: 'keep'; readonly object: string; readonly why: string };

export interface Restorer {
  /** Description of its changes, for the summary: `pods resized back`. */
  readonly name: string;
  /** Reads the cluster and yields findings. @throws ApiFault where a read fails */
  find(signal: AbortSignal): AsyncIterable<Finding>;
}

/** Result of one restorer. */
export interface RestorerResult {
  readonly name: string;
  readonly changed: number;
  readonly kept: readonly { readonly object: string; readonly why: string }[];
  /** Changes that were not made, with the reason. Empty: complete. */
  readonly left: readonly { readonly object: string; readonly why: string }[];
}
