// Restores targets of autoscalers that followed the requests, and removes the annotation with the original values. This also applies where
// pods keep their sizes: new pods have their template's size, for which a changed target would be too high.

import { readHpa } from '../../../adapters/kubernetes/decode/decode-hpa.ts';
import { Interner } from '../../../adapters/kubernetes/decode/interner.ts';
import { HPAS } from '../../../adapters/kubernetes/resources.ts';
import { decoder } from '../../../adapters/kubernetes/wire.ts';
import { HPA_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { isNewest } from '../../../core/hpa/current-original.ts';
import { originalBinding, readOriginal, isSameMeasured, type RecordedTarget } from '../../../core/hpa/recorded-target.ts';
import type { HpaRecord } from '../../../core/model/cluster-records.ts';
import { readOriginalValues } from '../../../core/ownership/original-values.ts';
import { judgeAnnotation } from '../../../core/model/field-managers.ts';
import type { JsonPatchOperation } from '../../../core/model/encoding/json-patch.ts';
import { readMemory } from '../../../core/resize/status/memory-codec.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { isAlwaysEnabled, granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';
import { statusOf } from './own-status.ts';

/**
 * @param signer verifies records, since any user who may patch an autoscaler can write one
 * @param notesStay true: the annotations have minReplicas of idle workloads that are not restored yet
 */
export function autoscalersRestorer(cluster: ClusterAccess, signer: RecordSigner, notesStay = false): Restorer {
  const interner = new Interner();
  const read = decoder((wire) => readHpa(wire, interner));
  return {
    name: 'autoscalers restored',
    async *find(signal) {
      for await (const head of cluster.list(HPAS, signal)) {
        const decoded = read(head.wire);
        if (!decoded.ok) continue;
        const problem = await recordProblem(cluster, signer, decoded.record, signal);
        yield* findingsOf(cluster, head, decoded.record, { problem, notesStay });
      }
    },
  };
}

/** Why the record of an HPA's targets is ignored; null: it is valid, or absent. */
async function recordProblem(cluster: ClusterAccess, signer: RecordSigner, hpa: HpaRecord, signal: AbortSignal): Promise<string | null> {
  const signed = hpa.annotations[HPA_ANNOTATIONS.original];
  if (signed === undefined) return null;
  if (!signer.isAuthentic(originalBinding(hpa), signed)) return 'is not signed by Evenkeel';
  if (readOriginalValues(signed) === null) return 'has a format that this version cannot read';
  const record = readOriginal(hpa);
  // A record without targets only has minReplicas of idle mode.
  if (record === null) return null;
  const status = await statusOf(cluster, hpa.target, signal);
  return status === null || isNewest(record, hpa, readMemory(status).autoscalers) ? null : 'is older than its Recommendation';
}

function* findingsOf(
  cluster: ClusterAccess,
  head: ObjectHead,
  hpa: HpaRecord,
  { problem, notesStay }: { readonly problem: string | null; readonly notesStay: boolean },
): Generator<Finding> {
  const object = nameOf(HPAS, head);
  if (problem !== null) yield { kind: 'keep', object, why: `its targets: annotation ${HPA_ANNOTATIONS.original} ${problem}` };
  const { operations, changes, foreign } = targetsOf(hpa, problem === null ? (readOriginal(hpa)?.targets ?? []) : []);
  for (const why of foreign) yield { kind: 'keep', object, why };
  const notes: string[] = [];
  for (const key of Object.keys(head.annotations)) {
    const verdict = judgeAnnotation(key, head.managedFields);
    if (verdict.kind === 'remove' && !notesStay) notes.push(key);
    if (verdict.kind === 'keep') yield { kind: 'keep', object, why: `annotation ${key} was written by ${verdict.writtenBy}` };
  }
  if (notes.length > 0) changes.push(`annotations ${notes.join(', ')} removed`);
  if (changes.length === 0) return;
  const patch = [...operations, ...withoutAnnotations(head, notes)];
  yield { kind: 'change', object, change: changes.join(', '), carryOut: (signal) => cluster.patch(HPAS, head, patch, signal) };
}

function targetsOf(
  hpa: HpaRecord,
  originals: readonly RecordedTarget[],
): { readonly operations: JsonPatchOperation[]; readonly changes: string[]; readonly foreign: string[] } {
  const operations: JsonPatchOperation[] = [];
  const changes: string[] = [];
  const foreign: string[] = [];
  for (const target of originals) {
    const metric = hpa.resourceMetrics.find((each) => isSameMeasured(each, target));
    if (metric?.targetUtilizationRatio === undefined || metric.targetUtilizationRatio === null) continue;
    const live = Math.round(metric.targetUtilizationRatio * 100);
    if (live === target.percent) continue;
    if (live !== target.set) {
      foreign.push(`its ${target.resource} target of ${live} % was set by ${hpa.metricsWriter ?? 'another writer'}`);
      continue;
    }
    const path = `/spec/metrics/${metric.index}/${metric.container === null ? 'resource' : 'containerResource'}/target/averageUtilization`;
    operations.push({ op: 'test', path, value: live }, { op: 'replace', path, value: target.percent });
    changes.push(`${target.resource} target ${live} % → ${target.percent} %`);
  }
  return { operations, changes, foreign };
}

const SOURCE = 'src/cli/uninstall/restorers/autoscalers.ts';

export const AUTOSCALERS: RestorerRegistration = {
  name: 'autoscalers',
  permissions: [
    granted(['list', 'patch'], HPAS, SOURCE, 'restoring targets that followed the requests, and minReplicas that were lowered while idle'),
  ],
  isEnabled: isAlwaysEnabled,
  followsRecords: true,
  create: ({ cluster, signer, recordsStay }) => autoscalersRestorer(cluster, signer, recordsStay),
};
