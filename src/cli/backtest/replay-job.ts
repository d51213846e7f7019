// Reads, resamples, replays and scores one recording in a worker thread. The result is small.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EvenkeelSetting } from '../../core/backtest/evenkeel-policy.ts';
import { backtestResource, type Method } from '../../core/backtest/methods.ts';
import { parseRecordedCsv } from '../../core/backtest/recorded-csv.ts';
import { traceOfRecording } from '../../core/backtest/replica-trace.ts';
import { changesCsv, requestChanges } from '../../core/backtest/request-changes.ts';
import type { RefusalScore } from '../../core/backtest/score.ts';
import { type Resource, RESOURCES, SLOTS_PER_DAY, type Trace } from '../../core/backtest/time-grid.ts';
import { type InputProblem, unreadable } from './find-recordings.ts';
import { type Plot, plotOf } from './report/plot.ts';

export interface ReplayJob {
  readonly name: string;
  readonly from:
    { readonly kind: 'file'; readonly path: string } | { readonly kind: 'trace'; readonly source: string; readonly trace: Trace };
  readonly setting: EvenkeelSetting;
  readonly resources: readonly Resource[];
  /** null: by the length of the recording. */
  readonly warmUpDays: number | null;
  /** Path for the requests; null: not written. */
  readonly emitTo: string | null;
  readonly withPlots: boolean;
}

/** Scores of one resource of one workload. */
export interface ScoredResource {
  readonly scores: Readonly<Record<Method, RefusalScore>>;
  readonly plot: Plot | null;
}

export interface ReplayedWorkload {
  readonly name: string;
  readonly source: string;
  readonly days: number;
  readonly warmUpDays: number;
  readonly resources: Readonly<Partial<Record<Resource, ScoredResource>>>;
}

/** Problems explain a missing workload or a resource that could not be scored. */
export interface ReplayOutcome {
  readonly workload: ReplayedWorkload | null;
  readonly problems: readonly InputProblem[];
}

/** Result of a worker thread. */
export interface ReplayAnswer extends ReplayOutcome {
  /** Requests as CSV; null: not requested. */
  readonly changes: string | null;
}

/** Source of a recording, for display. */
export function sourceOf({ from }: ReplayJob): string {
  return from.kind === 'file' ? from.path : from.source;
}

export function runReplayJob(job: ReplayJob): ReplayAnswer {
  const source = sourceOf(job);
  const read = job.from.kind === 'file' ? readTrace(job.name, job.from.path) : job.from.trace;
  if ('problem' in read) return { workload: null, problems: [read], changes: null };
  if (job.resources.every((resource) => read[resource] === null)) {
    const columns = job.resources.map((resource) => (resource === 'cpu' ? 'cpu_m' : 'mem_mib')).join(' or ');
    return { workload: null, problems: [{ source, line: null, problem: `has no ${columns} value to replay` }], changes: null };
  }
  return replayTrace(job, source, read);
}

function replayTrace(job: ReplayJob, source: string, trace: Trace): ReplayAnswer {
  const slots = Math.max(trace.cpu?.length ?? 0, trace.memory?.length ?? 0);
  const days = slots / SLOTS_PER_DAY;
  const warmUpDays = job.warmUpDays ?? defaultWarmUpDays(slots);
  const requests: Partial<Record<Resource, Float64Array>> = {};
  const resources: Partial<Record<Resource, ScoredResource>> = {};
  const problems: InputProblem[] = [];
  for (const resource of job.resources) {
    const result = backtestResource(trace, resource, job.setting, warmUpDays);
    if (result === null) continue;
    requests[resource] = result.requests.evenkeel;
    if (result.scores === null) problems.push({ source, line: null, problem: insufficientHistoryMessage(resource, days, warmUpDays) });
    else resources[resource] = { scores: result.scores, plot: job.withPlots ? plotOf(trace, resource, result.requests, warmUpDays) : null };
  }
  const changes = job.emitTo === null ? null : changesCsv(requestChanges(trace.firstSlot, requests.cpu, requests.memory));
  const scored = RESOURCES.some((resource) => resources[resource] !== undefined);
  return { workload: scored ? { name: job.name, source, days, warmUpDays, resources } : null, problems, changes };
}

function readTrace(name: string, path: string): Trace | InputProblem {
  let text: string;
  try {
    const bytes = readFileSync(path);
    // Detected by content: a file may be renamed, or decompressed by a download tool.
    text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    return unreadable(path, error);
  }
  const parsed = parseRecordedCsv(text);
  return parsed.ok ? traceOfRecording(name, parsed) : { source: path, line: parsed.line, problem: parsed.problem };
}

function insufficientHistoryMessage(resource: Resource, days: number, warmUpDays: number): string {
  const what = resource === 'cpu' ? 'CPU' : 'memory';
  return `no ${what} usage to score: ${days.toFixed(2)} days, of which ${warmUpDays.toFixed(2)} are warm-up; record longer, or set a shorter --warm-up`;
}

const MIN_DAYS = 3;
const MAX_DAYS = 14;

/** A quarter of the recording, 3 to 14 days; never more than half of it. In days, a fraction where the recording is short. */
function defaultWarmUpDays(slots: number): number {
  const days = slots / SLOTS_PER_DAY;
  return Math.min(Math.max(Math.round(days / 4), MIN_DAYS), MAX_DAYS, days / 2);
}
