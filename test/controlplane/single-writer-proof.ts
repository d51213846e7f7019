// Proves from the API server's audit log that no two controllers acted at once: it derives the terms of the lease, and checks that every
// write reserved to the leader lies in a term of its writer. A record that a suspended leader had sent may be received later, because no
// client can recall it; it has a precondition, so the API server stores it only where no other client has written the object since.

import { POLICY_WORKERS, WORKLOAD_WORKERS } from '../../src/cmd/controller/reconcilers.ts';
import type { AuditEvent } from './real-cluster.ts';

/**
 * One term of a lease holder. Times are in milliseconds, when the API server received a request: it stored the object later, and others saw
 * it later still, so every distance is a lower bound.
 */
export interface Term {
  readonly identity: string;
  readonly from: number;
  /** Its last write to the lease: a renewal, or the release. */
  lastRenewal: number;
  released: boolean;
  /** Time at which the lease got another holder or none; null: never. */
  until: number | null;
  /** Number of changes to running pods: resizes and evictions. */
  effects: number;
  /** Number of written records: statuses and Recommendations. */
  records: number;
  /** Number of records with a precondition that were received after the term. */
  lateRecords: number;
  firstWrite: number | null;
  lastWrite: number | null;
}

/** The terms, and every violation of the rule. */
export interface Proof {
  readonly terms: readonly Term[];
  readonly problems: readonly string[];
}

const LEASE = 'evenkeel-controller';
/** Duration of the lease after its last renewal. */
export const LEASE_MS = 10_000;
/** A suspended leader has at most one request in flight for each of its workers. */
const MAX_LATE_RECORDS = WORKLOAD_WORKERS + POLICY_WORKERS;
/** Objects that every replica writes: its lease attempt, its status, access reviews, the CRDs at start, a token for kubelets. */
const ANY_REPLICA = new Set([
  'leases',
  'events',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'customresourcedefinitions',
  'serviceaccounts',
]);

/** @param events events of the audit log, in any order */
export function proveSingleWriter(events: readonly AuditEvent[]): Proof {
  const writes = events.filter(isDone).sort((a, b) => at(a.stageTimestamp) - at(b.stageTimestamp));
  const terms = termsOf(writes.filter(isLeaseWrite));
  const problems = [...overlaps(terms)];
  for (const event of writes) {
    const identity = identityOf(event);
    if (identity === null || ANY_REPLICA.has(event.objectRef?.resource ?? '')) continue;
    const problem = placeWrite(terms, identity, event);
    if (problem !== null) problems.push(problem);
  }
  for (const { identity, lateRecords } of terms) {
    if (lateRecords > MAX_LATE_RECORDS)
      problems.push(`${identity} wrote ${lateRecords} records after its term: more than it had in flight`);
  }
  return { terms, problems };
}

/** The proof as text, a line per term. */
export function describeProof({ terms, problems }: Proof): string {
  const begun = terms[0]?.from ?? 0;
  const seconds = (time: number): string => ((time - begun) / 1000).toFixed(2).padStart(8);
  const lines = terms.map(
    ({ identity, from, until, lastRenewal, released, effects, records, lateRecords, firstWrite, lastWrite }, index) => {
      const next = terms[index + 1];
      const gap = next === undefined ? '' : `; next leader ${((next.from - lastRenewal) / 1000).toFixed(2)} s after its last renewal`;
      const late = lateRecords === 0 ? '' : `, ${lateRecords} received after its term`;
      const end = released ? 'released' : until === null ? 'still held' : 'not released';
      const writes = firstWrite === null || lastWrite === null ? 'none' : `${seconds(firstWrite)} s …${seconds(lastWrite)} s`;
      return `${seconds(from)} s …${seconds(until ?? lastRenewal)} s  ${identity}: ${effects} effects, ${records} records (${writes})${late}; ${end}${gap}`;
    },
  );
  return [`Terms of leaders, from the audit log (${problems.length} problems):`, ...lines, ...problems].join('\n');
}

