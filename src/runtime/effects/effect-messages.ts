// The names of each kind of effect and its outcomes in metrics, log and timeline.

import type { Effect, EffectKind } from '../../core/effects/effect.ts';
import { objectKey, type ObjectRef } from '../../core/model/object-ref.ts';
import type { DurationMs, Instant } from '#kube/units';
import type { Logger } from '../../ports/logger.ts';
import type { ActivityKind, TimelineEntry } from '../../ports/store/timeline.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';

interface EffectMessages {
  /** Value of the label `action`. */
  readonly action: string;
  readonly activity: ActivityKind;
  readonly done: string;
  readonly dryRun: string;
  readonly failed: string;
}

export const EFFECT_MESSAGES: Readonly<Record<EffectKind, EffectMessages>> = {
  resize: {
    action: 'resize',
    activity: 'resize',
    done: 'Resized pod',
    dryRun: 'Dry run: would resize pod',
    failed: 'Resizing pod failed',
  },
  evict: {
    action: 'evict',
    activity: 'resize',
    done: 'Evicted pod',
    dryRun: 'Dry run: would evict pod',
    failed: 'Evicting pod failed',
  },
  restart: {
    action: 'restart',
    activity: 'resize',
    done: 'Restarted workload',
    dryRun: 'Dry run: would restart workload',
    failed: 'Restarting workload failed',
  },
  scale: {
    action: 'scale',
    activity: 'resize',
    done: 'Scaled workload',
    dryRun: 'Dry run: would scale workload',
    failed: 'Scaling workload failed',
  },
  patchHpa: {
    action: 'hpa',
    activity: 'hpa',
    done: 'Patched HorizontalPodAutoscaler',
    dryRun: 'Dry run: would patch HorizontalPodAutoscaler',
    failed: 'Patching HorizontalPodAutoscaler failed',
  },
};

const TOO_MANY_REQUESTS = 429;

/** Outcomes in the timeline; null where an outcome is not recorded. */
const TIMELINE_OUTCOMES = {
  done: 'applied',
  'dry-run': 'dry-run',
  refused: 'rejected',
  conflict: null,
  gone: null,
  blocked: null,
} as const;

/** The written object as `shop/web-1`; where the owner itself is written, its key `shop/Deployment/web`. */
export function targetName({ target, owner }: { readonly target: ObjectRef; readonly owner: ObjectRef }): string {
  const key = objectKey(target);
  return key === objectKey(owner) || target.namespace === null ? key : `${target.namespace}/${target.name}`;
}

/** Whether the same dry run was reported within a day. */
function isRepeated(outcome: WriteOutcome): boolean {
  return outcome.kind === 'dry-run' && outcome.repeated === true;
}

/** Logs the outcome of an effect with its object, change and reason. */
export function logEffect(logger: Logger, effect: Effect, outcome: WriteOutcome): void {
  const messages = EFFECT_MESSAGES[effect.kind];
  const { owner, change, reason, logFields } = effect;
  const fields = { object: targetName(effect), owner: objectKey(owner), change, reason, ...logFields };
  switch (outcome.kind) {
    case 'done': {
      logger.info(messages.done, fields);
      return;
    }
    case 'dry-run': {
      if (isRepeated(outcome)) logger.debug(messages.dryRun, fields);
      else logger.info(messages.dryRun, fields);
      return;
    }
    case 'refused': {
      logger.warn(messages.failed, { ...fields, outcome: outcome.kind, status: outcome.status, why: outcome.message });
      return;
    }
    case 'conflict':
    case 'gone':
    case 'blocked': {
      logger.info(messages.failed, { ...fields, outcome: outcome.kind, why: outcome.message });
      return;
    }
  }
}

/** The timeline entry of an effect, under its owner; null for outcomes that are not recorded. */
export function timelineEntry(effect: Effect, outcome: WriteOutcome, at: Instant, durationMs: DurationMs): TimelineEntry | null {
  const result = TIMELINE_OUTCOMES[outcome.kind];
  // An eviction that a disruption budget refuses is retried; only its final outcome is recorded.
  if (result === null || isRepeated(outcome) || (outcome.kind === 'refused' && outcome.status === TOO_MANY_REQUESTS)) return null;
  const { target, owner, change, reason, actor = 'evenkeel' } = effect;
  const { action, activity } = EFFECT_MESSAGES[effect.kind];
  return {
    id: `${action}/${targetName(effect)}/${objectKey(owner)}/${at}`,
    at,
    kind: activity,
    object: { kind: owner.kind, name: owner.name },
    namespace: owner.namespace,
    pod: target.kind === 'Pod' ? target.name : null,
    container: null,
    from: null,
    to: change,
    reason,
    actor,
    outcome: result,
    message: 'message' in outcome ? outcome.message : change,
    durationMs,
    costDeltaPerHourUsd: null,
  };
}
