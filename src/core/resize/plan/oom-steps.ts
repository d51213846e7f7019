// Resizes of pods that alone were given more after an OOM kill.

import { valuesOf } from '../model/container-values.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { carryOut } from './carry-out.ts';

/** Of those that have it not yet; nothing else of a pod is touched. */
export function stepsOfBumps(situation: WorkloadSituation): readonly ResizeStep[] {
  const uids = new Set(situation.memory.oomBumps.map(({ uid }) => uid));
  return situation.pods
    .filter(({ uid }) => uids.has(uid))
    .flatMap((pod) => {
      const options = { kind: 'correct-drift', most: 1, because: 'an OOM kill at its memory limit' } as const;
      return carryOut({ ...situation, pods: [pod] }, valuesOf(pod), options).steps;
    });
}
