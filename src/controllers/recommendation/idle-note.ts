// The notes on a workload that is idle, of its sizes and of its replicas: written before its Recommendation tells so, and taken away
// before that tells no more.
// So whichever write a process dies at, what it had stands somewhere until it has it again.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { IdleMemory, IdleAnnotation } from '../../core/resize/model/idle-memory.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { requestBounds } from '../../core/resize/policy/container-rules.ts';
import type { Instant } from '#kube/units';
import { readOriginalNote, writeOriginalNote } from '../../core/ownership/original-note.ts';
import { EMPTY_NOTE, keepRemembered, type OriginalNote } from '../../core/ownership/owners.ts';
import { idleFromRecords, workloadNote } from '../../core/resize/layers/idle/idle-originals.ts';
import { readIdleAnnotation, writeIdleAnnotation } from '../../core/resize/status/idle-annotation.ts';
import { workloadPath, type WorkloadRecord } from '#kube/records/workload';
import { asRecorded } from '../../core/resize/layers/idle/as-recorded.ts';
import type { WorkloadSituation } from '../../core/resize/model/situation.ts';
import type { RecordBinding, RecordSigner } from '../../ports/record-signer.ts';
import type { RecommendationPorts } from './ports.ts';

/** @throws when the API server refuses or cannot be reached: nothing is made small whose natural size is not written down */
export async function keepIdleNote(
  ports: Pick<RecommendationPorts, 'signer' | 'records'>,
  workload: WorkloadRecord,
  idle: IdleMemory | null,
  signal: AbortSignal,
): Promise<void> {
  // Of a record that is all that is known, nothing is written anew.
  if (idle?.waking?.by === 'record') return;
  const changes = { ...sizesChange(ports.signer, workload, idle), ...replicasChange(ports.signer, workload, idle) };
  if (Object.keys(changes).length === 0) return;
  const outcome = await ports.records.annotate(workloadPath(workload), changes, {}, signal);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return;
  throw new Error(`annotating ${workload.kind} ${workload.name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}

type Change = Readonly<Record<string, string | null>>;

function sizesChange(signer: RecordSigner, workload: WorkloadRecord, idle: IdleMemory | null): Change {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.idle];
  // One that is not ours may be all that is left of what the workload had: it stays for people to see.
  if (idle === null && (present === undefined || !isOwnNote(workload, signer))) return {};
  // Once taken away by hand it stays away: that was a wish to wake.
  if (idle !== null && idle.waking !== null && present === undefined) return {};
  const wanted = idle === null ? null : signer.sign(bindingOf(workload, WORKLOAD_ANNOTATIONS.idle), writeIdleAnnotation(idle));
  return present === wanted ? {} : { [WORKLOAD_ANNOTATIONS.idle]: wanted };
}

/** The note is on the workload before its replicas change, and until they are back. */
function replicasChange(signer: RecordSigner, workload: WorkloadRecord, idle: IdleMemory | null): Change {
  const present = workload.annotations[WORKLOAD_ANNOTATIONS.original];
  const own = readOwnOriginal(workload, signer);
  const current = keepIdlePeriod(own, idle?.since ?? null);
  const note = idle === null ? current : workloadNote(current, idle, workload.replicas.desired);
  if (note.fields.size === 0) return own === null ? {} : { [WORKLOAD_ANNOTATIONS.original]: null };
  const wanted = signer.sign(bindingOf(workload, WORKLOAD_ANNOTATIONS.original), writeOriginalNote(note));
  return present === wanted ? {} : { [WORKLOAD_ANNOTATIONS.original]: wanted };
}

/** Without what idle mode took in another idle period: such a note may have been kept and put back. */
function keepIdlePeriod(note: OriginalNote | null, since: Instant | null): OriginalNote {
  return keepRemembered(note ?? EMPTY_NOTE, (writer, takenAt) => writer !== 'idle' || takenAt === since);
}

/** The note of original values on a workload; null: there is none that is signed by Evenkeel and can be read. */
function readOwnOriginal(workload: WorkloadRecord, signer: RecordSigner): OriginalNote | null {
  return judgeOriginal(workload, signer) === 'own' ? readOriginalNote(workload.annotations[WORKLOAD_ANNOTATIONS.original] ?? '') : null;
}

/**
 * What the annotations of the workload and its autoscaler say, for where its Recommendation was deleted while the workload was idle. Any
 * user who may patch them can write them, so they count where they are signed, as far as the workload is as they say, and within the
 * bounds of the policy, the workload and its autoscaler. null: there is none that counts.
 * @throws while there is no key: a workload that is idle would be taken for one that is not
 */
export function recordedIdle(workload: WorkloadRecord, signer: RecordSigner, context: RecordContext): IdleMemory | null {
  if (workload.annotations[WORKLOAD_ANNOTATIONS.idle] === undefined) return null;
  if (!signer.hasKey)
    throw new Error(`annotation ${WORKLOAD_ANNOTATIONS.idle} cannot be verified yet: health tells why (source record-key)`);
  const record = ownNote(workload, signer);
  if (record === null) return null;
  const original = { note: readOwnOriginal(workload, signer), replicas: workload.replicas.desired };
  const current = asRecorded(idleFromRecords(record, original, context.hpas), { ...context, workload });
  return current === null ? null : bounded(current, context);
}

/** The record of sizes on a workload; null: there is none that is signed by Evenkeel and can be read. */
export function ownNote(workload: WorkloadRecord, signer: RecordSigner): IdleAnnotation | null {
  return isOwnNote(workload, signer) ? readIdleAnnotation(workload.annotations[WORKLOAD_ANNOTATIONS.idle]) : null;
}

/** Whether the note of original values on the workload is of Evenkeel: `not-signed` or `unreadable` is why not. null: there is none. */
export function judgeOriginal(workload: WorkloadRecord, signer: RecordSigner): 'own' | 'not-signed' | 'unreadable' | null {
  const text = workload.annotations[WORKLOAD_ANNOTATIONS.original];
  if (text === undefined) return null;
  if (!signer.isOurs(bindingOf(workload, WORKLOAD_ANNOTATIONS.original), text)) return 'not-signed';
  return readOriginalNote(text) === null ? 'unreadable' : 'own';
}

export function isOwnNote(workload: WorkloadRecord, signer: RecordSigner): boolean {
  const { [WORKLOAD_ANNOTATIONS.idle]: note = '' } = workload.annotations;
  return signer.isOurs(bindingOf(workload, WORKLOAD_ANNOTATIONS.idle), note);
}

function bindingOf({ kind, uid }: WorkloadRecord, field: string): RecordBinding {
  return { kind, uid, field };
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
