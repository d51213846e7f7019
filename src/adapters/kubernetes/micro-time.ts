import type { Instant } from '#kube/units';

/** RFC 3339 with exactly six digits of fraction: Leases and Events are refused with any other number of them. */
export function microTime(at: Instant | string): string {
  return new Date(at).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}
