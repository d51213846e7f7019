// Carries out resets to what was deployed. One write restarts the pods and removes the annotations about sizes; then the
// Recommendation is deleted. A crash between the two repeats no restart, because the write that restarts marks the request as
// restarted. A request that a tenant puts back restarts nothing either, because the template has the request's own time by then.

import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { EVENT_REASON } from '../../apis/conditions.ts';
import { PLURALS } from '../../apis/v1alpha1/index.ts';
import type { Effect } from '../../core/effects/effect.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { namespacedRef } from '../../core/model/object-ref.ts';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, workloadPath, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { notesAfter } from '../../core/overrides/override-notes.ts';
import { recommendationName } from '../../core/recommendations/recommendation-name.ts';
import {
  readResetRequest,
  resetBinding,
  resetText,
  restartProblem,
  SIZE_ANNOTATIONS,
  type ResetRequest,
} from '../../core/resource-audit/reset-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { EventRecorder, EventSpec } from '../../ports/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter, WriteOutcome } from '../../ports/writers.ts';
import type { EffectGate } from '../../runtime/effect-gate.ts';
import type { Reconciler, ReconcileResult } from '../../runtime/reconciler.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';

export interface ResetPorts {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterReader, 'synced' | 'findWorkload' | 'findRecommendation' | 'workloads' | 'subscribe'>;
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
/** For the informers to catch up with what was written. */
const AFTER_WRITE_MS: DurationMs = SECOND_MS;
/** The kill switch or a budget: looked at again. */
const HELD_MS: DurationMs = 10 * SECOND_MS;

type End = 'done' | 'dry-run' | 'refused' | 'lapsed' | 'unreadable';

export class ResetReconciler implements Reconciler<WorkloadKey> {
  readonly #ports: ResetPorts;
  readonly #ended: Counter;

