// Reads user requests from a Recommendation's spec. Invalid fields count as absent, so that they never stop a decision.

import type { Recommendation, RecommendationSpec } from '../../../apis/v1alpha1/index.ts';
import {
  REQUEST_TIME,
  flag,
  list,
  nullable,
  oneOf,
  record,
  required,
  text,
  variants,
  withDefault,
  type RecordCodec,
} from '../../model/encoding/codec.ts';
import type { ResourceName } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import { RESOURCES } from '../model/container-values.ts';
import type { ExceptionDecision } from '../model/limit-exception.ts';
import { NO_USER_REQUESTS, type UserRequests } from '../model/situation.ts';
import { amountOf } from './exception-codec.ts';
import { VALUES } from './values-codec.ts';

const NAME = text(253);
const BY = withDefault(text(254), '');
const AT = required(REQUEST_TIME);

const REQUEST = record<{ readonly at: Instant; readonly by: string }>({ at: AT, by: BY });
const CHOICE = record<NonNullable<UserRequests['approved']>>({ at: AT, by: BY, values: required(VALUES, 'containers') });

const DECISIONS = list(variants('resource', { cpu: exceptionDecision('cpu'), memory: exceptionDecision('memory') }));

const USER_REQUESTS = record<UserRequests>({
  paused: flag(),
  approved: nullable(CHOICE),
  rejected: nullable(CHOICE),
  rollback: nullable(REQUEST),
  wake: nullable(REQUEST),
  exceptionDecisions: withDefault(DECISIONS, []),
});

/** Reads all user requests of a Recommendation. */
export function readUserRequests({ spec }: Pick<Recommendation, 'spec'>): UserRequests {
  return USER_REQUESTS.read(spec) ?? NO_USER_REQUESTS;
}

/** Reads the user decisions about limit exceptions. */
export function readDecisions(spec: Pick<RecommendationSpec, 'exceptionDecisions'>): readonly ExceptionDecision[] {
  return DECISIONS.read(spec.exceptionDecisions) ?? [];
}

function exceptionDecision(resource: ResourceName): RecordCodec<ExceptionDecision> {
  return record<ExceptionDecision>({
    container: required(NAME),
    resource: required(oneOf(RESOURCES)),
    decision: required(oneOf(['approve', 'reject'])),
    value: nullable(amountOf(resource)),
    at: AT,
    by: BY,
  });
}
