import { CronSchedule } from '#kube/time/cron';
import type { Parsed } from '#kube/parsed';

/** Macros that Kubernetes accepts in place of five fields. */
const NAMED: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

interface WithSchedule {
  readonly schedule: string;
  readonly timeZone?: string;
}

/** Stored objects are replaced, never changed, so a spec is parsed once. */
const schedules = new WeakMap<WithSchedule, Parsed<CronSchedule>>();

/** Schedule of a CronJob; the cluster's default time zone is UTC. */
export function cronJobSchedule(spec: WithSchedule): Parsed<CronSchedule> {
  let schedule = schedules.get(spec);
  if (schedule === undefined)
    schedules.set(spec, (schedule = CronSchedule.parse(NAMED[spec.schedule] ?? spec.schedule, spec.timeZone ?? 'UTC')));
  return schedule;
}
