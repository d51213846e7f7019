// Carries out resets to the deployed values. One write restarts the pods and removes the size annotations; then the Recommendation is
// deleted. A crash in between repeats no restart, because the same write marks the request as restarted. A request that a tenant puts
// back restarts nothing either, because the pod template then has that request's time.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { EVENT_REASON } from '../../apis/conditions.ts';
import { PLURALS } from '../../apis/v1alpha1/index.ts';
import type { Effect } from '../../core/effects/effect.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { namespacedRef } from '../../core/model/object-ref.ts';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, workloadPath, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { updateNotes } from '../../core/overrides/override-notes.ts';
import { recommendationName } from '../../core/recommendations/recommendation-name.ts';
import {
  readResetRequest,
  resetBinding,
  formatResetRequest,
  restartProblem,
  SIZE_ANNOTATIONS,
  type ResetRequest,
} from '../../core/resource-audit/reset-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { EventRecorder, EventSpec } from '../../ports/cluster/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter, WriteOutcome } from '../../ports/cluster/writers.ts';
import type { EffectGate } from '../../runtime/effects/effect-gate.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';

export interface ResetPorts {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterReader, 'isSynced' | 'findWorkload' | 'findRecommendation' | 'workloads' | 'subscribe'>;
  readonly policies: Pick<PolicyResolver, 'governanceOf'>;
  readonly gate: Pick<EffectGate, 'carryOut'>;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const { resetToDeploy: RESET, heldUntil: HELD, overrideNotes: NOTES } = WORKLOAD_ANNOTATIONS;
const NOT_SYNCED_MS: DurationMs = SECOND_MS;
/** Long enough for the informers to show the last write. */
const AFTER_WRITE_MS: DurationMs = SECOND_MS;
/** Retry interval while a pause or an exhausted budget blocks the restart. */
const BLOCKED_MS: DurationMs = 10 * SECOND_MS;

type ResetOutcome = 'done' | 'dry-run' | 'refused' | 'lapsed' | 'unreadable';

export class ResetReconciler implements Reconciler<WorkloadKey> {
  readonly #ports: ResetPorts;
  readonly #ended: Counter;

