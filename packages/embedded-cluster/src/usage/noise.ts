import { uniform } from '../clock/seeded-hash.ts';

const MINUTE_MS = 60_000;

/** A new value each minute, −1 … 1. */
export function minuteNoise(seed: number, at: number): number {
  return 2 * uniform(seed, Math.floor(at / MINUTE_MS)) - 1;
}

/** A curve through a random value every `knotMinutes`, −1 … 1, without steps or corners. */
export function smoothNoise(seed: number, at: number, knotMinutes: number): number {
  const position = at / (knotMinutes * MINUTE_MS);
  const knot = Math.floor(position);
  const along = position - knot;
  const weight = along * along * (3 - 2 * along);
  const from = uniform(seed, knot);
  return 2 * (from + (uniform(seed, knot + 1) - from) * weight) - 1;
}

/** 0 below `from`, 1 above `to`, smooth in between. */
export function smoothStep(from: number, to: number, x: number): number {
  const along = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return along * along * (3 - 2 * along);
}
