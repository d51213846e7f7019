// Limit exceptions as the Recommendation keeps them: its status holds the exceptions, its spec what people decided.

import type { RecommendationSpec, RecommendationStatus, RecommendationStatusLimitException } from '../../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '../model/iso-time.ts';
import { formatCpu, formatMemory, parseCpuMillicores, parseMemoryBytes } from '../model/quantity.ts';
import type { ResourceName } from '../model/resources.ts';
import type { Instant } from '../model/units.ts';
import type { ExceptionDecision, LimitException, Overage } from './limit-exception.ts';

/** What cannot be read is left out: it would be opened again by its evidence. */
export function readExceptions(status: Pick<RecommendationStatus, 'limitExceptions'> | undefined): readonly LimitException[] {
  return (status?.limitExceptions ?? []).flatMap((each) => readException(each) ?? []);
}

export function readDecisions(spec: Pick<RecommendationSpec, 'exceptionDecisions'>): readonly ExceptionDecision[] {
  return (spec.exceptionDecisions ?? []).flatMap(({ container, resource, decision, value, by = '', at }) => {
    const time = instantOf(at);
    return time === null ? [] : [{ container, resource, decision, value: readAmount(resource, value), at: time, by }];
  });
}

export function writeExceptions(exceptions: readonly LimitException[]): readonly RecommendationStatusLimitException[] {
  return exceptions.map((each) => {
    const { container, resource, overage, decided } = each;
    const quantity = (amount: number): string => writeAmount(resource, amount);
    return {
      container,
      resource,
      type: each.type,
      state: each.state,
      bound: each.bound,
      limit: quantity(each.limit),
      observed: quantity(each.observed),
      ...(each.proposed === null ? {} : { proposed: quantity(each.proposed) }),
      applied: overage !== null && overage.returnedAt === null,
      openedAt: isoTime(each.openedAt),
      lastSeenAt: isoTime(each.lastSeenAt),
      occurrences: each.occurrences,
      ...(each.calmSince === null ? {} : { calmSince: isoTime(each.calmSince) }),
      openings: each.openings.map((at) => isoTime(at)),
      ...(each.closedAt === null ? {} : { closedAt: isoTime(each.closedAt) }),
      ...(decided === null
        ? {}
        : { decidedAt: isoTime(decided.at), decidedBy: decided.by, ...(decided.value === null ? {} : { value: quantity(decided.value) }) }),
      ...(each.settled ? { settled: true } : {}),
      ...(each.newNormal === null ? {} : { newNormal: { value: quantity(each.newNormal.value), at: isoTime(each.newNormal.at) } }),
      ...(each.ceilingReached ? { ceilingReached: true } : {}),
      ...(overage === null
        ? {}
        : {
            overage: {
              before: quantity(overage.before),
              value: quantity(overage.value),
              since: isoTime(overage.since),
              until: isoTime(overage.until),
              ...(overage.returnedAt === null ? {} : { returnedAt: isoTime(overage.returnedAt) }),
            },
          }),
      evidence: each.evidence.slice(0, 1024),
    };
  });
}

/** In millicores or bytes; null where nothing readable is written. */
export function readAmount(resource: ResourceName, text: string | undefined): number | null {
  if (text === undefined) return null;
  const parsed = resource === 'cpu' ? parseCpuMillicores(text) : parseMemoryBytes(text);
  return parsed.ok ? parsed.value : null;
}

export function writeAmount(resource: ResourceName, amount: number): string {
  return resource === 'cpu' ? formatCpu(Math.round(amount)) : formatMemory(Math.round(amount));
}

function readException(written: RecommendationStatusLimitException): LimitException | null {
  const { container, resource, type, state } = written;
  const openedAt = instantOf(written.openedAt);
  const limit = readAmount(resource, written.limit);
  if (openedAt === null || limit === null) return null;
  return {
    container,
    resource,
    type,
    state,
    bound: written.bound ?? 'limit',
    limit,
    observed: readAmount(resource, written.observed) ?? limit,
    proposed: readAmount(resource, written.proposed),
    evidence: written.evidence ?? '',
    openedAt,
    lastSeenAt: instantOf(written.lastSeenAt) ?? openedAt,
    occurrences: written.occurrences ?? 1,
    calmSince: instantOf(written.calmSince),
    openings: (written.openings ?? [written.openedAt]).flatMap((at): Instant[] => {
      const opening = instantOf(at);
      return opening === null ? [] : [opening];
    }),
    closedAt: instantOf(written.closedAt),
    decided: readDecided(written),
    settled: written.settled === true,
    newNormal: readNewNormal(written),
    overage: readOverage(resource, written.overage),
    ceilingReached: written.ceilingReached === true,
  };
}

function readDecided({ resource, decidedAt, decidedBy, value }: RecommendationStatusLimitException): LimitException['decided'] {
  const at = instantOf(decidedAt);
  return at === null ? null : { at, by: decidedBy ?? '', value: readAmount(resource, value) };
}

function readNewNormal({ resource, newNormal }: RecommendationStatusLimitException): LimitException['newNormal'] {
  const [value, at] = [readAmount(resource, newNormal?.value), instantOf(newNormal?.at)];
  return value === null || at === null ? null : { value, at };
}

function readOverage(resource: ResourceName, written: RecommendationStatusLimitException['overage']): Overage | null {
  const [before, value] = [readAmount(resource, written?.before), readAmount(resource, written?.value)];
  const [since, until] = [instantOf(written?.since), instantOf(written?.until)];
  if (before === null || value === null || since === null || until === null) return null;
  return { before, value, since, until, returnedAt: instantOf(written?.returnedAt) };
}
