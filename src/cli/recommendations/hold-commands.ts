import { WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { isHeldAfterRollBack, isHeldByAnnotation } from '../../commands/workloads/set-hold.ts';
import { parseDuration } from '../../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, MINUTE_MS, type DurationMs } from '#kube/units';
import type { OptionReader, OptionTable } from '../arguments.ts';
import { requestCommand, type RequestSpec } from './request-command.ts';

const HELD = WORKLOAD_ANNOTATIONS.heldUntil;
const MAX_HOLD_MS = 90 * DAY_MS;

const holdDuration: OptionReader<DurationMs> = (given) => {
  const parsed = parseDuration(given);
  const isValid = parsed.ok && parsed.value >= MINUTE_MS && parsed.value <= MAX_HOLD_MS;
  return isValid ? parsed : { ok: false, message: 'must be a duration from 1m to 90d, such as 24h' };
};

const HOLD_OPTIONS = {
  for: { value: 'DURATION', help: 'how long (default 24h)', read: holdDuration, default: DAY_MS },
} as const satisfies OptionTable;

export const HOLD: RequestSpec<typeof HOLD_OPTIONS> = {
  name: 'hold',
  summary: 'keep a workload from automatic changes for a time',
  help: ['Sets the annotation evenkeel.io/held-until of the workload: no change starts before it, and the one under way ends.'],
  options: HOLD_OPTIONS,
  async run({ api, recommendation, workload, server, options }) {
    const until = isoTime(server.now + options.for);
    await api.annotate(recommendation, HELD, until);
    return { kind: 'done', message: `${workload} is on hold until ${until}` };
  },
};

export const RESUME: RequestSpec = {
  name: 'resume',
  summary: 'end the hold of a workload, also that of a roll-back',
  help: ['Removes the annotation evenkeel.io/held-until, or sets it to the present time where a roll-back holds the workload.'],
  options: {},
  async run({ api, recommendation, workload, server }) {
    const isAfterRollBack = isHeldAfterRollBack(recommendation.status, server.now);
    if (!isAfterRollBack && !isHeldByAnnotation(await api.annotationOf(recommendation, HELD), server.now)) {
      return { kind: 'refused', message: `${workload} is not on hold` };
    }
    await api.annotate(recommendation, HELD, isAfterRollBack ? isoTime(server.now) : null);
    return { kind: 'done', message: `the hold of ${workload} ended: automatic changes are allowed again` };
  },
};

export const holdCommand = requestCommand(HOLD);
export const resumeCommand = requestCommand(RESUME);
