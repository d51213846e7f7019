import type { Instant } from '../../model/units.ts';

/** A process that the kernel killed for want of memory while its container went on: a counter shows it, no status does. */
export interface CountedKill {
  readonly container: string;
  /** When the counter was read. */
  readonly at: Instant;
}
