import type { ErrorDetail } from '../apis/http/types.generated.ts';
import { parseDuration } from '../core/model/duration.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';

const MIN: DurationMs = 5 * MINUTE_MS;
const MAX: DurationMs = 90 * DAY_MS;
const MIN_STEP: DurationMs = 15 * SECOND_MS;
/** Maximum of points without a requested step, as many as a screen can show. */
const DEFAULT_MAX_POINTS = 400;
const MAX_POINTS = 2000;

/** Default steps with round labels. The store has a point every five minutes, so a finer default would have gaps. */
const NICE_STEPS: readonly DurationMs[] = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);

/**
 * The complete steps of a duration: `start` is the start of the first, `end` the start of the last. Both are multiples of the step, and the
 * present step is excluded, so that a refresh returns the same points until another step is complete.
 */
export interface TimeRange {
  readonly start: Instant;
  readonly end: Instant;
  readonly stepMs: DurationMs;
}

/** The end of the last step of a range. */
export function endOfLastStep({ end, stepMs }: TimeRange): Instant {
  return end + stepMs;
}

/** Parses `duration` and `step` of a usage endpoint, relative to now. */
export function readTimeRange(
  query: { readonly duration: string; readonly step?: string },
  now: Instant,
): TimeRange | { readonly details: readonly ErrorDetail[] } {
  const durationMs = milliseconds(query.duration);
  const stepMs = query.step === undefined ? null : milliseconds(query.step);
  const details: ErrorDetail[] = [];
  if (durationMs === null || durationMs < MIN || durationMs > MAX) {
    details.push({ path: '/duration', message: 'must be from 5m to 90d' });
  }
  if (query.step !== undefined && (stepMs === null || stepMs < MIN_STEP)) {
    details.push({ path: '/step', message: 'must be at least 15s' });
  } else if (stepMs !== null && durationMs !== null && durationMs / stepMs > MAX_POINTS) {
    details.push({
      path: '/step',
      message: `gives more than ${MAX_POINTS} points; use at least ${Math.ceil(durationMs / MAX_POINTS / SECOND_MS)}s`,
    });
  } else if (stepMs !== null && stepMs % SECOND_MS !== 0) {
    details.push({ path: '/step', message: 'must be whole seconds' });
  }
  if (details.length > 0 || durationMs === null) return { details };
  const step = stepMs ?? defaultStep(durationMs);
  const end = (Math.floor(now / step) - 1) * step;
  const steps = Math.max(1, Math.floor(durationMs / step));
  return { start: end - (steps - 1) * step, end, stepMs: step };
}

function defaultStep(durationMs: DurationMs): DurationMs {
  return (
    NICE_STEPS.find((step) => durationMs / step <= DEFAULT_MAX_POINTS) ?? Math.ceil(durationMs / DEFAULT_MAX_POINTS / SECOND_MS) * SECOND_MS
  );
}

function milliseconds(text: string): DurationMs | null {
  const duration = parseDuration(text);
  return duration.ok ? duration.value : null;
}
