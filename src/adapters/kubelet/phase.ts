import { fnv1a } from '#kube/fnv1a';
import type { DurationMs, Instant } from '#kube/units';

/** Next reading time of a node: a fixed offset in every interval, so that readings stay evenly spaced. */
export function nextReadingAt(now: Instant, intervalMs: DurationMs, phase: number): Instant {
  const offset = phase * intervalMs;
  return (Math.floor((now - offset) / intervalMs) + 1) * intervalMs + offset;
}

/**
 * Offset of a node's readings as a fraction of the interval, 0–1: an A hash of the name, which spreads nodes evenly and is stable over
 * restarts.
 */
export function phaseOf(name: string): number {
  return fnv1a(name) / 2 ** 32;
}
