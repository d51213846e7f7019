import type { Random } from '../../src/ports/random.ts';
import { SeededRandom } from '../../src/runtime/random.ts';

/** Returns the same sequence of numbers for the same seed. */
export function seededRandom(seed = 1): Random {
  return new SeededRandom(seed);
}
