import type { Instant } from '#kube/units';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { ApiStatusError } from '../../api/api-error.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { isTrue } from '../nodes/conditions.ts';
import { fromTimestamp, toTimestamp } from '../../api/timestamp.ts';
import { isFinished } from '../job/job-outcome.ts';
import type { ObjectKey } from '../object-key.ts';
import { controllerReference, splitKey } from '../object-key.ts';
import { startOwnerController } from '../owners/owner-controller.ts';
import type { CronJob, Job } from '../wire/workload.ts';
import type { WorkList } from '../work-list.ts';
import { cronJobSchedule } from './cron-schedule.ts';

const RESOURCE = 'cronjobs.batch';
const JOBS = 'jobs.batch';
const COMPONENT = 'cronjob-controller';
const DEFAULT_SUCCESSFUL_HISTORY = 3;
const DEFAULT_FAILED_HISTORY = 1;

/** Creates a Job of each CronJob at its scheduled times. */
export function startCronJobs(ports: ControllerPorts): Stop {
  return startOwnerController(ports, new CronJobController(ports), { resource: RESOURCE, kind: 'CronJob', owned: JOBS });
}

class CronJobController {
  readonly #ports: ControllerPorts;

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
  }

  reconcile(key: ObjectKey, work: WorkList): void {
    const { namespace, name } = splitKey(key);
    const { cluster, clock } = this.#ports;
    const cronJob = cluster.get(RESOURCE, namespace, name) as CronJob | undefined;
    if (cronJob === undefined || cronJob.metadata.deletionTimestamp !== undefined) return;
    const jobs = this.#ports.jobs.ownedBy(cronJob.metadata.uid);
    this.#recordFinishedJobs(cronJob, jobs);
    this.#cleanUp(cronJob, jobs);

    let scheduledAt: Instant | undefined;
    const schedule = cronJobSchedule(cronJob.spec);
    if (!schedule.ok) {
      this.#ports.events.emit(cronJob, COMPONENT, 'Warning', 'UnparseableSchedule', schedule.message);
    } else if (cronJob.spec.suspend !== true) {
      const now = clock.now();
      const due = schedule.value.previous(now);
      if (due !== null && due > this.#findEarliestSchedule(cronJob, now)) scheduledAt = this.#run(cronJob, jobs, due);
      const next = schedule.value.next(now);
      if (next !== null) work.addAt(key, next);
    }
    this.#writeStatus(cronJob, scheduledAt);
  }

  /** Times up to here have been handled, or are not to be caught up. */
  #findEarliestSchedule({ metadata, spec, status }: CronJob, now: Instant): Instant {
    const last = fromTimestamp(status?.lastScheduleTime ?? metadata.creationTimestamp);
    return spec.startingDeadlineSeconds === undefined ? last : Math.max(last, now - spec.startingDeadlineSeconds * SECOND_MS - 1);
  }

  /** @returns the scheduled time of the started job */
  #run(cronJob: CronJob, jobs: readonly Job[], due: Instant): Instant | undefined {
    const running = jobs.filter((job) => !isFinished(job));
    const { cluster, events } = this.#ports;
    if (running.length > 0 && cronJob.spec.concurrencyPolicy === 'Forbid') {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      events.emit(cronJob, COMPONENT, 'Normal', 'JobAlreadyActive', message);
      return undefined;
    }
    if (cronJob.spec.concurrencyPolicy === 'Replace') for (const job of running) this.#delete(cronJob, job);
    const name = `${cronJob.metadata.name}-${String(Math.floor(due / MINUTE_MS))}`;
    const { metadata, spec } = cronJob.spec.jobTemplate;
    try {
      const job = cluster.create(JOBS, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name,
          namespace: cronJob.metadata.namespace,
          ...(metadata?.labels === undefined ? {} : { labels: { ...metadata.labels } }),
          annotations: { ...metadata?.annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': toTimestamp(due) },
          ownerReferences: [controllerReference(cronJob)],
        },
        spec: structuredClone(spec),
      }) as Job;
      this.#ports.jobs.note(job);
      events.emit(cronJob, COMPONENT, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
    } catch (error) {
      // A job that already has the name of this minute is this run.
      if (!(error instanceof ApiStatusError)) throw error;
      if (error.reason !== 'AlreadyExists') {
        events.emit(cronJob, COMPONENT, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`);
        throw error;
      }
    }
    return due;
  }

  #recordFinishedJobs(cronJob: CronJob, jobs: readonly Job[]): void {
    for (const { uid, name } of cronJob.status?.active ?? []) {
      const job = jobs.find(({ metadata }) => metadata.uid === uid);
      if (job === undefined || !isFinished(job)) continue;
      const condition = isTrue(job.status?.conditions, 'Complete') ? 'Complete' : 'Failed';
      const message = `Saw completed job: ${name}, condition: ${condition}`;
      this.#ports.events.emit(cronJob, COMPONENT, 'Normal', 'SawCompletedJob', message);
    }
  }

  #cleanUp(cronJob: CronJob, jobs: readonly Job[]): void {
    const { successfulJobsHistoryLimit = DEFAULT_SUCCESSFUL_HISTORY, failedJobsHistoryLimit = DEFAULT_FAILED_HISTORY } = cronJob.spec;
    const trim = (condition: string, limit: number): void => {
      const finished = jobs.filter((job) => isTrue(job.status?.conditions, condition) && job.metadata.deletionTimestamp === undefined);
      const oldestFirst = finished.sort((a, b) => fromTimestamp(a.status?.startTime) - fromTimestamp(b.status?.startTime));
      for (const job of oldestFirst.slice(0, Math.max(0, finished.length - limit))) this.#delete(cronJob, job);
    };
    trim('Complete', successfulJobsHistoryLimit);
    trim('Failed', failedJobsHistoryLimit);
  }

  #delete(cronJob: CronJob, { metadata }: Job): void {
    const { cluster, events } = this.#ports;
    cluster.delete(JOBS, metadata.namespace ?? '', metadata.name, { uid: metadata.uid, propagation: 'Background' });
    events.emit(cronJob, COMPONENT, 'Normal', 'SuccessfulDelete', `Deleted job ${metadata.name}`);
  }

  #writeStatus(cronJob: CronJob, scheduledAt: Instant | undefined): void {
    const jobs = this.#ports.jobs.ownedBy(cronJob.metadata.uid);
    const active = jobs
      .filter((job) => !isFinished(job) && job.metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        name: metadata.name,
        namespace: metadata.namespace ?? '',
        uid: metadata.uid,
      }));
    const successes = [cronJob.status?.lastSuccessfulTime, ...jobs.map((job) => job.status?.completionTime)];
    const lastSuccessfulTime = successes
      .filter((time) => time !== undefined)
      .sort()
      .at(-1);
    const lastScheduleTime = scheduledAt === undefined ? cronJob.status?.lastScheduleTime : toTimestamp(scheduledAt);
    const status: CronJob['status'] = {
      ...(active.length === 0 ? {} : { active }),
      ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    };
    if (isEqualJson(status, cronJob.status ?? {})) return;
    this.#ports.cluster.modifyStatus(RESOURCE, cronJob.metadata.namespace ?? '', cronJob.metadata.name, (draft) => {
      draft['status'] = status;
    });
  }
}
