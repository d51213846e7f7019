import type { BulkItem, BulkResult } from '../apis/http/types.generated.ts';
import { approveRecommendation } from './approve-recommendation.ts';
import type { Caller, CommandPorts } from './context.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';
import { rejectRecommendation } from './reject-recommendation.ts';
import { rollbackRecommendation } from './rollback-recommendation.ts';
import { setWorkloadMode } from './set-workload-mode.ts';

/** Writes at once: enough to hide the API server's latency, few enough not to crowd it. */
const AT_ONCE = 8;

/** Carries out each item by itself, in order of the answer; a failing one never stops the others. */
export async function bulkRecommendations(ports: CommandPorts, caller: Caller, items: readonly BulkItem[]): Promise<readonly BulkResult[]> {
  const results: BulkResult[] = [];
  for (let begin = 0; begin < items.length; begin += AT_ONCE) {
    const batch = items.slice(begin, begin + AT_ONCE).map((item, offset) => carryOut(ports, caller, item, begin + offset));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

async function carryOut(ports: CommandPorts, caller: Caller, item: BulkItem, index: number): Promise<BulkResult> {
  const own = { ...caller, idempotencyKey: caller.idempotencyKey === null ? null : `${caller.idempotencyKey}#${index}` };
  try {
    const outcome = await dispatch(ports, own, item);
    return outcome.kind === 'done' ? { index, ok: true } : { index, ok: false, error: errorOf(outcome) };
  } catch (error) {
    ports.logger.error('bulk item failed', { requestId: caller.requestId, index, err: error });
    return {
      index,
      ok: false,
      error: { code: 'internal', message: 'Something went wrong on our side; the request id finds it in the log.' },
    };
  }
}

async function dispatch(ports: CommandPorts, caller: Caller, item: BulkItem): Promise<CommandOutcome<unknown>> {
  const reason = item.reason === undefined ? {} : { reason: item.reason };
  switch (item.action) {
    case 'approve':
      if (item.containers === undefined) return missing('containers', 'is required for approve: the values seen');
      return approveRecommendation(ports, caller, item, { containers: item.containers, ...reason });
    case 'reject':
      return rejectRecommendation(ports, caller, item, {
        ...(item.containers === undefined ? {} : { containers: item.containers }),
        ...reason,
      });
    case 'rollback':
      return rollbackRecommendation(ports, caller, item, reason);
    case 'mode':
      if (item.mode === undefined) return missing('mode', 'is required for mode; null goes back to the policy’s');
      return setWorkloadMode(ports, caller, item, { mode: item.mode, ...reason });
  }
}

function missing(path: string, message: string): CommandRefusal {
  return { kind: 'invalid', details: [{ path, message }] };
}

function errorOf(refusal: CommandRefusal): { readonly code: string; readonly message: string } {
  switch (refusal.kind) {
    case 'not-found':
      return { code: 'not_found', message: refusal.message };
    case 'forbidden':
      return { code: 'forbidden', message: refusal.message };
    case 'ambiguous':
      return { code: 'ambiguous_workload', message: refusal.message };
    case 'invalid':
      return { code: 'invalid_request', message: refusal.details.map((detail) => `${detail.path} ${detail.message}`).join('; ') };
    case 'conflict':
      return { code: 'conflict', message: refusal.message };
    case 'rejected':
      return { code: 'rejected_by_cluster', message: refusal.message };
    case 'unavailable':
      return { code: 'not_ready', message: refusal.message };
  }
}
