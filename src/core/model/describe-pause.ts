import { isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';

/** A pause by the ConfigMap evenkeel-pause; `until` null: until it is deleted, `reason` empty: none was given. */
export interface Pause {
  readonly reason: string;
  readonly until: Instant | null;
}

/** For example `Evenkeel is paused until 2026-11-26T14:00:00.000Z: investigating an incident`. */
export function describePause({ until, reason }: Pause): string {
  const end = until === null ? '' : ` until ${isoTime(until)}`;
  return `Evenkeel is paused${end}${reason === '' ? '' : `: ${reason}`}`;
}
