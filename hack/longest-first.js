// The order in which `make e2e` starts its suites: the longest first, by their seconds in test/README.md, so that no lane ends with a
// long one while the others are idle. Suites without seconds follow.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TABLE = join(import.meta.dirname, '..', 'test', 'README.md');

export default class LongestFirst {
  #seconds = secondsOf(readFileSync(TABLE, 'utf8'));

  sort(tests) {
    return [...tests].sort((a, b) => this.#of(b) - this.#of(a) || a.path.localeCompare(b.path));
  }

  /** Jest calls it when all have run. Nothing is stored, so that each run has the same order. */
  cacheResults() {}

  #of({ path }) {
    return this.#seconds.get(/test\/.*$/.exec(path)?.[0]) ?? 0;
  }
}

/** Seconds by suite, from the rows of the tables. */
export function secondsOf(text) {
  return new Map([...text.matchAll(/^\| `(test\/[^`]+)` *\|.*\| *(\d+) *\|$/gm)].map(([, suite, seconds]) => [suite, Number(seconds)]));
}
