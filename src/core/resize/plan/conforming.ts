// Which pods are brought to what is in force: those created since from the template, those that a roll-back is for.

import { carryOut, type CarryOut } from './carry-out.ts';
import { heldByPerson } from './interlocks.ts';
import { isTemplateRaised } from './raised-template.ts';
import type { WorkloadSituation } from '../model/situation.ts';

const NOT_YET = 'the pod has not yet what is in force for its workload';
const NOTHING: CarryOut = { steps: [], settled: [], reachable: 0, waits: [] };

/** Nothing while a person holds the workload, but for what a person has asked to be taken back. */
export function conforming(situation: WorkloadSituation): CarryOut {
  const { memory, standing, now } = situation;
  const { lastApplied: settled, rolledBack } = memory;
  if (settled === null) return NOTHING;
  const isRollBack = rolledBack?.at === settled.at;
  const isAskedFor = isRollBack && rolledBack.requestedAt !== null;
  if (heldByPerson(situation) && !isAskedFor) return NOTHING;
  const calm = standing.calmUntil !== null && standing.calmUntil > now;
  // Pods of a template that is being rolled out with more than before have what a person wants.
  const isLoweringHeld = calm || isTemplateRaised(situation);
  return carryOut(situation, settled.values, {
    kind: 'conform',
    most: isLoweringHeld && !isRollBack ? 0 : Number.POSITIVE_INFINITY,
    isRollBack,
    because: isRollBack ? `rolled back: ${rolledBack.message}` : NOT_YET,
  });
}
