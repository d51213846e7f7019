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

/** The grants of the AccessPolicy in effect. */
export interface Grants {
  /** By e-mail address. null: its entry is not valid, or it has two, so that it has nothing. */
  readonly byEmail: ReadonlyMap<string, Grant | null>;
  /** `spec.autoApprove` by domain: what addresses without a grant of their own have. */
  readonly byDomain: ReadonlyMap<string, Omit<Grant, 'email'>>;
}

/** The longest address of SMTP (RFC 5321, with RFC 3696 erratum 1690). */
const MAX_EMAIL_LENGTH = 254;
/** Roles that a domain may have: an admin is always named. */
const DOMAIN_ROLES: readonly Role[] = ['operator', 'viewer'];

/**
 * The address as grants are keyed, with A–Z in lower case; null where it is not an address. Only ASCII letters are folded: Unicode's folding
 * turns K (Kelvin sign) into k, which would let one address pass for another.
 */
export function parseEmail(text: string): string | null {
  if (text.length > MAX_EMAIL_LENGTH || !/^[^@\s\p{C}]+@[^@\s\p{C}]+$/u.test(text)) return null;
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The grants of a policy. An entry that is not valid gives nothing, and neither does an address or a domain that has two: which of them
 * applied would depend on the reader.
 */
export function grantsOf(policy: Pick<AccessPolicy, 'spec'> | null): Grants {
  const byEmail = new Map<string, Grant | null>();
  for (const entry of policy?.spec.grants ?? []) {
    const email = typeof entry.email === 'string' ? parseEmail(entry.email) : null;
    if (email !== null) byEmail.set(email, byEmail.has(email) ? null : parseGrant(email, entry));
  }
  const byDomain = new Map<string, Omit<Grant, 'email'>>();
  const domains = new Set<string>();
  for (const { domain, role, namespaces } of policy?.spec.autoApprove ?? []) {
    const isRepeated = domains.has(domain);
    domains.add(domain);
    if (isRepeated) byDomain.delete(domain);
    else if (DOMAIN_ROLES.includes(role)) byDomain.set(domain, { role, namespaces: parseNamespaces(namespaces), expiresAt: null });
  }
  return { byEmail, byDomain };
}

/** The grant of an address at a time; null: it has none of its own, or it has expired. */
export function findGrant({ byEmail }: Grants, email: string, now: Instant): Grant | null {
  const grant = byEmail.get(email) ?? null;
  return grant === null || hasExpired(grant, now) ? null : grant;
}

/**
 * The grant of a user who signed in with a verified address: the one of the address, else the one of its domain. An entry for the address
 * wins also where it has expired or is not valid, so that an administrator can exclude one address of a domain.
 */
export function findGrantOfUser(grants: Grants, email: string, now: Instant): Grant | null {
  if (grants.byEmail.has(email)) return findGrant(grants, email, now);
  const ofDomain = grants.byDomain.get(domainOf(email));
  return ofDomain === undefined ? null : { ...ofDomain, email };
}

/** Whether the grant has ended. */
export function hasExpired({ expiresAt }: Pick<Grant, 'expiresAt'>, now: Instant): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

type GrantEntry = NonNullable<AccessPolicy['spec']['grants']>[number];

function parseGrant(email: string, { role, namespaces, expiresAt }: GrantEntry): Grant | null {
  if (!ROLES.includes(role) || !(namespaces === undefined || Array.isArray(namespaces))) return null;
  const until = expiresAt === undefined ? null : instantOf(expiresAt);
  // A time that cannot be read would otherwise turn a temporary grant into a permanent one.
  if (expiresAt !== undefined && until === null) return null;
  return { email, role, namespaces: parseNamespaces(namespaces), expiresAt: until };
}

/** Globs that are none are omitted. */
function parseNamespaces(namespaces: unknown): readonly Glob[] {
  const texts = Array.isArray(namespaces) ? new Set<unknown>(namespaces) : [];
  const globs = [...texts].flatMap((text) => {
    const glob = typeof text === 'string' ? parseGlob(text) : null;
    return glob?.ok === true ? [glob.value] : [];
  });
  return globs.toSorted((a, b) => (a.text < b.text ? -1 : 1));
}
