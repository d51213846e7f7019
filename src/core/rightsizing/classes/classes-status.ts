// The classes of a DaemonSet's pods in a Recommendation's status: what each should have, and what is remembered of it.

import type { RecommendationStatus, RecommendationStatusClass } from '../../../apis/v1alpha1/index.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { WorkloadDecision } from '../apply/decision.ts';
import type { ResizeMemory } from '../apply/situation.ts';
import type { ContainerFigures } from '../apply/container-figures.ts';
import { memoryStatus, optional, writeBoth } from '../apply/write-memory.ts';

const LONGEST_MESSAGE = 512;
const LONGEST_REASON = 512;
/** Of 32 pods in each of 32 classes. */
const LONGEST_REFUSAL = 400;

/** Nothing where classes are not told apart. */
export function classesStatus({ classes = [], memory }: WorkloadDecision): Pick<RecommendationStatus, 'classes'> {
  if (memory.classes === undefined || memory.classes.size === 0) return {};
  const standing = new Map(classes.map((each) => [each.name, each]));
  return {
    classes: [...memory.classes].map(([name, own]): RecommendationStatusClass => {
      const decided = standing.get(name)?.decision;
      return {
        name,
        pods: standing.get(name)?.pods.length ?? 0,
        ...(decided === undefined ? {} : { state: decided.state, ...optional('reason', decided.reason) }),
        ...(decided === undefined ? {} : { message: decided.message.slice(0, LONGEST_MESSAGE) }),
        containers: decided === undefined ? loweredAlone(own) : decided.containers.map((figures) => containerOf(figures, own)),
        ...memoryStatus(own, LONGEST_REFUSAL),
      };
    }),
  };
}

function containerOf(
  { name, current, target }: ContainerFigures,
  { memoryLimitLoweredAt }: ResizeMemory,
): NonNullable<RecommendationStatusClass['containers']>[number] {
  const loweredAt = memoryLimitLoweredAt.get(name);
  return {
    name,
    current: writeBoth(current),
    ...(target === null ? {} : { recommended: writeBoth(target) }),
    ...optional('memoryLimitBecause', target?.memoryLimitBecause?.slice(0, LONGEST_REASON) ?? null),
    ...optional('memoryLimitLoweredAt', loweredAt === undefined ? null : isoTime(loweredAt)),
  };
}

/** Of a class that has no pods now. */
function loweredAlone({ memoryLimitLoweredAt }: ResizeMemory): NonNullable<RecommendationStatusClass['containers']> {
  return [...memoryLimitLoweredAt].map(([name, at]) => ({ name, memoryLimitLoweredAt: isoTime(at) }));
}
