import { TimeZone } from '#kube/time/time-zone';
import type { ResourceStrategy } from '../../api/strategy.ts';
import { cronJobSchedule } from '../../controllers/cronjob/cron-schedule.ts';
import type { CronJob } from '../../controllers/wire/workload.ts';
import { invalidValue, required } from '../field-errors.ts';
import { jobSpecErrors } from './job-strategy.ts';
import { countErrors } from './template-rules.ts';

/** Its jobs' names add a dash and ten digits, and a job's name has at most 63 letters. */
const MAX_NAME = 52;

export const cronJobStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { metadata, spec } = object as CronJob;
    const errors = [
      ...countErrors('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
      ...countErrors('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
      ...countErrors('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
      ...jobSpecErrors(spec.jobTemplate.spec, 'spec.jobTemplate.spec'),
    ];
    if (old === null && metadata.name.length > MAX_NAME) {
      errors.push(invalidValue('metadata.name', metadata.name, `must be no more than ${String(MAX_NAME)} characters`));
    }
    const zone = TimeZone.parse(spec.timeZone ?? 'UTC');
    if (!zone.ok) errors.push(invalidValue('spec.timeZone', spec.timeZone, `unknown time zone ${spec.timeZone ?? ''}`));
    if (spec.schedule === '') errors.push(required('spec.schedule'));
    else {
      const schedule = cronJobSchedule({ schedule: spec.schedule });
      if (!schedule.ok) errors.push(invalidValue('spec.schedule', spec.schedule, schedule.message));
    }
    return errors;
  },
};
