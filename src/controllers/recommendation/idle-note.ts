// The note on a workload that is idle: written before its Recommendation tells so, and taken away before that tells no more.
// So whichever write a process dies at, what it had stands somewhere until it has it again.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { IdleMemory } from '../../core/resize/model/idle-memory.ts';
import type { OptionalResources, RequestsAndLimits } from '../../core/model/resources.ts';
import { requestBounds } from '../../core/resize/policy/container-rules.ts';
import { readIdleNote, writeIdleNote } from '../../core/resize/status/idle-note.ts';
import { workloadPath, type WorkloadRecord } from '../../core/model/workload.ts';
import { asRecorded } from '../../core/resize/layers/idle/as-recorded.ts';
import type { WorkloadSituation } from '../../core/resize/model/situation.ts';
import type { RecordBinding, RecordSigner } from '../../ports/record-signer.ts';
import type { RecommendationPorts } from './ports.ts';

/** @throws when the API server refuses or cannot be reached: nothing is made small whose natural size is not written down */
export async function keepIdleNote(
  ports: RecommendationPorts,
  workload: WorkloadRecord,
  idle: IdleMemory | null,
  signal: AbortSignal,
): Promise<void> {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.idle];
  // One that is not ours may be all that is left of what the workload had: it stays for people to see.
  if (idle === null && (present === undefined || !isOurs(ports.signer, workload, present))) return;
  const wanted = idle === null ? null : ports.signer.sign(bindingOf(workload), writeIdleNote(idle));
  if (present === wanted) return;
  if (idle?.waking?.by === 'record') return;
  // Once taken away by hand it stays away: that was a wish to wake.
  if (idle !== null && idle.waking !== null && present === undefined) return;
  const outcome = await ports.records.annotate(workloadPath(workload), { [WORKLOAD_ANNOTATIONS.idle]: wanted }, {}, signal);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return;
  throw new Error(`annotating ${workload.kind} ${workload.name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}

/**
 * What the workload's own annotation says, for where its Recommendation was deleted while the workload was idle. Any user who may
 * patch workloads can write it, so it counts where it is signed, as far as the workload is as it says, and within the bounds of the
 * policy, the workload and its autoscaler. null: there is none that counts.
 * @throws while there is no key: a workload that is idle would be taken for one that is not
 */
export function recordedIdle(workload: WorkloadRecord, signer: RecordSigner, context: RecordContext): IdleMemory | null {
  const note = workload.annotations[WORKLOAD_ANNOTATIONS.idle];
  if (note === undefined) return null;
  if (!signer.hasKey)
    throw new Error(`annotation ${WORKLOAD_ANNOTATIONS.idle} cannot be verified yet: health tells why (source record-key)`);
  const idle = isOurs(signer, workload, note) ? readIdleNote(note) : null;
  const current = idle === null ? null : asRecorded(idle, { ...context, workload });
  return current === null ? null : bounded(current, context);
}

export function isOwnNote(workload: WorkloadRecord, signer: RecordSigner): boolean {
  return isOurs(signer, workload, workload.annotations[WORKLOAD_ANNOTATIONS.idle] ?? '');
}

function bindingOf({ kind, uid }: WorkloadRecord): RecordBinding {
  return { kind, uid, field: WORKLOAD_ANNOTATIONS.idle };
}

function isOurs(signer: RecordSigner, workload: WorkloadRecord, note: string): boolean {
  return signer.isOurs(bindingOf(workload), note);
}

type RecordContext = Pick<WorkloadSituation, 'policy' | 'overrides' | 'hpas' | 'pods'>;

function bounded(idle: IdleMemory, { policy, overrides, hpas }: RecordContext): IdleMemory {
  const cut = (name: string, { requests }: RequestsAndLimits): OptionalResources => ({
    cpuMillicores: atMost(requests.cpuMillicores, requestBounds('cpu', policy, overrides, name, null).max),
    memoryBytes: atMost(requests.memoryBytes, requestBounds('memory', policy, overrides, name, null).max),
  });
  const hpa = hpas.find(({ name }) => name === idle.autoscaler?.name);
  const most = hpa?.maxReplicas ?? Number.POSITIVE_INFINITY;
  return {
    ...idle,
    natural: new Map([...idle.natural].map(([name, values]) => [name, { ...values, requests: cut(name, values) }])),
    autoscaler: idle.autoscaler && { ...idle.autoscaler, minReplicas: Math.min(idle.autoscaler.minReplicas, most) },
  };
}

function atMost(amount: number | null, max: { readonly value: number } | null): number | null {
  return amount === null || max === null ? amount : Math.min(amount, max.value);
}