  constructor(ports: ResetPorts) {
    this.#ports = ports;
    this.#ended = ports.metrics.counter({
      name: 'evenkeel_resets_total',
      help: 'Finished resets to the deployed values, by outcome (done, dry-run, refused, lapsed, unreadable).',
      labels: ['outcome'],
    });
    for (const outcome of ['done', 'dry-run', 'refused', 'lapsed', 'unreadable']) this.#ended.add(0, { outcome });
  }

  async reconcile(key: WorkloadKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, cluster, signer } = this.#ports;
    if (!cluster.isSynced() || !signer.hasKey) return { requeueAfterMs: NOT_SYNCED_MS };
    const workload = cluster.findWorkload(key);
    if (workload?.deletionAt !== null) return { done: true };
    const request = readResetRequest(workload.annotations);
    if (request === null) return { done: true };
    if (request === 'unreadable' || !signer.isAuthentic(resetBinding(workload), workload.annotations[RESET] ?? '')) {
      const message = `${RESET} was not made through the API of this Evenkeel and is removed; request the reset again through the API`;
      return this.#discard(workload, null, 'unreadable', message, signal);
    }
    const now = clock.now();
    const restartedAt = lastRestartAt(workload, now);
    if (request.restarted || restartedAt === request.at) return this.#finish(workload, request, signal);
    if (restartedAt > request.at) {
      // The hold stays: it may belong to a reset that was carried out before the later restart.
      const message = `the pods were restarted at ${isoTime(restartedAt)}, after ${request.by} requested the reset; request it again to reset them`;
      return this.#discard(workload, null, 'refused', message, signal);
    }
    if (now >= request.heldUntil) {
      return this.#discard(
        workload,
        request,
        'lapsed',
        `the reset that ${request.by} requested could not be carried out before its hold ended`,
        signal,
      );
    }
    const problem = restartProblem(workload);
    if (problem !== null) return this.#discard(workload, request, 'refused', problem, signal);
    return this.#restart(workload, request, signal);
  }

  async #restart(workload: WorkloadRecord, request: ResetRequest, signal: AbortSignal): Promise<ReconcileResult> {
    const { gate, policies, logger, signer } = this.#ports;
    const { annotations } = workload;
    const { rules } = policies.governanceOf(workload);
    if (rules.paused) return { requeueAfterMs: BLOCKED_MS };
    const removed = SIZE_ANNOTATIONS.filter((name) => name !== HELD && name !== NOTES && annotations[name] !== undefined);
    const remaining = Object.fromEntries(
      [HELD, NOTES].flatMap((name) => (annotations[name] === undefined ? [] : [[name, annotations[name]]])),
    );
    const target = namespacedRef(workload);
    const effect: Effect = {
      kind: 'restart',
      target,
      resourceVersion: workload.resourceVersion,
      restartedAt: isoTime(request.at),
      annotations: {
        ...Object.fromEntries(removed.map((name) => [name, null])),
        [NOTES]: updateNotes(remaining, {}, request),
        [RESET]: signer.sign(resetBinding(workload), formatResetRequest({ ...request, restarted: true })),
      },
      owner: target,
      lane: 'user',
      reliesOn: ['informers'],
      direction: 'neutral',
      dryRun: rules.dryRun,
      change: `restarted with the deployed values${removed.length === 0 ? '' : `; removed ${removed.join(', ')}`}`,
      reason: `${request.by} requested it${request.reason === null ? '' : `: ${request.reason}`}`,
      actor: request.by,
    };
    const outcome = await gate.carryOut(effect, signal);
    switch (outcome.kind) {
      case 'done':
      case 'conflict':
        return { requeueAfterMs: AFTER_WRITE_MS };
      case 'gone':
        return { done: true };
      case 'blocked':
        logger.info('Reset is blocked', { object: workloadKey(workload), why: outcome.message });
        return { requeueAfterMs: BLOCKED_MS };
      case 'dry-run':
        return this.#discard(workload, request, 'dry-run', 'dry run: it would be restarted with the deployed values', signal);
      case 'refused':
        return this.#discard(workload, request, 'refused', outcome.message, signal);
    }
  }

  /** Idempotent: a Recommendation that was created after the request stays. */
  async #finish(workload: WorkloadRecord, request: ResetRequest, signal: AbortSignal): Promise<ReconcileResult> {
    const { cluster, records } = this.#ports;
    const recommendation = cluster.findRecommendation(workloadKey(workload));
    if (recommendation !== undefined && (instantOf(recommendation.metadata.creationTimestamp) ?? 0) <= request.at) {
      const object = { plural: PLURALS.Recommendation, namespace: workload.namespace, name: recommendationName(workload) };
      const { resourceVersion } = recommendation.metadata;
      const outcome = await records.delete(object, signal, resourceVersion === undefined ? {} : { resourceVersion });
      if (outcome.kind === 'conflict') return { requeueAfterMs: AFTER_WRITE_MS };
      requireOutcome(`deleting Recommendation ${object.name}`, outcome, ['gone']);
    }
    if (!(await this.#annotate(workload, { [RESET]: null }, signal))) return { requeueAfterMs: AFTER_WRITE_MS };
    const [at, until] = [isoTime(request.at), isoTime(request.heldUntil)];
    this.#recordOutcome(
      workload,
      'done',
      'Normal',
      `Restarted with the deployed values, as ${request.by} requested at ${at}; no automatic change before ${until}`,
    );
    return { done: true };
  }

  /**
   * Ends a request that was not carried out: removes it and its hold from the workload.
   * @param request null where the hold stays
   */
  async #discard(
    workload: WorkloadRecord,
    request: ResetRequest | null,
    outcome: ResetOutcome,
    message: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { annotations } = workload;
    const isHeldByRequest = request !== null && annotations[HELD] === isoTime(request.heldUntil);
    const { [HELD]: _, ...others } = annotations;
    const hold = isHeldByRequest ? { [HELD]: null, [NOTES]: updateNotes(others, {}, request) } : {};
    if (!(await this.#annotate(workload, { [RESET]: null, ...hold }, signal))) return { requeueAfterMs: AFTER_WRITE_MS };
    this.#recordOutcome(workload, outcome, outcome === 'dry-run' ? 'Normal' : 'Warning', message);
    return { done: true };
  }

  /** @returns false after a conflict, to be tried again */
  async #annotate(workload: WorkloadRecord, annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<boolean> {
    const { resourceVersion } = workload;
    const outcome = await this.#ports.records.annotate(workloadPath(workload), annotations, { resourceVersion }, signal);
    requireOutcome(`annotating ${workload.kind} ${workload.name}`, outcome, ['conflict', 'gone']);
    return outcome.kind !== 'conflict';
  }

  #recordOutcome(workload: WorkloadRecord, outcome: ResetOutcome, type: EventSpec['type'], message: string): void {
    const { events, logger } = this.#ports;
    const { apiVersion, kind, namespace, name, uid } = workload;
    this.#ended.add(1, { outcome });
    logger.info('Reset finished', { object: workloadKey(workload), outcome, why: message });
    const reason = outcome === 'done' ? EVENT_REASON.resetToDeploy : EVENT_REASON.resetNotMade;
    events.record({ subject: { apiVersion, kind, namespace, name, uid }, type, reason, action: 'ResetToDeploy', message });
  }
}

/**
 * Enqueues every workload with a reset request at the call, and each one that gets a request afterwards.
 * @returns a function that ends the subscription
 */
export function watchResets(
  cluster: Pick<ClusterReader, 'workloads' | 'findWorkload' | 'subscribe'>,
  enqueue: (key: WorkloadKey) => void,
): () => void {
  const hasRequest = (workload: WorkloadRecord | undefined): boolean => workload?.annotations[RESET] !== undefined;
  for (const workload of cluster.workloads()) if (hasRequest(workload)) enqueue(workloadKey(workload));
  return cluster.subscribe((change) => {
    if (change.kind === 'workload' && hasRequest(cluster.findWorkload(change.key))) enqueue(change.key);
  });
}

/** Time of the last restart; 0 where there was none or its timestamp lies in the future, written by a clock that is ahead. */
function lastRestartAt({ restartedAt = 0 }: WorkloadRecord, now: Instant): Instant {
  return restartedAt > now ? 0 : restartedAt;
}

/** @throws where the outcome is neither done nor one of the expected ones */
function requireOutcome(attempt: string, outcome: WriteOutcome, expected: readonly WriteOutcome['kind'][]): void {
  if (outcome.kind === 'done' || expected.includes(outcome.kind)) return;
  throw new Error(`${attempt}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}
