import type { Instant } from '#kube/units';

/** RFC 3339 with exactly six fractional digits, as the API server requires in Leases and Events. */
export function microTime(at: Instant | string): string {
  return new Date(at).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}
