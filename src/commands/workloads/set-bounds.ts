import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { mergeBounds, type BoundsChange } from '../../core/overrides/merge-bounds.ts';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { annotateWorkload, type AnnotationPlan } from './annotate-workload.ts';
import { withReason } from '../recommendations/approve-recommendation.ts';
import type { Command, OnWorkload, ReasonBody } from '../command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from '../context.ts';

const { floor: FLOOR, ceiling: CEILING, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Merges floors and ceilings into those of the workload; null removes a value. Returns the changed workload. */
export const setBounds: Command<OnWorkload<BoundsChange & { readonly reason?: string }>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'SetBounds',
      decide: (workload, now) => {
        if (body.floor === undefined && body.ceiling === undefined) {
          const message = 'or ceiling is required: a value, or null to remove it';
          return { kind: 'invalid', details: [{ path: '/floor', message }] };
        }
        const merged = mergeBounds(workload.annotations, body, containersOf(ports, workload));
        if (merged.kind === 'invalid') return { kind: 'invalid', details: merged.faults };
        if (merged.kind === 'unreadable') {
          const remedy = 'Correct it by hand, or remove both bounds first.';
          return {
            kind: 'conflict',
            message: `The annotation of ${workload.name} cannot be read: ${merged.problem}. ${remedy}`,
          };
        }
        return planBounds(workload, { [FLOOR]: merged.floor, [CEILING]: merged.ceiling }, caller, now, body.reason);
      },
    });
  },
};

/** Removes floor and ceiling, even unreadable ones. */
export const removeBounds: Command<OnWorkload<ReasonBody>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'RemoveBounds',
      decide: (workload, now) => planBounds(workload, { [FLOOR]: null, [CEILING]: null }, caller, now, body.reason),
    });
  },
};

function planBounds(
  workload: WorkloadRecord,
  bounds: Readonly<Record<string, string | null>>,
  caller: Caller,
  now: number,
  reason: string | undefined,
): AnnotationPlan {
  const changed = Object.fromEntries(Object.entries(bounds).filter(([key, value]) => (workload.annotations[key] ?? null) !== value));
  if (Object.keys(changed).length === 0) return { kind: 'same' };
  const by = caller.scope.actor;
  const sets = Object.values(changed).some((value) => value !== null);
  const texts = Object.entries(bounds).map(([key, value]) => `${key === FLOOR ? 'floor' : 'ceiling'} ${value ?? 'none'}`);
  const sentence = sets ? `${by} set ${texts.join(', ')}` : `${by} removed ${Object.keys(changed).map(shortOf).join(' and ')}`;
  return {
    kind: 'write',
    annotations: { ...changed, [NOTES]: updateNotes(workload.annotations, changed, { by, at: now, reason: reason ?? null }) },
    audit: {
      action: sets ? 'SetBounds' : 'RemoveBounds',
      eventReason: sets ? COMMAND_EVENT.overrideSet : COMMAND_EVENT.overrideRemoved,
      message: withReason(sentence, reason),
      before: { floor: workload.annotations[FLOOR] ?? null, ceiling: workload.annotations[CEILING] ?? null },
      after: { floor: bounds[FLOOR], ceiling: bounds[CEILING] },
    },
  };
}

function shortOf(annotation: string): string {
  return annotation === FLOOR ? 'the floor' : 'the ceiling';
}

/** Containers of the pod template, and those that admission webhooks add to its pods. */
function containersOf({ cluster }: CommandPorts, workload: WorkloadRecord): ReadonlySet<string> {
  const names = new Set(workload.containers.map(({ name }) => name));
  for (const pod of cluster.podsOf(workloadKey(workload))) for (const { name } of pod.containers) names.add(name);
  return names;
}
