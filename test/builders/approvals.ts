import { decideWorkload } from '../../src/core/resize/layers/decide-workload.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../src/core/resize/model/situation.ts';

/** The situation after a user has approved all values that are shown. */
export function approved(situation: WorkloadSituation): WorkloadSituation {
  const values = new Map(
    decideWorkload(situation).containers.flatMap(({ name, target }) => (target === null ? [] : [[name, target] as const])),
  );
  return { ...situation, userRequests: { ...NO_USER_REQUESTS, approved: { at: situation.now, by: 'ann', values } } };
}