function termsOf(writes: readonly AuditEvent[]): readonly Term[] {
  const terms: Term[] = [];
  let current = null as Term | null;
  for (const event of writes) {
    const time = at(event.requestReceivedTimestamp);
    const holder = holderOf(event);
    if (holder === undefined || holder === current?.identity) {
      if (current !== null && identityOf(event) === current.identity) current.lastRenewal = time;
      continue;
    }
    if (current !== null) {
      const byItself = identityOf(event) === current.identity && holder === '';
      if (byItself) current.lastRenewal = time;
      current.released = byItself;
      current.until = time;
    }
    // A holder that another client wrote counts only when that holder renews the lease itself.
    current = holder === '' || identityOf(event) !== holder ? null : aTerm(holder, time);
    if (current !== null) terms.push(current);
  }
  return terms;
}

function aTerm(identity: string, from: number): Term {
  const none = { effects: 0, records: 0, lateRecords: 0, firstWrite: null, lastWrite: null };
  return { identity, from, lastRenewal: from, released: false, until: null, ...none };
}

/** Without a release the next holder may take the lease only after it has expired. */
function* overlaps(terms: readonly Term[]): Generator<string> {
  for (const [index, term] of terms.entries()) {
    const next = terms[index + 1];
    if (next === undefined || term.released || next.identity === term.identity) continue;
    const gap = next.from - term.lastRenewal;
    if (gap < LEASE_MS) yield `${next.identity} took the lease ${gap} ms after ${term.identity} renewed it last`;
  }
}

/** Counts a leader's write in its term. Returns the violation, or null. */
function placeWrite(terms: readonly Term[], identity: string, event: AuditEvent): string | null {
  // The time of receipt: the server has the request from then on, and on loopback a request sent in time is received in time.
  const time = at(event.requestReceivedTimestamp);
  const begun = terms.filter(({ from }) => from <= time);
  const term = begun.at(-1);
  const late = term === undefined ? 'before the first term' : whyLate(term, identity, time);
  if (term === undefined || late !== null) {
    const ended = begun.findLast((candidate) => candidate.identity === identity);
    if (ended === undefined || ended.released || isEffect(event) || !isConditional(event))
      return `${event.verb} ${event.requestURI} by ${identity} at ${event.requestReceivedTimestamp}: ${late}`;
    ended.lateRecords += 1;
    return null;
  }
  if (isEffect(event)) term.effects += 1;
  else term.records += 1;
  term.firstWrite ??= time;
  term.lastWrite = Math.max(term.lastWrite ?? time, time);
  return null;
}

/** Why a write at this time is outside the writer's term; null where it is inside. */
function whyLate(term: Term, identity: string, time: number): string | null {
  if (term.identity !== identity) return `${term.identity} led`;
  if (term.released && term.until !== null && time > term.until) return 'it had released the lease';
  return time - term.lastRenewal > LEASE_MS ? 'its lease had expired' : null;
}

/** Whether the API server tested that the object still has the version from which the write was decided. */
function isConditional({ requestObject }: AuditEvent): boolean {
  const { metadata, preconditions } = (requestObject ?? {}) as Partial<Record<'metadata' | 'preconditions', { resourceVersion?: string }>>;
  return (metadata ?? preconditions)?.resourceVersion !== undefined;
}

function isEffect({ objectRef, requestURI }: AuditEvent): boolean {
  return !requestURI.startsWith('/apis/evenkeel.io/') && objectRef?.resource !== 'configmaps';
}

function isDone({ stage, responseStatus }: AuditEvent): boolean {
  return stage === 'ResponseComplete' && (responseStatus?.code ?? 0) < 300;
}

function isLeaseWrite({ objectRef }: AuditEvent): boolean {
  return objectRef?.resource === 'leases' && (objectRef.name ?? LEASE) === LEASE;
}

/** The written holder; undefined when the write does not change it. */
function holderOf({ requestObject }: AuditEvent): string | undefined {
  const { spec } = (requestObject ?? {}) as { readonly spec?: { readonly holderIdentity?: string } };
  return spec?.holderIdentity;
}

/** Replica and process, from the user agent; null when it is not a controller of Evenkeel. */
function identityOf({ userAgent = '' }: AuditEvent): string | null {
  return /^evenkeel-controller\/\S+ \(([^)]+)\)/.exec(userAgent)?.[1] ?? null;
}

function at(time: string): number {
  return Date.parse(time);
}
