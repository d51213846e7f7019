import type { BulkResult } from '../../apis/http/types.generated.ts';
import { changed, type OperationId, type Reply } from '../reply.ts';

/** One result an item, with how many were carried out. */
export function bulkReply<Id extends OperationId>(results: readonly BulkResult[], dryRun: boolean): Reply<Id> {
  const succeeded = results.filter((result) => result.ok).length;
  const summary = { succeeded, failed: results.length - succeeded };
  return changed<Id>(results, { dryRun, total: results.length, summary: summary });
}
