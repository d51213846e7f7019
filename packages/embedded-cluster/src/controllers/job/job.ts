import type { Instant } from '#kube/units';
import { SECOND_MS } from '#kube/units';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { findCondition, isTrue, withCondition } from '../nodes/conditions.ts';
import { fromTimestamp, toTimestamp } from '../../api/timestamp.ts';
import type { ObjectKey } from '../object-key.ts';
import { splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import { BURST_PAUSE_MS, PodControl } from '../pods/pod-control.ts';
import type { PodDraft } from '../pods/pod-from-template.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isActive, isReady, isTerminal, isTerminating } from '../pods/pod-state.ts';
import type { Pod } from '../wire/pod.ts';
import type { Job, JobStatus } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import { readIndexes, writeIndexes } from './indexes.ts';
import type { JobCounts, JobOutcome } from './job-outcome.ts';
import { deadlineOf, failureBackoff, isFinished, jobOutcome, wantedActive } from './job-outcome.ts';

const RESOURCE = 'jobs.batch';
const COMPONENT = 'job-controller';
/** Finalizer that keeps a finished pod until it has been counted, so that no result is lost. */
const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const INDEX_ANNOTATION = 'batch.kubernetes.io/job-completion-index';

/** Runs each Job's pods to completion. */
export function startJobs(ports: ControllerPorts): Stop {
  return startOwnerController(ports, new JobController(ports), { resource: RESOURCE, kind: 'Job', owned: 'pods' });
}

class JobController {
  readonly #ports: ControllerPorts;
  readonly #control: PodControl;
  /** Failures since the last success, by uid of the job; they determine the back-off. */
  readonly #failures = new Map<string, { inRow: number; lastAt: Instant }>();

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
    this.#control = new PodControl(ports, COMPONENT);
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const { cluster, clock } = this.#ports;
    const job = cluster.get(RESOURCE, namespace, name) as Job | undefined;
    if (job === undefined) {
      this.#freeOrphans(namespace, name);
      return;
    }
    if (isFinished(job)) {
      this.#expire(job, key, work);
      return;
    }
    const status: JobStatus = { ...job.status };
    this.#start(job, status);
    const counts = this.#count(job, status);
    const pods = this.#ports.pods.ownedBy(job.metadata.uid);
    const outcome = jobOutcome({ ...job, status }, pods, counts, clock.now());
    let failure: unknown;
    try {
      if (outcome.kind === 'running') this.#reconcilePods(job, counts, key, work);
      else for (const pod of pods.filter(isActive)) this.#drop(job, pod);
    } catch (error) {
      failure = error;
    }
    this.#conclude(job, status, outcome);
    this.#write(job, status);
    const deadline = deadlineOf({ ...job, status });
    if (deadline !== undefined && outcome.kind === 'running') work.addAt(key, Math.max(deadline, clock.now() + 1));
    if (failure !== undefined) throw failure as Error;
  }

  #start(job: Job, status: JobStatus): void {
    const now = this.#ports.clock.now();
    const isSuspended = job.spec.suspend === true;
    const was = isTrue(status.conditions, 'Suspended');
    if (isSuspended !== was) {
      const [reason, message] = isSuspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
      if (isSuspended || was) {
        const news = { type: 'Suspended', status: isSuspended ? 'True' : 'False', reason, message } as const;
        status.conditions = withCondition(status.conditions, news, now);
        this.#ports.events.emit(job, COMPONENT, 'Normal', isSuspended ? 'Suspended' : 'Resumed', message);
      }
    }
    if (isSuspended) delete status.startTime;
    else status.startTime ??= toTimestamp(now);
  }

  /** Counts every finished, uncounted pod, and removes its finalizer. */
  #count(job: Job, status: JobStatus): JobCounts {
    let { succeeded = 0, failed = 0 } = status;
    const completed = readIndexes(status.completedIndexes);
    for (const pod of this.#ports.pods.ownedBy(job.metadata.uid)) {
      const isTracked = pod.metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
      if (!isTracked || isActive(pod)) continue;
      if (pod.status.phase === 'Succeeded') {
        const index = indexOf(pod);
        if (index === undefined) succeeded += 1;
        else completed.add(index);
        this.#failures.delete(job.metadata.uid);
      } else {
        failed += 1;
        const inRow = (this.#failures.get(job.metadata.uid)?.inRow ?? 0) + 1;
        this.#failures.set(job.metadata.uid, { inRow, lastAt: this.#ports.clock.now() });
      }
      this.#untrack(pod);
    }
    if (job.spec.completionMode === 'Indexed') {
      succeeded = completed.size;
      status.completedIndexes = writeIndexes(completed);
    }
    status.succeeded = succeeded;
    status.failed = failed;
    return { succeeded, failed };
  }

  #reconcilePods(job: Job, counts: JobCounts, key: ObjectKey, work: WorkList): void {
    const pods = this.#ports.pods.ownedBy(job.metadata.uid);
    const active = pods.filter(isActive);
    const wanted = wantedActive(job, counts, active.length);
    // Youngest first, so that the least work is lost.
    const youngestFirst = [...active].sort((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
    for (const pod of youngestFirst.slice(0, Math.max(0, active.length - wanted))) this.#drop(job, pod);
    const missing = wanted - active.length;
    if (missing <= 0) return;
    const failures = this.#failures.get(job.metadata.uid);
    const notBefore = (failures?.lastAt ?? 0) + failureBackoff(failures?.inRow ?? 0);
    if (notBefore > this.#ports.clock.now()) {
      work.addAt(key, notBefore);
      return;
    }
    const now = this.#control.limitBurst(job, missing);
    if (now < missing) work.addAt(key, this.#ports.clock.now() + BURST_PAUSE_MS);
    if (job.spec.completionMode === 'Indexed') this.#createIndexed(job, active, now);
    else for (let created = 0; created < now; created += 1) this.#create(job, undefined);
  }

  #createIndexed(job: Job, active: readonly Pod[], missing: number): void {
    const taken = readIndexes(this.#completedIndexes(job));
    for (const pod of active) taken.add(indexOf(pod) ?? -1);
    let left = missing;
    for (let index = 0; left > 0 && index < (job.spec.completions ?? 0); index += 1) {
      if (taken.has(index)) continue;
      this.#create(job, index);
      left -= 1;
    }
  }

  /** Includes the pods counted in this reconcile, which the stored status lacks. */
  #completedIndexes(job: Job): string {
    const completed = readIndexes(job.status?.completedIndexes);
    for (const pod of this.#ports.pods.ownedBy(job.metadata.uid)) {
      const index = indexOf(pod);
      if (pod.status.phase === 'Succeeded' && index !== undefined) completed.add(index);
    }
    return writeIndexes(completed);
  }

  #create(job: Job, index: number | undefined): void {
    const base = index === undefined ? `${job.metadata.name}-` : `${job.metadata.name}-${String(index)}-`;
    this.#control.createNamed(job, base, (name): PodDraft => {
      const draft = podFromTemplate(job, job.spec.template, name);
      draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), TRACKING_FINALIZER];
      if (index !== undefined) {
        draft.metadata.annotations[INDEX_ANNOTATION] = String(index);
        draft.metadata.labels[INDEX_ANNOTATION] = String(index);
        draft.spec.hostname = `${job.metadata.name}-${String(index)}`;
        for (const container of draft.spec.containers) {
          const env = (container['env'] ?? []) as object[];
          container['env'] = [...env, { name: 'JOB_COMPLETION_INDEX', value: String(index) }];
        }
      }
      return draft;
    });
  }

  /** Deleted by the job itself, so it does not count as a failure. */
  #drop(job: Job, pod: Pod): void {
    this.#untrack(pod);
    this.#control.delete(job, pod);
  }

  #untrack(pod: Pod): void {
    this.#ports.cluster.modify('pods', pod.metadata.namespace ?? '', pod.metadata.name, (draft) => {
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((finalizer) => finalizer !== TRACKING_FINALIZER);
    });
  }

  /** The pods of a deleted job are no longer counted. */
  #freeOrphans(namespace: string, job: string): void {
    for (const pod of this.#ports.cluster.list('pods', { namespace }) as readonly Pod[]) {
      const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (owner?.kind === 'Job' && owner.name === job && pod.metadata.finalizers?.includes(TRACKING_FINALIZER) === true) this.#untrack(pod);
    }
  }

  #conclude(job: Job, status: JobStatus, outcome: JobOutcome): void {
    const now = this.#ports.clock.now();
    const pods = this.#ports.pods.ownedBy(job.metadata.uid);
    const active = pods.filter(isActive);
    const terminating = pods.filter((pod) => isTerminating(pod) && !isTerminal(pod)).length;
    status.active = active.length;
    status.ready = active.filter(isReady).length;
    status.terminating = terminating;
    if (outcome.kind === 'running') return;
    const isComplete = outcome.kind === 'complete';
    const reason = isComplete ? 'CompletionsReached' : outcome.reason;
    const message = isComplete ? 'Reached expected number of succeeded pods' : outcome.message;
    const emitEvent = (type: string): void => {
      status.conditions = withCondition(status.conditions, { type, status: 'True', reason, message }, now);
    };
    emitEvent(isComplete ? 'SuccessCriteriaMet' : 'FailureTarget');
    if (active.length + terminating > 0) return; // the final condition is set when the last pod is deleted
    emitEvent(isComplete ? 'Complete' : 'Failed');
    if (isComplete) status.completionTime = toTimestamp(now);
    this.#failures.delete(job.metadata.uid);
    if (isComplete) this.#ports.events.emit(job, COMPONENT, 'Normal', 'Completed', 'Job completed');
    else this.#ports.events.emit(job, COMPONENT, 'Warning', reason, message);
  }

  #write(job: Job, status: JobStatus): void {
    // These three are omitted on the wire when they are 0.
    for (const field of ['active', 'succeeded', 'failed'] as const) if (status[field] === 0) Reflect.deleteProperty(status, field);
    if (isEqualJson(status, job.status)) return;
    this.#ports.cluster.modifyStatus(RESOURCE, job.metadata.namespace ?? '', job.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }

  #expire(job: Job, key: ObjectKey, work: WorkList): void {
    const { ttlSecondsAfterFinished } = job.spec;
    if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp !== undefined) return;
    const condition = findCondition(job.status?.conditions, 'Complete') ?? findCondition(job.status?.conditions, 'Failed');
    const at = fromTimestamp(condition?.lastTransitionTime) + ttlSecondsAfterFinished * SECOND_MS;
    if (at > this.#ports.clock.now()) {
      work.addAt(key, at);
      return;
    }
    const { namespace = '', name, uid } = job.metadata;
    this.#ports.cluster.delete(RESOURCE, namespace, name, { uid, propagation: 'Foreground' });
  }
}

function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[INDEX_ANNOTATION];
  return text === undefined ? undefined : Number(text);
}
