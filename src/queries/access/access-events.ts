import type { AccessEvent as AccessEventRecord, AccessEventSummary, Operations, Warning } from '../../apis/http/types.generated.ts';
import type { ChainedAccessEvent } from '../../core/access/events/access-event.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { ADMIN } from '../../core/access/requirement.ts';
import type { Scope } from '../../core/access/scope.ts';
import { parseDuration } from '../../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS } from '#kube/units';
import type { AccessEventVerification } from '../../ports/store/access-events.ts';
import { fieldOf, selectPage, type Listing } from '../listing.ts';
import type { Page } from '../outcome.ts';
import { defineQuery } from '../query.ts';
import type { ReadSources } from '../sources.ts';

const LISTING: Listing<AccessEventRecord> = {
  id: ({ id }) => id,
  namespaceOf: null,
  namesOf: ({ action, target, actor }) => [action, target, actor.email],
  defaultSort: '-time',
  // Events of the same moment are in the order of their chain.
  sortValue: (event, field) => (field === 'time' ? `${event.time} ${event.id}` : fieldOf(event, field)),
};

/** Maximum of events that are read; a warning reports that older ones are omitted. */
const MAX_EVENTS = 20_000;
const MIN_MS = 5 * 60_000;
const MAX_MS = 90 * DAY_MS;

const UNREACHABLE: Warning = {
  code: 'history_unavailable',
  message: 'The history store cannot be reached, so access events are not shown. They are kept in memory until it can be.',
};
const NOT_VERIFIED: AccessEventSummary = { verification: null };

/** `/access-events`: the trail of sign-ins, changes and denied requests. */
export class AccessEventQueries {
  readonly #sources: Pick<ReadSources, 'clock' | 'accessEvents' | 'logger'>;

  /** A verification reads every event: callers at the same time share one. */
  #verification: Promise<AccessEventVerification> | null = null;

  constructor(sources: Pick<ReadSources, 'clock' | 'accessEvents' | 'logger'>) {
    this.#sources = sources;
  }

  async list(
    scope: Scope,
    { duration, actor, action, outcome, verify, ...query }: Operations['listAccessEvents']['query'],
  ): Promise<Page<AccessEventRecord, AccessEventSummary> | Refusal> {
    const { clock, accessEvents, logger } = this.#sources;
    const period = parseDuration(duration);
    if (!period.ok || period.value < MIN_MS || period.value > MAX_MS) {
      return { kind: 'invalid', details: [{ path: '/duration', message: period.ok ? 'must be from 5m to 90d' : period.message }] };
    }
    const filter = {
      since: clock.now() - period.value,
      ...(actor === undefined ? {} : { actors: actor.map((email) => email.toLowerCase()) }),
      ...(action === undefined ? {} : { actions: action }),
      ...(outcome === undefined ? {} : { outcomes: outcome }),
      limit: MAX_EVENTS,
    };
    try {
      const events = await accessEvents.read(filter);
      const verification = verify === true ? await this.#verify() : null;
      const page = selectPage(events.map(recordOf), LISTING, query, scope);
      if (page.kind !== 'page') return page;
      const { matched: _, ...rest } = page;
      const warnings = [...(events.length < MAX_EVENTS ? [] : [TRUNCATED]), ...warningsOf(verification)];
      return { ...rest, summary: verification === null ? NOT_VERIFIED : { verification: summaryOf(verification) }, warnings };
    } catch (error) {
      logger.warn('Reading access events failed', { err: error });
      return { kind: 'page', items: [], total: 0, nextCursor: null, summary: NOT_VERIFIED, warnings: [UNREACHABLE] };
    }
  }

  #verify(): Promise<AccessEventVerification> {
    this.#verification ??= this.#sources.accessEvents.verify().finally(() => {
      this.#verification = null;
    });
    return this.#verification;
  }
}

const TRUNCATED: Warning = {
  code: 'truncated',
  message: `Only the latest ${MAX_EVENTS} matching events are included; filter them, or use a shorter duration.`,
};

function recordOf({ id, at, sequence: _, ...event }: ChainedAccessEvent): AccessEventRecord {
  return { id, time: isoTime(at), ...event };
}

function summaryOf({ state, events, chains, faults }: AccessEventVerification): NonNullable<AccessEventSummary['verification']> {
  return { state, events, chains, faults: faults.map(({ kind, writer, id, message }) => ({ kind, writer, id, message })) };
}

/** The first fault, and what could not be verified. */
function warningsOf(verification: AccessEventVerification | null): readonly Warning[] {
  if (verification === null) return [];
  const { faults, unsigned } = verification;
  const [first] = faults;
  return [
    ...(first === undefined ? [] : [{ code: 'access_events_broken', message: `The trail was changed: ${first.message}.` }]),
    ...(unsigned.length === 0
      ? []
      : [{ code: 'access_events_unsigned', message: `Not signed, so that a rewritten chain is not found: ${unsigned.join(', ')}.` }]),
  ];
}

export const listAccessEvents = defineQuery({
  requires: ADMIN,
  answer: ({ accessEvents }: { readonly accessEvents: AccessEventQueries }, scope, query: Operations['listAccessEvents']['query']) =>
    accessEvents.list(scope, query),
});
