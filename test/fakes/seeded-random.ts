import type { Random } from '../../src/ports/random.ts';
import { SeededRandom } from '../../src/runtime/random.ts';

/** The same row of numbers for the same seed. */
export function seededRandom(seed = 1): Random {
  return new SeededRandom(seed);
}
