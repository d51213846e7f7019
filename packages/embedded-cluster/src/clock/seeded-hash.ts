// Stateless randomness: a number that depends on the seed and on its purpose, so that any value can be recomputed at any time and in any
// order. 32-bit integer mixing (the finaliser of MurmurHash3) is fast and sufficient for noise.

import { fnv1a } from '#kube/fnv1a';
import type { Random } from '../ports/random.ts';

/** Mixes two 32-bit integers into one, 0 … 2³²−1. */
export function hash32(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** FNV-1a of a text, mixed with the seed. */
export function hashText(seed: number, text: string): number {
  return hash32(seed, fnv1a(text));
}

/** Uniform in [0, 1), a function of both arguments alone. */
export function uniform(seed: number, index: number): number {
  return hash32(seed, index) / 0x100000000;
}

/** Uniform in [from, to) for a text: `between(seed, 'pull/nginx', 2, 20)`. */
export function between(seed: number, text: string, from: number, to: number): number {
  return from + (hashText(seed, text) / 0x100000000) * (to - from);
}

/** The same sequence of numbers for the same seed. */
export function seededRandom(seed: number): Random {
  let index = 0;
  return { next: () => uniform(seed, index++) };
}
