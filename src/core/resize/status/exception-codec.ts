// Codec of limit exceptions in a Recommendation's status. Amounts are Kubernetes quantities.

import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import {
  COUNT,
  INSTANT,
  REQUEST_TIME,
  converted,
  deadline,
  flag,
  inline,
  list,
  nullable,
  oneOf,
  record,
  required,
  text,
  variants,
  withDefault,
  type Codec,
  type RecordCodec,
} from '../../model/encoding/codec.ts';
import { formatAmount, parseAmount } from '#kube/quantity';
import type { ResourceName } from '#kube/records/resources';
import { RESOURCES } from '../model/container-values.ts';
import {
  EXCEPTION_BOUNDS,
  LIMIT_EXCEPTION_STATES,
  LIMIT_EXCEPTION_TYPES,
  isApplied,
  type LimitException,
  type Overage,
} from '../model/limit-exception.ts';

const NAME = text(253);
const PERSON = text(254);

/** An invalid exception is dropped; its evidence opens it again. */
export const LIMIT_EXCEPTION = variants('resource', { cpu: limitException('cpu'), memory: limitException('memory') });

const LIMIT_EXCEPTIONS = list(LIMIT_EXCEPTION);

/** Reads the limit exceptions of a status. */
export function readExceptions(status: Pick<RecommendationStatus, 'limitExceptions'> | undefined): readonly LimitException[] {
  return LIMIT_EXCEPTIONS.read(status?.limitExceptions) ?? [];
}

function limitException(resource: ResourceName): RecordCodec<LimitException> {
  const amount = amountOf(resource);
  const exception = record<LimitException>({
    container: required(NAME),
    resource: required(oneOf(RESOURCES)),
    type: required(oneOf(LIMIT_EXCEPTION_TYPES)),
    state: required(oneOf(LIMIT_EXCEPTION_STATES)),
    bound: withDefault(oneOf(EXCEPTION_BOUNDS), 'limit'),
    limit: required(amount),
    observed: required(amount, 'observed', 'limit'),
    proposed: nullable(amount),
    evidence: withDefault(text(1024), ''),
    openedAt: required(INSTANT),
    lastSeenAt: required(INSTANT, 'lastSeenAt', 'openedAt'),
    occurrences: withDefault(COUNT, 1),
    clearSince: nullable(INSTANT),
    openCount: withDefault(list(INSTANT), []),
    closedAt: nullable(INSTANT),
    decided: inline(
      record<NonNullable<LimitException['decided']>>({
        at: required(INSTANT, 'decidedAt'),
        by: withDefault(PERSON, '', 'decidedBy'),
        value: nullable(amount),
      }),
    ),
    inEffect: flag(),
    approvedBaseline: nullable(
      record<NonNullable<LimitException['approvedBaseline']>>({ value: required(amount), at: required(REQUEST_TIME) }),
    ),
    overage: nullable(
      record<Overage>({
        before: required(amount),
        value: required(amount),
        since: required(INSTANT),
        until: deadline('since'),
        returnedAt: nullable(INSTANT),
      }),
    ),
    leakApprovedAt: nullable(INSTANT),
    ceilingReached: flag(),
  });
  // `applied` is written for users only, and never read.
  return { ...exception, write: (value) => ({ ...exception.write(value), applied: isApplied(value) }) };
}

/** Millicores or bytes, stored as a quantity. */
export function amountOf(resource: ResourceName): Codec<number> {
  return converted(
    text(32),
    (stored) => parseAmount(resource, stored) ?? undefined,
    (amount: number) => formatAmount(resource, amount),
  );
}
