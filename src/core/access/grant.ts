// Grants of an AccessPolicy: the role and the namespaces of an e-mail address.

import type { AccessPolicy } from '../../apis/v1alpha1/index.ts';
import { instantOf } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { parseGlob, type Glob } from '../model/names/glob.ts';

/** Roles, each with the permissions of the ones after it. */
export const ROLES = ['admin', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** What one e-mail address may do. */
export interface Grant {
  readonly email: string;
  readonly role: Role;
  /** Sorted and without duplicates. An admin needs none. */
  readonly namespaces: readonly Glob[];
  /** null: never. */
  readonly expiresAt: Instant | null;
}

/** Grants by e-mail address, from the AccessPolicy in effect. */
export type Grants = ReadonlyMap<string, Grant>;

/** The longest address of SMTP (RFC 5321, with RFC 3696 erratum 1690). */
const MAX_EMAIL_LENGTH = 254;

/**
 * The address as grants are keyed, with A–Z in lower case; null where it is not an address. Only ASCII letters are folded: Unicode's folding
 * turns K (Kelvin sign) into k, which would let one address pass for another.
 */
export function parseEmail(text: string): string | null {
  if (text.length > MAX_EMAIL_LENGTH || !/^[^@\s\p{C}]+@[^@\s\p{C}]+$/u.test(text)) return null;
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The grants of a policy. An entry that is not valid gives nothing, and neither does an address that has two: which of them applied would
 * depend on the reader.
 */
export function grantsOf(policy: Pick<AccessPolicy, 'spec'> | null): Grants {
  const grants = new Map<string, Grant>();
  const seen = new Set<string>();
  for (const entry of policy?.spec.grants ?? []) {
    const email = typeof entry.email === 'string' ? parseEmail(entry.email) : null;
    if (email === null) continue;
    if (seen.has(email)) grants.delete(email);
    else {
      const grant = parseGrant(email, entry);
      if (grant !== null) grants.set(email, grant);
    }
    seen.add(email);
  }
  return grants;
}

/** The grant of an address at a time; null: it has none, or it has expired. */
export function findGrant(grants: Grants, email: string, now: Instant): Grant | null {
  const grant = grants.get(email);
  if (grant === undefined) return null;
  return grant.expiresAt !== null && grant.expiresAt <= now ? null : grant;
}

type GrantEntry = NonNullable<AccessPolicy['spec']['grants']>[number];

function parseGrant(email: string, { role, namespaces = [], expiresAt }: GrantEntry): Grant | null {
  if (!ROLES.includes(role) || !Array.isArray(namespaces)) return null;
  const until = expiresAt === undefined ? null : instantOf(expiresAt);
  // A time that cannot be read would otherwise turn a temporary grant into a permanent one.
  if (expiresAt !== undefined && until === null) return null;
  const globs = [...new Set<unknown>(namespaces)].flatMap((text) => {
    const glob = typeof text === 'string' ? parseGlob(text) : null;
    return glob?.ok === true ? [glob.value] : [];
  });
  return { email, role, namespaces: globs.toSorted((a, b) => (a.text < b.text ? -1 : 1)), expiresAt: until };
}
