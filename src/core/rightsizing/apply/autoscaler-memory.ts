// What is remembered of autoscalers, to and from a Recommendation's status.

import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { parseOriginal, writeOriginal, type AutoscalerMemory } from '../../hpa/kept-target.ts';
import { instantOf, isoTime } from '../../model/iso-time.ts';

type AutoscalerStatus = NonNullable<RecommendationStatus['autoscalers']>[number];

/** As many as the schema holds. */
const MOST_AUTOSCALERS = 16;
const LONGEST_REFUSAL = 1024;

export function readAutoscalers(status: RecommendationStatus['autoscalers']): readonly AutoscalerMemory[] {
  return (status ?? []).map((each) => ({
    name: each.name,
    targets: each.original === undefined ? [] : parseOriginal(each.original),
    reverts: each.reverts ?? 0,
    revertedAt: instantOf(each.revertedAt),
    revertedBy: each.revertedBy ?? null,
    isReverted: each.reverted === true,
    refusedAt: instantOf(each.refusedAt),
    refusal: each.refusal ?? null,
  }));
}

export function writeAutoscalers(memory: readonly AutoscalerMemory[]): AutoscalerStatus[] {
  return memory.slice(0, MOST_AUTOSCALERS).map((each) => ({
    name: each.name,
    ...(each.targets.length === 0 ? {} : { original: writeOriginal(each.targets) }),
    ...(each.reverts === 0 ? {} : { reverts: each.reverts }),
    ...(each.revertedAt === null ? {} : { revertedAt: isoTime(each.revertedAt) }),
    ...(each.revertedBy === null ? {} : { revertedBy: each.revertedBy }),
    ...(each.isReverted ? { reverted: true } : {}),
    ...(each.refusedAt === null ? {} : { refusedAt: isoTime(each.refusedAt) }),
    ...(each.refusal === null ? {} : { refusal: each.refusal.slice(0, LONGEST_REFUSAL) }),
  }));
}
