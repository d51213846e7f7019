import { SeededRandom } from '../../../src/runtime/random.ts';

/** Random draws for clusters; the same seed gives the same cluster. */
export class Dice {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** A whole number from 0 to `sides` − 1. */
  below(sides: number): number {
    return Math.floor(this.#random.next() * sides);
  }

  /** A whole number between both ends, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new Error('picking from an empty list');
    return item as T;
  }

  /** A random subset: each item with the probability. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }

  /** The value with the probability, to be spread into an object or list; else an empty object. */
  maybe<T extends object>(probability: number, make: () => T): T | Record<string, never> {
    return this.chance(probability) ? make() : {};
  }

  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
