import { isoSeconds } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';

/** As Kubernetes writes `metav1.Time`: RFC 3339 in whole seconds, UTC. */
export function toTimestamp(at: Instant): string {
  return `${isoSeconds(at)}Z`;
}

/** NaN where the text is absent or no time: comparisons with it are false. */
export function fromTimestamp(text: string | null | undefined): Instant {
  return text === null || text === undefined ? Number.NaN : Date.parse(text);
}
