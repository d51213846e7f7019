import type { Response } from 'express';
import type { Clock } from '../ports/clock.ts';
import type { Warning } from '../apis/http/types.generated.ts';
import { STALE_AFTER_SECONDS } from '../application/index.ts';
import type { Scope } from '../core/access/scope.ts';
import type { Instant } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import type { Problem } from './problem.ts';
import type { OperationTypes, Reply } from './reply.ts';
import { requestIdOf } from './request-context.ts';

/** The JSON envelope of an API's answers. */
export interface Envelope {
  /** Body of a success. @param data the reply's data as JSON text */
  success(data: string, reply: Reply<OperationTypes>, response: Response, scope: Scope): string;
  /** Body of an error. */
  error(problem: Problem, response: Response): string;
}

/** The envelope of the dashboard API: `{ data, meta }`, and `{ data: null, error, meta }`. */
export function dashboardEnvelope(sources: EnvelopeSources): Envelope {
  return {
    success: (data, reply, response, scope) => `{"data":${data},"meta":${JSON.stringify(envelopeMeta(reply, response, sources, scope))}}`,
    error: (problem, response) => JSON.stringify(errorEnvelope(problem, response, sources.clock)),
  };
}

/** Sources of `meta`. */
export interface EnvelopeSources {
  readonly clock: Clock;
  /** Time at which the older of informers and usage source last confirmed the served data; null before the first confirmation. */
  confirmedAt(): Instant | null;
  /** Warnings about stale or unreachable sources and missing permissions, as far as the caller may see them. */
  listDataWarnings(scope: Scope): readonly Warning[];
}

function envelopeMeta(reply: Reply<OperationTypes>, response: Response, sources: EnvelopeSources, scope: Scope): object {
  const warnings = [...sources.listDataWarnings(scope), ...reply.warnings];
  return {
    total: reply.total,
    timestamp: isoTime(sources.clock.now()),
    requestId: requestIdOf(response),
    ...(reply.nextCursor === null ? {} : { nextCursor: reply.nextCursor }),
    ...(reply.cachedAt === null ? {} : { cachedAt: isoTime(reply.cachedAt) }),
    ...freshness(sources),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(reply.dryRun ? { dryRun: true } : {}),
    ...(reply.summary === undefined ? {} : { summary: reply.summary }),
  };
}

function errorEnvelope(problem: Problem, response: Response, clock: Clock): object {
  return {
    data: null,
    error: {
      code: problem.code,
      message: problem.message,
      ...(problem.details === undefined ? {} : { details: problem.details }),
    },
    meta: { total: 0, timestamp: isoTime(clock.now()), requestId: requestIdOf(response) },
  };
}

function freshness(sources: EnvelopeSources): object {
  const confirmed = sources.confirmedAt();
  if (confirmed === null) return {};
  const dataAge = Math.max(0, Math.round(sources.clock.now() - confirmed) / 1000);
  return { dataAge, ...(dataAge > STALE_AFTER_SECONDS ? { stale: true } : {}) };
}
