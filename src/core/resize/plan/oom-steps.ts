// Resizes of pods that are raised alone after an OOM kill.

import { valuesOf } from '../model/container-values.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { carryOut } from './carry-out.ts';

/** Steps of pods that do not have their bump yet. Other values of the pods stay. */
export function listBumpSteps(situation: WorkloadSituation): readonly ResizeStep[] {
  const uids = new Set(situation.memory.oomBumps.map(({ uid }) => uid));
  return situation.pods
    .filter(({ uid }) => uids.has(uid))
    .flatMap((pod) => {
      const options = { kind: 'correct-drift', maxPods: 1, reason: 'OOM kill at the memory limit' } as const;
      return carryOut({ ...situation, pods: [pod] }, valuesOf(pod), options).steps;
    });
}
