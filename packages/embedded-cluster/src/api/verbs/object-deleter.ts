// Deletion as in Kubernetes: preconditions, grace periods of pods, finalizers by propagation policy. An object with a finalizer or a grace
// period gets a deletionTimestamp; others are removed at once.

import type { Clock } from '../../ports/clock.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ServedResource } from '../resources/served-resources.ts';
import { toTimestamp } from '../timestamp.ts';
import { isRemovable } from './update-rules.ts';
import { checkPreconditions, type DeleteOptions, type Propagation } from './write-request.ts';

export interface Deleted {
  /** The last state (removed), or the state with the deletionTimestamp (terminating). In the stored version. */
  readonly object: KubeObject;
  readonly gone: boolean;
}

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
const DEFAULT_POD_GRACE_SECONDS = 30;

export class ObjectDeleter {
  readonly #store: ObjectStore;
  readonly #clock: Clock;

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** undefined when there is no such object. Throws ApiStatusError 409 for failed preconditions. */
  delete(resource: ServedResource, namespace: string | null, name: string, options: DeleteOptions, dryRun: boolean): Deleted | undefined {
    const table = this.#store.table(resource.storageId);
    const stored = table.get(namespace, name);
    if (stored === undefined) return undefined;
    checkPreconditions(resource, stored, options.preconditions);

    const graceSeconds = resource.id === 'pods' ? podGraceSeconds(stored, options.gracePeriodSeconds) : 0;
    const draft = this.#marked(resource, stored, graceSeconds, options.propagation);
    if (isRemovable(draft)) {
      const removed = dryRun ? stored : (table.remove(namespace, name) ?? stored);
      // The returned pod has its previous grace period, which was none.
      const { resourceVersion } = removed.metadata;
      const object = resource.id === 'pods' ? { ...removed, metadata: { ...draft.metadata, resourceVersion } } : removed;
      return { object, gone: true };
    }
    if (hasSameDeletion(draft, stored)) return { object: stored, gone: false };
    return { object: dryRun ? draft : table.put(draft), gone: false };
  }

  #marked(resource: ServedResource, stored: KubeObject, graceSeconds: number, propagation: Propagation | undefined): KubeObject {
    const metadata = { ...stored.metadata };
    const finalizers = finalizersFor(metadata.finalizers ?? [], propagation);
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    else delete metadata.finalizers;
    const running = metadata.deletionGracePeriodSeconds ?? 0;
    const isFirst = metadata.deletionTimestamp === undefined;
    // A second delete may only shorten the running grace period.
    if (isFirst || graceSeconds < running) {
      metadata.deletionTimestamp = toTimestamp(this.#clock.now() + graceSeconds * 1000);
      metadata.deletionGracePeriodSeconds = graceSeconds;
    }
    if (isFirst && metadata.generation !== undefined) metadata.generation++;
    const draft: KubeObject = { ...stored, metadata };
    if (resource.id === 'namespaces') draft['status'] = { ...(stored['status'] as object | undefined), phase: 'Terminating' };
    return draft;
  }
}

/** A pod that no kubelet runs (unscheduled, or finished) is deleted at once. */
function podGraceSeconds(pod: KubeObject, asked: number | undefined): number {
  const spec = pod['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
  if (spec?.nodeName === undefined || spec.nodeName === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const grace = asked ?? spec.terminationGracePeriodSeconds ?? DEFAULT_POD_GRACE_SECONDS;
  return grace < 0 ? 1 : grace;
}

function finalizersFor(present: readonly string[], propagation: Propagation | undefined): string[] {
  if (propagation === undefined) return [...present];
  const others = present.filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
  if (propagation === 'Foreground') return [...others, FOREGROUND];
  return propagation === 'Orphan' ? [...others, ORPHAN] : others;
}

function hasSameDeletion(draft: KubeObject, stored: KubeObject): boolean {
  const a = draft.metadata;
  const b = stored.metadata;
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    (a.finalizers ?? []).join() === (b.finalizers ?? []).join()
  );
}
