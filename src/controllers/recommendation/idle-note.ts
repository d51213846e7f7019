// The note on a workload that is idle: written before its Recommendation tells so, and taken away before that tells no more.
// So whichever write a process dies at, what it had stands somewhere until it has it again.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { IdleMemory } from '../../core/resize/model/idle-memory.ts';
import { readIdleNote, writeIdleNote } from '../../core/resize/status/idle-note.ts';
import { workloadPath, type WorkloadRecord } from '../../core/model/workload.ts';
import type { ResizeMemory } from '../../core/resize/model/situation.ts';
import type { RecommendationPorts } from './ports.ts';

/** @throws when the API server refuses or cannot be reached: nothing is made small whose natural size is not written down */
export async function keepIdleNote(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  idle: IdleMemory | null,
  signal: AbortSignal,
): Promise<void> {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.idle];
  const wanted = idle === null ? null : writeIdleNote(idle);
  if ((present ?? null) === wanted) return;
  // Once taken away by hand it stays away: that was a wish to wake.
  if (idle !== null && idle.waking !== null && present === undefined) return;
  const outcome = await ports.records.annotate(workloadPath(workload), { [WORKLOAD_ANNOTATIONS.idle]: wanted }, {}, signal);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return;
  throw new Error(`annotating ${workload.kind} ${workload.name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}

/** With what the workload's own note says, where no Recommendation is left to say it: it was deleted while the workload slept. */
export function withNote(memory: ResizeMemory, hasStatus: boolean, workload: WorkloadRecord): ResizeMemory {
  if (hasStatus) return memory;
  const idle = readIdleNote(workload.annotations[WORKLOAD_ANNOTATIONS.idle]);
  return idle === null ? memory : { ...memory, idle };
}
