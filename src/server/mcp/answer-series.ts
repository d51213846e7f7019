import type { SeriesSet } from '../../apis/http/types.generated.ts';
import type { Found } from '../../application/index.ts';
import { parseDuration } from '../../core/model/duration.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import { answerItem, bytesOf, DEFAULT_BYTES } from './answer.ts';
import type { ToolAnswer, ToolContext } from './tool.ts';

/** Points of a series, from the finest to the coarsest that still shows a daily curve. */
const POINTS = [96, 48, 24] as const;
/** The store has a point every five minutes. */
const STORED_STEP_MS: DurationMs = 5 * MINUTE_MS;

export interface SeriesRequest {
  /** The period, as the query takes it. */
  readonly duration: string;
  /** Reads the series. @param step undefined where the duration is invalid, which the query then refuses */
  read(step: string | undefined): Promise<Found<SeriesSet> | Refusal>;
  /** Whether the model reads a series. */
  isShown(series: SeriesSet['series'][number]): boolean;
  summarize(set: SeriesSet): string;
}

/** Answers with time series, in steps as wide as they must be to fit. Where 24 points do not fit, whole series are left out. */
export async function answerSeries(context: ToolContext, request: SeriesRequest): Promise<ToolAnswer> {
  const steps = stepsFor(request.duration);
  for (const [index, step] of steps.entries()) {
    const found = await request.read(step);
    if (found.kind !== 'found') return found;
    const item = { ...found.item, series: found.item.series.filter((series) => request.isShown(series)) };
    const isLast = index === steps.length - 1;
    if (!isLast && bytesOf(item) > DEFAULT_BYTES) continue;
    const answer = answerItem(context, { summary: request.summarize(item), item, warnings: found.warnings, shortenable: ['series'] });
    if (isLast || (answer.kind === 'answer' && !(answer.data as { readonly truncated: boolean }).truncated)) return answer;
  }
  throw new Error('no step was tried');
}

/** "a point per 900 s from 2026-11-19T14:30:00.000Z to 2026-11-20T14:30:00.000Z": the end is that of the last step. */
export function stepsOf({ start, end, stepSeconds }: SeriesSet): string {
  return `a point per ${stepSeconds} s from ${start} to ${isoTime(Date.parse(end) + stepSeconds * SECOND_MS)}`;
}

/** Steps to try, ascending: multiples of the stored one, of which at least 24 are in the period where it is long enough. */
function stepsFor(duration: string): readonly (string | undefined)[] {
  const parsed = parseDuration(duration);
  if (!parsed.ok) return [undefined];
  const steps = POINTS.map((points, index) => {
    const round = index === POINTS.length - 1 ? Math.floor : Math.ceil;
    return Math.max(1, round(parsed.value / points / STORED_STEP_MS)) * STORED_STEP_MS;
  });
  return [...new Set(steps)].map((step) => `${step / SECOND_MS}s`);
}