  constructor(ports: ResetPorts) {
    this.#ports = ports;
    this.#ended = ports.metrics.counter({
      name: 'evenkeel_resets_total',
      help: 'Resets to what was deployed that came to an end, by how (done, dry-run, refused, lapsed, unreadable).',
      labels: ['outcome'],
    });
    for (const outcome of ['done', 'dry-run', 'refused', 'lapsed', 'unreadable']) this.#ended.add(0, { outcome });
  }

  async reconcile(key: WorkloadKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, cluster, signer } = this.#ports;
    if (!cluster.synced() || !signer.hasKey) return { requeueAfterMs: NOT_SYNCED_MS };
    const workload = cluster.findWorkload(key);
    if (workload?.deletionAt !== null) return { done: true };
    const request = readResetRequest(workload.annotations);
    if (request === null) return { done: true };
    if (request === 'unreadable' || !signer.isOurs(resetBinding(workload), workload.annotations[RESET] ?? '')) {
      const message = `${RESET} is no request that was made through the API of this Evenkeel; it is removed: ask again there`;
      return this.#give(workload, null, 'unreadable', message, signal);
    }
    const now = clock.now();
    const restartedAt = restartedBefore(workload, now);
    if (request.restarted || restartedAt === request.at) return this.#finish(workload, request, signal);
    if (restartedAt > request.at) {
      // The hold stays: it may be that of a reset that was carried out before the later restart.
      const message = `the pods were restarted at ${isoTime(restartedAt)}, after ${request.by} asked for the reset; ask again to reset them`;
      return this.#give(workload, null, 'refused', message, signal);
    }
    if (now >= request.heldUntil) {
      return this.#give(
        workload,
        request,
        'lapsed',
        `the reset that ${request.by} asked for could not be made before its hold was over`,
        signal,
      );
    }
    const problem = restartProblem(workload);
    if (problem !== null) return this.#give(workload, request, 'refused', problem, signal);
    return this.#restart(workload, request, signal);
  }

  async #restart(workload: WorkloadRecord, request: ResetRequest, signal: AbortSignal): Promise<ReconcileResult> {
    const { gate, policies, logger, signer } = this.#ports;
    const { annotations } = workload;
    const { rules } = policies.governanceOf(workload);
    if (rules.paused) return { requeueAfterMs: HELD_MS };
    const removed = SIZE_ANNOTATIONS.filter((each) => each !== HELD && each !== NOTES && annotations[each] !== undefined);
    const kept = Object.fromEntries([HELD, NOTES].flatMap((each) => (annotations[each] === undefined ? [] : [[each, annotations[each]]])));
    const target = namespacedRef(workload);
    const effect: Effect = {
      kind: 'restart',
      target,
      resourceVersion: workload.resourceVersion,
      restartedAt: isoTime(request.at),
      annotations: {
        ...Object.fromEntries(removed.map((each) => [each, null])),
        [NOTES]: notesAfter(kept, {}, request),
        [RESET]: signer.sign(resetBinding(workload), resetText({ ...request, restarted: true })),
      },
      owner: target,
      lane: 'user',
      reliesOn: ['informers'],
      direction: 'neutral',
      dryRun: rules.dryRun,
      change: `restarted, to have what was deployed${removed.length === 0 ? '' : `; removed ${removed.join(', ')}`}`,
      reason: `${request.by} asked for it${request.reason === null ? '' : `: ${request.reason}`}`,
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
        logger.info('A reset waits', { object: workloadKey(workload), why: outcome.message });
        return { requeueAfterMs: HELD_MS };
      case 'dry-run':
        return this.#give(workload, request, 'dry-run', 'it would be restarted to have what was deployed (dry run)', signal);
      case 'refused':
        return this.#give(workload, request, 'refused', outcome.message, signal);
    }
  }

  /** Changes nothing where it is repeated: a Recommendation that was created after the request stays. */
  async #finish(workload: WorkloadRecord, request: ResetRequest, signal: AbortSignal): Promise<ReconcileResult> {
    const { cluster, records } = this.#ports;
    const recommendation = cluster.findRecommendation(workloadKey(workload));
    if (recommendation !== undefined && (instantOf(recommendation.metadata.creationTimestamp) ?? 0) <= request.at) {
      const object = { plural: PLURALS.Recommendation, namespace: workload.namespace, name: recommendationName(workload) };
      must(`deleting Recommendation ${object.name}`, await records.delete(object, signal), ['gone']);
    }
    if (!(await this.#annotate(workload, { [RESET]: null }, signal))) return { requeueAfterMs: AFTER_WRITE_MS };
    const [at, until] = [isoTime(request.at), isoTime(request.heldUntil)];
    this.#recordEnd(
      workload,
      'done',
      'Normal',
      `restarted to have what was deployed, as ${request.by} asked at ${at}; no automatic change before ${until}`,
    );
    return { done: true };
  }

  /** Ends a request that was not carried out: what it left on the workload goes, its hold included. @param request null: the hold stays */
  async #give(
    workload: WorkloadRecord,
    request: ResetRequest | null,
    end: End,
    message: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { annotations } = workload;
    const holds = request !== null && annotations[HELD] === isoTime(request.heldUntil);
    const { [HELD]: _, ...others } = annotations;
    const freed = holds ? { [HELD]: null, [NOTES]: notesAfter(others, {}, request) } : {};
    if (!(await this.#annotate(workload, { [RESET]: null, ...freed }, signal))) return { requeueAfterMs: AFTER_WRITE_MS };
    this.#recordEnd(workload, end, end === 'dry-run' ? 'Normal' : 'Warning', message);
    return { done: true };
  }

  /** False where somebody wrote meanwhile: looked at again. */
  async #annotate(workload: WorkloadRecord, annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<boolean> {
    const { resourceVersion } = workload;
    const outcome = await this.#ports.records.annotate(workloadPath(workload), annotations, { resourceVersion }, signal);
    must(`annotating ${workload.kind} ${workload.name}`, outcome, ['conflict', 'gone']);
    return outcome.kind !== 'conflict';
  }

  #recordEnd(workload: WorkloadRecord, end: End, type: EventSpec['type'], message: string): void {
    const { events, logger } = this.#ports;
    const { apiVersion, kind, namespace, name, uid } = workload;
    this.#ended.add(1, { outcome: end });
    logger.info('A reset has ended', { object: workloadKey(workload), outcome: end, why: message });
    const reason = end === 'done' ? EVENT_REASON.resetToDeploy : EVENT_REASON.resetNotMade;
    events.record({ subject: { apiVersion, kind, namespace, name, uid }, type, reason, action: 'ResetToDeploy', message });
  }
}

/** Calls with every workload that a reset is asked for, at first with all that there are. Returns the cancel. */
export function watchResets(
  cluster: Pick<ClusterReader, 'workloads' | 'findWorkload' | 'subscribe'>,
  enqueue: (key: WorkloadKey) => void,
): () => void {
  const isAsked = (workload: WorkloadRecord | undefined): boolean => workload?.annotations[RESET] !== undefined;
  for (const workload of cluster.workloads()) if (isAsked(workload)) enqueue(workloadKey(workload));
  return cluster.subscribe((change) => {
    if (change.kind === 'workload' && isAsked(cluster.findWorkload(change.key))) enqueue(change.key);
  });
}

/** 0: never. A time in the future is from a clock that is ahead, and shows nothing. */
function restartedBefore({ restartedAt = 0 }: WorkloadRecord, now: Instant): Instant {
  return restartedAt > now ? 0 : restartedAt;
}

function must(attempt: string, outcome: WriteOutcome, expected: readonly WriteOutcome['kind'][]): void {
  if (outcome.kind === 'done' || expected.includes(outcome.kind)) return;
  throw new Error(`${attempt}: ${'message' in outcome ? outcome.message : outcome.kind}`);
}
