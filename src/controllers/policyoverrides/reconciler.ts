// Removes expired overrides from policies. They have no effect after they expire; removing them keeps kubectl's output correct.

import { OBJECT_ANNOTATIONS } from '../../apis/annotations.ts';
import { EVENT_REASON } from '../../apis/conditions.ts';
import { PLURALS, type ObjectMeta } from '../../apis/v1alpha1/index.ts';
import { isoTime } from '#kube/time/iso-time';
import { SECOND_MS, type DurationMs } from '#kube/units';
import { annotationWithout, readPolicyOverrides, type PolicyOverride } from '../../core/policies/policy-overrides.ts';
import { OVERRIDABLE_KINDS, type OverridableKind } from '../../core/policies/policy-kinds.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Gauge, Metrics } from '../../ports/metrics.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';

export interface PolicyOverridePorts {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterReader, 'isSynced' | 'ownObjects' | 'subscribe'>;
  readonly records: RecordWriter;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface WirePolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

const NOT_SYNCED_MS: DurationMs = SECOND_MS;

/** Key of a policy: `Kind/name`. */
type PolicyKey = string;

export class PolicyOverrideReconciler implements Reconciler {
  readonly #ports: PolicyOverridePorts;
  readonly #active: Gauge;
  readonly #expired: Counter;
  readonly #activeByKey = new Map<PolicyKey, number>();

  constructor(ports: PolicyOverridePorts) {
    this.#ports = ports;
    this.#active = ports.metrics.gauge({
      name: 'evenkeel_policy_overrides',
      help: 'Fields of policies that are overridden, by kind of policy.',
      labels: ['kind'],
    });
    this.#expired = ports.metrics.counter({
      name: 'evenkeel_policy_overrides_expired_total',
      help: 'Expired overrides that were removed from policies, by kind of policy.',
      labels: ['kind'],
    });
    for (const kind of OVERRIDABLE_KINDS) {
      this.#active.set(0, { kind });
      this.#expired.add(0, { kind });
    }
  }

  /** Idempotent: the annotation is changed only while it has the resourceVersion that was read. */
  async reconcile(key: PolicyKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, cluster } = this.#ports;
    if (!cluster.isSynced()) return { requeueAfterMs: NOT_SYNCED_MS };
    const kind = OVERRIDABLE_KINDS.find((candidate) => key.startsWith(`${candidate}/`));
    if (kind === undefined) return { done: true };
    const policy = policiesOf(cluster, kind).find(({ metadata }) => `${kind}/${metadata.name}` === key);
    const now = clock.now();
    const overrides = readPolicyOverrides(kind, policy?.metadata.annotations, now);
    this.#count(kind, key, overrides.inForce.length);
    if (policy !== undefined && overrides.expired.length > 0) await this.#remove(kind, policy, overrides.expired, signal);
    return overrides.nextExpiry === null ? { done: true } : { requeueAfterMs: Math.max(SECOND_MS, overrides.nextExpiry - clock.now()) };
  }

  /** Clears the gauges at the end of the leader's term: another replica exports them from then on. */
  close(): void {
    for (const kind of OVERRIDABLE_KINDS) this.#active.set(0, { kind });
    this.#activeByKey.clear();
  }

  async #remove(kind: OverridableKind, policy: WirePolicy, expired: readonly PolicyOverride[], signal: AbortSignal): Promise<void> {
    const { records, events, logger } = this.#ports;
    const { name, uid = '', resourceVersion, annotations } = policy.metadata;
    const remaining = annotationWithout(annotations?.[OBJECT_ANNOTATIONS.overrides] ?? '{}', new Set(expired.map(({ field }) => field)));
    const path = `/apis/${policy.apiVersion}/${PLURALS[kind]}/${encodeURIComponent(name)}`;
    const guard = resourceVersion === undefined ? {} : { resourceVersion };
    const outcome = await records.annotate(path, { [OBJECT_ANNOTATIONS.overrides]: remaining }, guard, signal);
    // The conflicting write arrives through the informers and enqueues the policy again.
    if (outcome.kind === 'conflict' || outcome.kind === 'gone') return;
    if (outcome.kind !== 'done')
      throw new Error(`removing expired overrides of ${kind} ${name}: ${'message' in outcome ? outcome.message : outcome.kind}`);
    for (const { field, value, by, expiresAt } of expired) {
      const ended = expiresAt === null ? '' : ` at ${isoTime(expiresAt)}`;
      const message = `Removed the override of spec.${field} with ${JSON.stringify(value)}${by === null ? '' : ` by ${by}`}, which expired${ended}`;
      this.#expired.add(1, { kind });
      logger.info('Removed expired override', { object: `${kind}/${name}`, field, value, by });
      const subject = { apiVersion: policy.apiVersion, kind, namespace: null, name, uid };
      events.record({ subject, type: 'Normal', reason: EVENT_REASON.overrideExpired, action: 'Expire', message });
    }
  }

  #count(kind: OverridableKind, key: PolicyKey, active: number): void {
    if (active === 0) this.#activeByKey.delete(key);
    else this.#activeByKey.set(key, active);
    let sum = 0;
    for (const [other, count] of this.#activeByKey) if (other.startsWith(`${kind}/`)) sum += count;
    this.#active.set(sum, { kind });
  }
}

/**
 * Enqueues every policy at the call, and each policy that changes afterwards.
 * @returns a function that ends the subscription
 */
export function watchPolicyOverrides(cluster: PolicyOverridePorts['cluster'], enqueue: (key: PolicyKey) => void): () => void {
  for (const kind of OVERRIDABLE_KINDS) for (const { metadata } of policiesOf(cluster, kind)) enqueue(`${kind}/${metadata.name}`);
  return cluster.subscribe((change) => {
    if (change.kind === 'podresizepolicy') enqueue(`PodResizePolicy/${change.key}`);
    if (change.kind !== 'other') return;
    const kind = OVERRIDABLE_KINDS.find((candidate) => change.key.startsWith(`${PLURALS[candidate]}/`));
    if (kind !== undefined) enqueue(`${kind}/${change.key.slice(PLURALS[kind].length + 1)}`);
  });
}

function policiesOf(cluster: Pick<ClusterReader, 'ownObjects'>, kind: OverridableKind): readonly WirePolicy[] {
  return [...cluster.ownObjects(PLURALS[kind])] as unknown as readonly WirePolicy[];
}
