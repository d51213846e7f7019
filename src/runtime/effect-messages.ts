// How metrics, the log and the timeline name each kind of effect and what came of it.

import type { Effect, EffectKind } from '../core/effects/effect.ts';
import { objectKey, type ObjectRef } from '../core/model/object-ref.ts';
import type { DurationMs, Instant } from '#kube/units';
import type { Logger } from '../ports/logger.ts';
import type { ActivityKind, TimelineEntry } from '../ports/timeline.ts';
import type { WriteOutcome } from '../ports/writers.ts';

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
    done: 'Resized a pod',
    dryRun: 'Would resize a pod (dry run)',
    failed: 'A pod was not resized',
  },
  evict: {
    action: 'evict',
    activity: 'resize',
    done: 'Evicted a pod',
    dryRun: 'Would evict a pod (dry run)',
    failed: 'A pod was not evicted',
  },
  restart: {
    action: 'restart',
    activity: 'resize',
    done: 'Restarted a workload',
    dryRun: 'Would restart a workload (dry run)',
    failed: 'A workload was not restarted',
  },
  scale: {
    action: 'scale',
    activity: 'resize',
    done: 'Scaled a workload',
    dryRun: 'Would scale a workload (dry run)',
    failed: 'A workload was not scaled',
  },
  patchHpa: {
    action: 'hpa',
    activity: 'hpa',
    done: 'Moved the target of an autoscaler',
    dryRun: 'Would move the target of an autoscaler (dry run)',
    failed: 'The target of an autoscaler was not moved',
  },
};

const TOO_MANY_REQUESTS = 429;

/** How the timeline calls it; null: nothing came of it. */
const TIMELINE_OUTCOMES = {
  done: 'applied',
  'dry-run': 'dry-run',
  refused: 'rejected',
  conflict: null,
  gone: null,
  blocked: null,
} as const;

/** The object that is written: `shop/web-1`; where that is the owner itself, the owner's key `shop/Deployment/web`. */
export function targetName({ target, owner }: { readonly target: ObjectRef; readonly owner: ObjectRef }): string {
  const key = objectKey(target);
  return key === objectKey(owner) || target.namespace === null ? key : `${target.namespace}/${target.name}`;
}

/** Whether a dry run came to the same as one that was reported within a day. */
function isRepeated(outcome: WriteOutcome): boolean {
  return outcome.kind === 'dry-run' && outcome.again === true;
}

/** Writes the line that says which object was changed, how and why, or why not. */
export function logEffect(logger: Logger, effect: Effect, outcome: WriteOutcome): void {
  const messages = EFFECT_MESSAGES[effect.kind];
  const fields = { object: targetName(effect), owner: objectKey(effect.owner), change: effect.change, because: effect.reason };
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

/** The entry of the timeline, of the owner, which may be of any kind and in no namespace; null: nothing came of it that is worth one. */
export function timelineEntry(effect: Effect, outcome: WriteOutcome, at: Instant, durationMs: DurationMs): TimelineEntry | null {
  const result = TIMELINE_OUTCOMES[outcome.kind];
  // An eviction that a disruption budget forbids is tried again and again: only what comes of it in the end is recorded.
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
