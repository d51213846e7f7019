import { ApiFault, isNotFound } from '../../adapters/kubernetes/status.ts';
import type { Finding } from './restorer.ts';

/**
 * What is found at each of these, by itself: one that cannot be looked at (the conversion webhook of its kind is down) keeps no other
 * from being put back. What is gone has nothing to put back.
 *
 * @throws the first failure, once each was looked at
 */
export async function* lookAtEach<T>(
  these: Iterable<T> | AsyncIterable<T>,
  findingsOf: (each: T) => AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
  const failures: unknown[] = [];
  for await (const each of these) {
    try {
      yield* findingsOf(each);
    } catch (err) {
      if (!(err instanceof ApiFault && isNotFound(err.failure))) failures.push(err);
    }
  }
  if (failures.length > 0) throw failures[0];
}
