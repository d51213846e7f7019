import { ApiFault, isNotFound } from '../../adapters/kubernetes/status.ts';
import type { Finding } from './restorer.ts';

/**
 * Yields the findings of each item. An item that fails (the conversion webhook of its kind is down) does not prevent the others from being
 * restored. Items that no longer exist are skipped.
 * @throws the first failure, after all items
 */
export async function* findInEach<T>(
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
