import { WORKLOAD_ANNOTATIONS } from '../apis/annotations.ts';
import { OPERATOR_OF_TARGET } from '../core/access/requirement.ts';
import { mergeBounds, type BoundsChange } from '../core/overrides/merge-bounds.ts';
import { notesAfter } from '../core/overrides/override-notes.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { annotateWorkload, type AnnotationPlan } from './annotate-workload.ts';
import { withReason } from './approve-recommendation.ts';
import type { Command, OnWorkload, ReasonBody } from './command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';

const { floor: FLOOR, ceiling: CEILING, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;

/** Lays floors and ceilings over those that stand on the workload; null takes away. Answers the workload with them. */
export const setBounds: Command<OnWorkload<BoundsChange & { readonly reason?: string }>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'SetBounds',
      decide: (workload, now) => {
        if (body.floor === undefined && body.ceiling === undefined) {
          const message = 'or ceiling is required: what is to be set, or null to take it away';
          return { kind: 'invalid', details: [{ path: '/floor', message }] };
        }
        const merged = mergeBounds(workload.annotations, body, containersOf(ports, workload));
        if (merged.kind === 'invalid') return { kind: 'invalid', details: merged.faults };
        if (merged.kind === 'unreadable') {
          const remedy = 'Correct it by hand, or remove both bounds first.';
          return {
            kind: 'conflict',
            message: `The annotation that stands on ${workload.name} cannot be read: ${merged.problem}. ${remedy}`,
          };
        }
        return bounded(workload, { [FLOOR]: merged.floor, [CEILING]: merged.ceiling }, caller, now, body.reason);
      },
    });
  },
};

/** Takes away floor and ceiling, readable or not. */
export const removeBounds: Command<OnWorkload<ReasonBody>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  run(ports, caller, { target, body }) {
    return annotateWorkload(ports, caller, target, {
      action: 'RemoveBounds',
      decide: (workload, now) => bounded(workload, { [FLOOR]: null, [CEILING]: null }, caller, now, body.reason),
    });
  },
};

function bounded(
  workload: WorkloadRecord,
  wanted: Readonly<Record<string, string | null>>,
  caller: Caller,
  now: number,
  reason: string | undefined,
): AnnotationPlan {
  const changed = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (workload.annotations[key] ?? null) !== value));
  if (Object.keys(changed).length === 0) return { kind: 'same' };
  const by = caller.scope.actor;
  const sets = Object.values(changed).some((value) => value !== null);
  const told = Object.entries(wanted).map(([key, value]) => `${key === FLOOR ? 'floor' : 'ceiling'} ${value ?? 'none'}`);
  const sentence = sets ? `${by} set ${told.join(', ')}` : `${by} removed ${Object.keys(changed).map(shortOf).join(' and ')}`;
  return {
    kind: 'write',
    annotations: { ...changed, [NOTES]: notesAfter(workload.annotations, changed, { by, at: now, reason: reason ?? null }) },
    audit: {
      action: sets ? 'SetBounds' : 'RemoveBounds',
      eventReason: sets ? COMMAND_EVENT.overrideSet : COMMAND_EVENT.overrideRemoved,
      message: withReason(sentence, reason),
      before: { floor: workload.annotations[FLOOR] ?? null, ceiling: workload.annotations[CEILING] ?? null },
      after: { floor: wanted[FLOOR], ceiling: wanted[CEILING] },
    },
  };
}

function shortOf(annotation: string): string {
  return annotation === FLOOR ? 'the floor' : 'the ceiling';
}

/** Those of the template, and those that admission adds to its pods. */
function containersOf({ cluster }: CommandPorts, workload: WorkloadRecord): ReadonlySet<string> {
  const names = new Set(workload.containers.map(({ name }) => name));
  for (const pod of cluster.podsOf(workloadKey(workload))) for (const { name } of pod.containers) names.add(name);
  return names;
}
