// Proves from the API server's audit log that no two controllers acted at once: who held the lease when, and that every
// write which only a leader may make lies inside a term of whoever made it.

import type { AuditEvent } from './real-cluster.ts';

/**
 * One stretch of holding the lease. Times are milliseconds, and of when the API server received a request: what it kept and
 * what others saw of it came later, so that every distance is told short and never long.
 */
export interface Term {
  readonly identity: string;
  readonly from: number;
  /** Of its last write to the lease: a renewal, or the release. */
  lastRenewal: number;
  released: boolean;
  /** When somebody else's name came to stand in the lease, or nobody's; null: never. */
  until: number | null;
  /** Changes of what runs: resizes, evictions. */
  effects: number;
  /** What a leader writes down: statuses, recommendations. */
  records: number;
  firstWrite: number | null;
  lastWrite: number | null;
}

export interface Proof {
  readonly terms: readonly Term[];
  readonly problems: readonly string[];
}

const LEASE = 'evenkeel-controller';
/** A lease stands this long after its last renewal. */
export const LEASE_MS = 10_000;
/** Every replica writes these: its own candidature, what it says of itself, what it may, the CRDs at its start, a token for kubelets. */
const ANY_REPLICA = new Set([
  'leases',
  'events',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'customresourcedefinitions',
  'serviceaccounts',
]);

/** @param events the audit log, in any order */
export function proveOneActor(events: readonly AuditEvent[]): Proof {
  const written = events.filter(isDone).sort((a, b) => at(a.stageTimestamp) - at(b.stageTimestamp));
  const terms = termsOf(written.filter(isLeaseWrite));
  const problems = [...overlaps(terms)];
  for (const event of written) {
    const identity = identityOf(event);
    if (identity === null || ANY_REPLICA.has(event.objectRef?.resource ?? '')) continue;
    const problem = placeWrite(terms, identity, event);
    if (problem !== null) problems.push(problem);
  }
  return { terms, problems };
}

/** The proof in words, a line a term. */
export function describeProof({ terms, problems }: Proof): string {
  const begun = terms[0]?.from ?? 0;
  const seconds = (time: number): string => ((time - begun) / 1000).toFixed(2).padStart(8);
  const lines = terms.map(({ identity, from, until, lastRenewal, released, effects, records, firstWrite, lastWrite }, index) => {
    const next = terms[index + 1];
    const gap = next === undefined ? '' : `; next leader ${((next.from - lastRenewal) / 1000).toFixed(2)} s after its last renewal`;
    const end = released ? 'released' : until === null ? 'still held' : 'not released';
    const writes = firstWrite === null || lastWrite === null ? 'none' : `${seconds(firstWrite)} s …${seconds(lastWrite)} s`;
    return `${seconds(from)} s …${seconds(until ?? lastRenewal)} s  ${identity}: ${effects} effects, ${records} records (${writes}); ${end}${gap}`;
  });
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
    // Given by somebody else's hand it is nobody's until the one named takes it himself.
    current = holder === '' || identityOf(event) !== holder ? null : aTerm(holder, time);
    if (current !== null) terms.push(current);
  }
  return terms;
}

function aTerm(identity: string, from: number): Term {
  const none = { effects: 0, records: 0, firstWrite: null, lastWrite: null };
  return { identity, from, lastRenewal: from, released: false, until: null, ...none };
}

/** Whoever does not release is followed only after the lease has run out. */
function* overlaps(terms: readonly Term[]): Generator<string> {
  for (const [index, term] of terms.entries()) {
    const next = terms[index + 1];
    if (next === undefined || term.released || next.identity === term.identity) continue;
    const gap = next.from - term.lastRenewal;
    if (gap < LEASE_MS) yield `${next.identity} took the lease ${gap} ms after ${term.identity} renewed it last`;
  }
}

/** Counts a leader's write to its term; why it belongs to none. */
function placeWrite(terms: readonly Term[], identity: string, event: AuditEvent): string | null {
  // Received: from here on the server knows of it. What was sent in time is received in time, on loopback.
  const time = at(event.requestReceivedTimestamp);
  const begun = terms.filter(({ from }) => from <= time);
  const term = begun.at(-1);
  const words = `${event.verb} ${event.requestURI} by ${identity} at ${event.requestReceivedTimestamp}`;
  if (term === undefined) return `${words}: nobody led yet`;
  if (term.identity !== identity) return `${words}: ${term.identity} led`;
  if (term.released && term.until !== null && time > term.until) return `${words}: it had released the lease`;
  if (time - term.lastRenewal > LEASE_MS) return `${words}: its lease had run out`;
  if (isEffect(event)) term.effects += 1;
  else term.records += 1;
  term.firstWrite ??= time;
  term.lastWrite = Math.max(term.lastWrite ?? time, time);
  return null;
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

/** The holder that was written; undefined where the write says nothing of it. */
function holderOf({ requestObject }: AuditEvent): string | undefined {
  const { spec } = (requestObject ?? {}) as { readonly spec?: { readonly holderIdentity?: string } };
  return spec?.holderIdentity;
}

/** Which replica, and in which of its lives: it stands in the user agent. null: not a controller of ours. */
function identityOf({ userAgent = '' }: AuditEvent): string | null {
  return /^evenkeel-controller\/\S+ \(([^)]+)\)/.exec(userAgent)?.[1] ?? null;
}

function at(time: string): number {
  return Date.parse(time);
}
