import { PLURALS, type AccessPolicy } from '../../apis/v1alpha1/index.ts';
import { isSameAsStored } from '../../core/model/encoding/omit-empty.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import { accessPolicyStatus, findNextExpiry } from './status.ts';

export interface AccessPolicyPorts {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterReader, 'isSynced' | 'ownObjects' | 'subscribe'>;
  readonly records: RecordWriter;
}

/** The AccessPolicy in effect; others have no status. */
const NAME = 'default';
const FIELD_MANAGER = 'evenkeel-accesspolicy';
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
/** The informers usually show within this time what caused the conflict. */
const CONFLICT_MS: DurationMs = SECOND_MS;

/** Writes the status of the AccessPolicy in effect. */
export class AccessPolicyReconciler implements Reconciler {
  readonly #ports: AccessPolicyPorts;

  constructor(ports: AccessPolicyPorts) {
    this.#ports = ports;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, cluster, records } = this.#ports;
    if (!cluster.isSynced()) return { requeueAfterMs: NOT_SYNCED_MS };
    const policies = [...cluster.ownObjects(PLURALS.AccessPolicy)] as unknown as readonly AccessPolicy[];
    const policy = name === NAME ? policies.find(({ metadata }) => metadata.name === NAME) : undefined;
    if (policy === undefined) return { done: true };
    const now = clock.now();
    const status = accessPolicyStatus(policy, now);
    const { requests: _, ...stored } = policy.status ?? {};
    if (!isSameAsStored(status, stored)) {
      const { resourceVersion } = policy.metadata;
      const options = { fieldManager: FIELD_MANAGER, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      const outcome = await records.applyStatus({ plural: PLURALS.AccessPolicy, namespace: null, name: NAME }, status, options, signal);
      if (outcome.kind === 'conflict') return { requeueAfterMs: CONFLICT_MS };
      if (outcome.kind !== 'done' && outcome.kind !== 'gone') {
        throw new Error(`writing the status of AccessPolicy ${NAME}: ${'message' in outcome ? outcome.message : outcome.kind}`);
      }
    }
    const expiry = findNextExpiry(policy, now);
    return expiry === null ? { done: true } : { requeueAfterMs: Math.max(SECOND_MS, expiry - clock.now()) };
  }
}

/**
 * Enqueues the AccessPolicy at the call and at each change.
 * @returns a function that ends the subscription
 */
export function watchAccessPolicy(cluster: AccessPolicyPorts['cluster'], enqueue: (name: string) => void): () => void {
  enqueue(NAME);
  return cluster.subscribe((change) => {
    if (change.kind === 'other' && change.key === `${PLURALS.AccessPolicy}/${NAME}`) enqueue(NAME);
  });
}
