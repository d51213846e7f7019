import { fnv1a } from '#kube/fnv1a';
import type { DurationMs, Instant } from '#kube/units';

/** The next moment of a node's own phase: the same of every interval, whatever happened in between, so that readings stay evenly spaced. */
export function nextAt(now: Instant, intervalMs: DurationMs, phase: number): Instant {
  const offset = phase * intervalMs;
  return (Math.floor((now - offset) / intervalMs) + 1) * intervalMs + offset;
}

/** Where in an interval a node is read, 0–1. A hash of the name: nodes spread evenly, and each keeps its place over restarts. */
export function phaseOf(name: string): number {
  return fnv1a(name) / 2 ** 32;
}
