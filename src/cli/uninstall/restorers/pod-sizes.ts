// Resizes pods in place to the sizes of their creation, if they still have Evenkeel's values.

import { optionalResources } from '../../../adapters/kubernetes/decode/decode-quantities.ts';
import { readPod } from '../../../adapters/kubernetes/decode/decode-pod.ts';
import { kubernetesEffectWriter } from '../../../adapters/kubernetes/write/effect-writer.ts';
import { Interner } from '../../../adapters/kubernetes/decode/interner.ts';
import { LIMIT_RANGES, NODES, ownResource, PODS } from '../../../adapters/kubernetes/resources.ts';
import { ApiFault, isNotFound } from '../../../adapters/kubernetes/status.ts';
import { objectAt, objectsAt, textAt } from '../../../adapters/kubernetes/wire.ts';
import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { PLURALS, type Recommendation } from '../../../apis/v1alpha1/index.ts';
import { podRef } from '../../../core/model/object-ref.ts';
import type { PodRecord } from '#kube/records/pod';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { changeSummary } from '../../../core/resize/plan/change-summary.ts';
import type { Values } from '../../../core/resize/model/container-values.ts';
import { overageValues } from '../../../core/resize/plan/container/keep-overages.ts';
import { isApplied } from '../../../core/resize/model/limit-exception.ts';
import { readMemory } from '../../../core/resize/status/memory-codec.ts';
import { UNINSTALL_MANAGER } from '../../../core/model/field-managers.ts';
import {
  canBeResized,
  sizesAtCreation,
  sizesToRestore,
  type SizeDefaults,
  type SizesVerdict,
} from '../../../core/uninstall/original-sizes.ts';
import { nameOf, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { findInEach } from '../look-at-each.ts';
import { granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';
import { TEMPLATE_PERMISSIONS, Templates } from './templates.ts';

export function podSizesRestorer(cluster: ClusterAccess): Restorer {
  return {
    name: 'pods resized back',
    find: (signal) => new PodSizes(cluster).find(signal),
  };
}

/** Data of one pass, in addition to the pods. */
class PodSizes {
  readonly #cluster: ClusterAccess;
  readonly #templates: Templates;
  readonly #interner = new Interner();
  readonly #kubeletVersions = new Map<string, string>();
  readonly #defaults = new Map<string, SizeDefaults[]>();
  readonly #remembered = new Map<WorkloadKey, readonly Values[]>();

  constructor(cluster: ClusterAccess) {
    this.#cluster = cluster;
    this.#templates = new Templates(cluster);
  }

  async *find(signal: AbortSignal): AsyncGenerator<Finding> {
    await this.#readContext(signal);
    yield* findInEach(this.#cluster.list(PODS, signal), (head) => this.#findingsOf(head, signal));
  }

  async *#findingsOf(head: ObjectHead, signal: AbortSignal): AsyncGenerator<Finding> {
    const sizedAtCreation = head.annotations[POD_ANNOTATIONS.sizeAtCreation] !== undefined;
    if (head.isBeingDeleted || !(sizedAtCreation || canBeResized(head.managedFields))) return;
    const pod = readPod(head.wire, this.#interner);
    if (pod.phase === 'Succeeded' || pod.phase === 'Failed') return;
    const { changes, kept, foreign } = await this.#judge(pod, head, signal);
    const object = nameOf(PODS, head);
    const reasons = [...kept, ...foreign];
    if (reasons.length > 0) yield { kind: 'keep', object, why: reasons.join('; ') };
    if (changes.length > 0) yield this.#change(object, pod, changes);
  }

  #change(object: string, pod: PodRecord, containers: SizesVerdict['changes']): Finding {
    const writer = kubernetesEffectWriter(this.#cluster.transport, UNINSTALL_MANAGER);
    const from = new Map(containers.map((change) => [change.name, change.from]));
    const to = new Map(containers.map((change) => [change.name, change.to]));
    return {
      kind: 'change',
      object,
      change: changeSummary(from, to),
      carryOut: (signal) => writer.write({ kind: 'resize', target: podRef(pod), uid: pod.uid, containers }, signal),
    };
  }

  async #judge(pod: PodRecord, head: ObjectHead, signal: AbortSignal): Promise<SizesVerdict> {
    const template = pod.owner === null ? null : await this.#templates.of(pod.namespace, pod.owner, pod.labels, signal);
    const defaults = this.#defaults.get(pod.namespace) ?? [];
    const original =
      template === null ? null : new Map([...template.containers].map(([name, sizes]) => [name, sizesAtCreation(sizes, defaults)]));
    const remembered = template === null ? [] : this.#remembered.get(workloadKey(template.workload));
    const verdict = sizesToRestore({
      pod,
      managedFields: head.managedFields,
      original,
      remembered: remembered ?? [],
      kubeletVersion: this.#kubeletVersions.get(pod.node ?? '') ?? '',
    });
    // A resize by another writer is reported only for workloads that Evenkeel has resized.
    const isManaged = verdict.changes.length > 0 || remembered !== undefined;
    return isManaged ? verdict : { ...verdict, foreign: [] };
  }

  async #readContext(signal: AbortSignal): Promise<void> {
    for await (const { name, wire } of this.#cluster.list(NODES, signal)) {
      this.#kubeletVersions.set(name, textAt(objectAt(objectAt(wire, 'status'), 'nodeInfo'), 'kubeletVersion'));
    }
    for await (const { namespace, wire } of this.#cluster.list(LIMIT_RANGES, signal)) {
      const items = objectsAt(objectAt(wire, 'spec'), 'limits').filter((item) => item['type'] === 'Container');
      const defaults = items.map((item) => ({
        requests: optionalResources(objectAt(item, 'defaultRequest'), 'defaultRequest'),
        limits: optionalResources(objectAt(item, 'default'), 'default'),
      }));
      this.#defaults.set(namespace ?? '', [...(this.#defaults.get(namespace ?? '') ?? []), ...defaults]);
    }
    try {
      for await (const { wire } of this.#cluster.list(ownResource(PLURALS.Recommendation), signal))
        this.#remember(wire as unknown as Recommendation);
    } catch (err) {
      // Without the kind there are no records; the managed fields of each pod still name the writer.
      if (!(err instanceof ApiFault && isNotFound(err.failure))) throw err;
    }
  }

  #remember({ metadata, spec, status }: Recommendation): void {
    const memory = readMemory(status);
    const values = [memory, ...(memory.classes?.values() ?? [])].flatMap(
      ({ apply, lastApplied, rolledBack, previous, limitExceptions }) => {
        const overages = limitExceptions.filter(isApplied).map(overageValues);
        return [apply?.values, lastApplied?.values, rolledBack?.values, previous?.values, ...overages].filter((each) => each !== undefined);
      },
    );
    if (values.length === 0) return;
    const { kind, name } = spec.targetRef;
    this.#remembered.set(workloadKey({ namespace: metadata.namespace ?? '', kind, name }), values);
  }
}

const SOURCE = 'src/cli/uninstall/restorers/pod-sizes.ts';

export const POD_SIZES: RestorerRegistration = {
  name: 'pod-sizes',
  permissions: [
    granted(['get', 'list'], PODS, SOURCE, 'finding pods with other sizes than their templates'),
    granted(['patch'], PODS, SOURCE, 'restoring those sizes in place', 'resize'),
    granted(['list'], LIMIT_RANGES, SOURCE, 'LimitRange defaults of a template'),
    ...TEMPLATE_PERMISSIONS,
  ],
  isEnabled: ({ restore }) => restore,
  create: ({ cluster }) => podSizesRestorer(cluster),
};
