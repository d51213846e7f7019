// Autoscalers whose targets followed the requests: their own are put back, and the note of what they were goes. With pods
// that keep their sizes, too: whatever pod is made anew has its template's, for which a moved target would be too high.

import { readHpa } from '../../../adapters/kubernetes/decode-hpa.ts';
import { Interner } from '../../../adapters/kubernetes/interner.ts';
import { HPAS } from '../../../adapters/kubernetes/resources.ts';
import { decoder } from '../../../adapters/kubernetes/wire.ts';
import { HPA_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import { readOriginal, sameMeasured, withOwnOriginal } from '../../../core/hpa/kept-target.ts';
import type { HpaRecord } from '../../../core/model/cluster-records.ts';
import { judgeAnnotation } from '../../../core/model/field-managers.ts';
import type { JsonPatchOperation } from '../../../ports/writers.ts';
import { nameOf, withoutAnnotations, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import type { Finding, Restorer } from '../restorer.ts';

/** @param signer knows the notes that Evenkeel wrote: whoever may patch an autoscaler can write one */
export function autoscalersRestorer(cluster: ClusterAccess, signer: RecordSigner): Restorer {
  const interner = new Interner();
  const read = decoder((wire) => readHpa(wire, interner));
  return {
    name: 'autoscalers put back',
    async *find(signal) {
      for await (const head of cluster.list(HPAS, signal)) {
        const decoded = read(head.wire);
        if (decoded.ok) yield* findingsOf(cluster, signer, head, decoded.record);
      }
    },
  };
}

function* findingsOf(cluster: ClusterAccess, signer: RecordSigner, head: ObjectHead, hpa: HpaRecord): Generator<Finding> {
  const object = nameOf(HPAS, head);
  const known = withOwnOriginal(hpa, signer);
  if (known !== hpa) yield { kind: 'keep', object, why: `its targets: annotation ${HPA_ANNOTATIONS.original} is not signed by Evenkeel` };
  const { operations, words, foreign } = targetsOf(known);
  for (const why of foreign) yield { kind: 'keep', object, why };
  const notes: string[] = [];
  for (const key of Object.keys(head.annotations)) {
    const verdict = judgeAnnotation(key, head.managedFields);
    if (verdict.kind === 'remove') notes.push(key);
    if (verdict.kind === 'keep') yield { kind: 'keep', object, why: `annotation ${key} was written by ${verdict.writtenBy}` };
  }
  if (notes.length > 0) words.push(`annotations ${notes.join(', ')} removed`);
  if (words.length === 0) return;
  const patch = [...operations, ...withoutAnnotations(head, notes)];
  yield { kind: 'change', object, change: words.join(', '), carryOut: (signal) => cluster.patch(HPAS, head, patch, signal) };
}

function targetsOf(hpa: HpaRecord): { readonly operations: JsonPatchOperation[]; readonly words: string[]; readonly foreign: string[] } {
  const operations: JsonPatchOperation[] = [];
  const words: string[] = [];
  const foreign: string[] = [];
  for (const target of readOriginal(hpa)) {
    const metric = hpa.resourceMetrics.find((each) => sameMeasured(each, target));
    if (metric?.targetUtilizationRatio === undefined || metric.targetUtilizationRatio === null) continue;
    const live = Math.round(metric.targetUtilizationRatio * 100);
    if (live === target.percent) continue;
    if (live !== target.set) {
      foreign.push(`its ${target.resource} target of ${live} % was set by ${hpa.metricsWriter ?? 'somebody else'}`);
      continue;
    }
    const path = `/spec/metrics/${metric.index}/${metric.container === null ? 'resource' : 'containerResource'}/target/averageUtilization`;
    operations.push({ op: 'test', path, value: live }, { op: 'replace', path, value: target.percent });
    words.push(`${target.resource} target ${live} % → ${target.percent} %`);
  }
  return { operations, words, foreign };
}
