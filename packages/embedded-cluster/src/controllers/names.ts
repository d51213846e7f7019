import type { Random } from '../ports/random.ts';
import { SAFE_CHARACTERS, safeCharacter } from './canonical.ts';

const SUFFIX_LENGTH = 5;
/** Room that the API server leaves for a base name before its suffix. */
const MAX_BASE = 58;

/** Names as `generateName` gives them (`web-7c5d-x7k2p`), but from a seed, so that two runs name their pods alike. */
export class GeneratedNames {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(base: string): string {
    let suffix = '';
    for (let length = 0; length < SUFFIX_LENGTH; length += 1) suffix += safeCharacter(Math.floor(this.#random.next() * SAFE_CHARACTERS));
    return `${base.slice(0, MAX_BASE)}${suffix}`;
  }
}
