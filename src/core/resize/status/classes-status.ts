// Node size classes of a DaemonSet in a Recommendation's status: the recommendation and memory of each class.

import type { RecommendationStatus, RecommendationStatusClass } from '../../../apis/v1alpha1/index.ts';
import { writeRequestsAndLimits } from '../../recommendations/quantities.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import { writeClassMemory } from './memory-codec.ts';
import { optional } from './optional.ts';

const MAX_MESSAGE = 512;
const MAX_REASON = 512;

/** The `classes` of a status; absent where classes do not differ. */
export function classesStatus({ classes = [], memory }: WorkloadDecision): Pick<RecommendationStatus, 'classes'> {
  if (memory.classes === undefined || memory.classes.size === 0) return {};
  const byName = new Map(classes.map((each) => [each.name, each]));
  return {
    classes: [...memory.classes].map(([name, classMemory]): RecommendationStatusClass => {
      const decided = byName.get(name)?.decision;
      return {
        name,
        pods: byName.get(name)?.pods.length ?? 0,
        ...(decided === undefined ? {} : { state: decided.state, ...optional('reason', decided.reason) }),
        ...(decided === undefined ? {} : { message: decided.message.slice(0, MAX_MESSAGE) }),
        ...(decided === undefined ? {} : { containers: decided.containers.map(containerOf) }),
        ...writeClassMemory(classMemory),
      };
    }),
  };
}

function containerOf({ name, current, target }: ContainerPlan): NonNullable<RecommendationStatusClass['containers']>[number] {
  return {
    name,
    current: writeRequestsAndLimits(current),
    ...(target === null ? {} : { recommended: writeRequestsAndLimits(target) }),
    ...optional('memoryLimitReason', target?.memoryLimitReason?.slice(0, MAX_REASON) ?? null),
  };
}
