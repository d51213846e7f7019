import type { Instant } from '../../core/model/units.ts';

/** Much is written at the same moment of virtual time. */
let last = { at: Number.NaN, text: '' };

/** As Kubernetes writes `metav1.Time`: RFC 3339 in whole seconds, UTC. */
export function toTimestamp(at: Instant): string {
  if (at !== last.at) last = { at, text: `${new Date(at).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** NaN where the text is absent or no time: comparisons with it are false. */
export function fromTimestamp(text: string | null | undefined): Instant {
  return text === null || text === undefined ? Number.NaN : Date.parse(text);
}
