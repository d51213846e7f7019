import { percentile } from '../bench/scale/measure/percentile.ts';
import { KINDS, type ConnectionFault, type Kind, type Try } from './revocation-world.ts';

/** Figures of the tries with one fault. */
export interface RevocationSummary {
  readonly fault: ConnectionFault;
  readonly tries: number;
  /** Revokes without an answer that promises anything, by the reason. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** Next requests that a replica allowed after an answer. */
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
  const answered = tries.filter(({ failure }) => failure === null);
  const statuses = answered.flatMap(({ next }) => next);
  return {
    fault,
    tries: tries.length,
    violations: statuses.filter((status) => ![401, 403, 429, 503].includes(status)).length,
    unanswered: countsOf(tries.flatMap(({ failure }) => (failure === null ? [] : [failure]))),
    next: countsOf(statuses),
    warned: tries.filter(({ isWarned }) => isWarned).length,
    allowedBefore: tries.reduce((sum, { allowedBefore }) => sum + allowedBefore, 0),
    answerMs: timesOf(answered),
    answerMsByKind: Object.fromEntries(
      KINDS.map((kind) => [kind, answered.filter((each) => each.kind === kind)] as const)
        .filter(([, ofKind]) => ofKind.length > 0)
        .map(([kind, ofKind]) => [kind, timesOf(ofKind)]),
    ),
  };
}

function countsOf(values: readonly (string | number)[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function timesOf(tries: readonly Try[]): Times {
  const times = tries.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: times.at(-1) ?? NaN };
}
