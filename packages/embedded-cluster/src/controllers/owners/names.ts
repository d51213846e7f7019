import type { Random } from '../../ports/random.ts';
import { SAFE_CHARACTERS, safeCharacter } from './canonical.ts';

const SUFFIX_LENGTH = 5;
/** Maximum length of a base name, so that the suffix fits. */
const MAX_BASE = 58;

/** Names like those of `generateName` (`web-7c5d-x7k2p`), but from a seed, so that two runs give pods the same names. */
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
