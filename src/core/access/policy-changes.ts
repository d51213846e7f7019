import type { AccessPolicySpec } from '../../apis/v1alpha1/index.ts';

/** One address or domain (`@example.com`) whose entry differs. */
export interface EntryChange {
  readonly who: string;
  /** As text: `operator in shop`; null: it had no entry. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Entries named in one message. */
const MAX_NAMED = 5;

/** The entries that differ between two specs. Those of admins come first: where many are cut, none of these is hidden. */
export function findPolicyChanges(before: AccessPolicySpec, after: AccessPolicySpec): readonly EntryChange[] {
  const [earlier, later] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])]
    .map((who) => ({ who, before: earlier.get(who) ?? null, after: later.get(who) ?? null }))
    .filter((change) => change.before !== change.after)
    .toSorted((a, b) => Number(isOfAdmin(b)) - Number(isOfAdmin(a)));
}

function isOfAdmin({ before, after }: EntryChange): boolean {
  return [before, after].some((entry) => entry?.startsWith('admin') === true);
}

/** `eve@example.com: viewer in shop, earlier admin; bob@example.com: removed`. */
export function describePolicyChanges(changes: readonly EntryChange[]): string {
  const named = changes.slice(0, MAX_NAMED).map(({ who, before, after }) => {
    if (after === null) return `${who}: removed`;
    return before === null ? `${who}: ${after}` : `${who}: ${after}, earlier ${before}`;
  });
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** What an entry gives, as text. */
export function describeEntry(entry: {
  readonly role: string;
  readonly namespaces?: readonly string[];
  readonly expiresAt?: string;
  readonly note?: string;
}): string {
  const { role, namespaces = [], expiresAt, note } = entry;
  const where = role === 'admin' ? '' : namespaces.length === 0 ? ' in no namespace' : ` in ${namespaces.join(', ')}`;
  return `${role}${where}${expiresAt === undefined ? '' : ` until ${expiresAt}`}${note === undefined || note === '' ? '' : ` (${note})`}`;
}

function entriesOf({ grants = [], autoApprove = [] }: AccessPolicySpec): ReadonlyMap<string, string> {
  return new Map([
    ...grants.map((grant) => [grant.email, describeEntry(grant)] as const),
    ...autoApprove.map((entry) => [`@${entry.domain}`, describeEntry(entry)] as const),
  ]);
}
