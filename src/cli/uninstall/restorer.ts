// What an uninstall is made of: one restorer for each thing that Evenkeel may leave behind. None of them remembers
// anything: each looks at the cluster as it is, so a run that was broken off is taken up by the next one.

import type { WriteOutcome } from '../../ports/writers.ts';

/** One object that something is to become of. */
export type Finding =
  | {
      readonly kind: 'change';
      /** `pod shop/web-1` */
      readonly object: string;
      /** `main: cpu 120m → 500m` */
      readonly change: string;
      /** Checked by the server against what was decided from: safe to repeat, and safe against others at work. */
      readonly carryOut: (signal: AbortSignal) => Promise<WriteOutcome>;
    }
  /** Left as it is on purpose. */
  | { readonly kind: 'keep'; readonly object: string; readonly why: string };

export interface Restorer {
  /** What it does, for the summary: `pods resized back`. */
  readonly name: string;
  /** @throws ApiFault where the cluster does not let us look */
  find(signal: AbortSignal): AsyncIterable<Finding>;
}

/** What came of one restorer. */
export interface RestorerResult {
  readonly name: string;
  readonly changed: number;
  readonly kept: readonly { readonly object: string; readonly why: string }[];
  /** Not done, and why. Empty: all done. */
  readonly left: readonly { readonly object: string; readonly why: string }[];
}
