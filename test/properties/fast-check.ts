// fast-check with the seed and the number of cases of the test tier; jest.config.js maps the package to this file. `make test` draws the
// same cases each time, so that it cannot fail by chance; `make soak` draws others, and many more.

import fc from '../../node_modules/fast-check/lib/fast-check.js';
import type { IRawProperty, Parameters } from '../../node_modules/fast-check/lib/fast-check.js';

export * from '../../node_modules/fast-check/lib/fast-check.js';

/** fast-check's default number of cases. */
const RUNS = 100;

interface PropertyRuns {
  readonly factor: number;
  readonly seed: number;
}

declare global {
  /** Set by the Jest configuration of the tier. */
  var propertyRuns: PropertyRuns;
}

function ofTheTier<T>(parameters: Parameters<T> = {}): Parameters<T> {
  const { factor, seed } = globalThis.propertyRuns;
  return { ...parameters, numRuns: (parameters.numRuns ?? RUNS) * factor, seed: factor > 1 ? seed : (parameters.seed ?? seed) };
}

// An asynchronous property returns a promise, as in the package.
function assert<T>(property: IRawProperty<T>, parameters?: Parameters<T>): void | Promise<void> {
  return fc.assert(property, ofTheTier(parameters));
}

export default { ...fc, assert };
