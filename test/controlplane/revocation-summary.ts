import { percentile } from '../bench/scale/measure/percentile.ts';
import { KINDS, type ConnectionFault, type Kind, type Try } from './revocation-world.ts';

/** Figures of the tries with one fault. */
export interface RevocationSummary {
  readonly fault: ConnectionFault;
  readonly tries: number;
  /** Next requests that a replica allowed. */
  readonly violations: number;
  /** Next requests by status. */
  readonly next: Readonly<Record<string, number>>;
  /** Answers that say that a replica has not confirmed in time. */
  readonly warned: number;
  /** Requests that were allowed while the answer was awaited: without the wait, each would be a violation. */
  readonly allowedBefore: number;
  readonly answerMs: Times;
  readonly answerMsByKind: Readonly<Partial<Record<Kind, Times>>>;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function summaryOf(fault: ConnectionFault, tries: readonly Try[]): RevocationSummary {
  const statuses = tries.flatMap(({ next }) => next);
  const next: Record<string, number> = {};
  for (const status of statuses) next[status] = (next[status] ?? 0) + 1;
  return {
    fault,
    tries: tries.length,
    violations: statuses.filter((status) => ![401, 403, 429, 503].includes(status)).length,
    next,
    warned: tries.filter(({ isWarned }) => isWarned).length,
    allowedBefore: tries.reduce((sum, { allowedBefore }) => sum + allowedBefore, 0),
    answerMs: timesOf(tries),
    answerMsByKind: Object.fromEntries(
      KINDS.map((kind) => [kind, tries.filter((each) => each.kind === kind)] as const)
        .filter(([, ofKind]) => ofKind.length > 0)
        .map(([kind, ofKind]) => [kind, timesOf(ofKind)]),
    ),
  };
}

function timesOf(tries: readonly Try[]): Times {
  const times = tries.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: times.at(-1) ?? NaN };
}
