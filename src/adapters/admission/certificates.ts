// Creates the webhook's certificate authority and serving certificate in process, without an external tool. Only the API server trusts the
// authority.

import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import type { KeyPair } from './admission-server.ts';

const AUTHORITY_LASTS_MS: DurationMs = 3650 * DAY_MS;
const CERTIFICATE_LASTS_MS: DurationMs = 90 * DAY_MS;
/** Renewal starts with a third of the lifetime left, which leaves a month to repair a failing renewal. */
const RENEWED_BEFORE_MS: DurationMs = 30 * DAY_MS;
/** Tolerates clock skew between machines. */
const BACKDATED_MS: DurationMs = HOUR_MS;

const CURVE = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** Creates a self-signed certificate authority, valid for ten years from `now`. */
export async function makeAuthority(now: Instant): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: 'evenkeel-admission-ca' }], {
    ...CURVE,
    ...validity(now, AUTHORITY_LASTS_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key: made.private, certificate: made.cert };
}

/** Signs a serving certificate, valid for 90 days. @param names DNS names and addresses under which the API server reaches the webhook */
export async function signServing(authority: KeyPair, names: readonly string[], now: Instant): Promise<KeyPair> {
  const [first = 'evenkeel-admission'] = names;
  const made = await generate([{ name: 'commonName', value: first.slice(0, 64) }], {
    ...CURVE,
    ...validity(now, CERTIFICATE_LASTS_MS),
    ca: { key: authority.key, cert: authority.certificate },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isAddress(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name })),
      },
    ],
  });
  return { key: made.private, certificate: made.cert };
}

/** Returns why a certificate must be renewed, as a message; null where it need not be. */
export function findRenewalReason(pair: KeyPair, authority: string, names: readonly string[], now: Instant): string | null {
  const certificate = readCertificate(pair.certificate);
  const issuer = readCertificate(authority);
  if (certificate === null || issuer === null) return 'it cannot be read';
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'another authority signed it';
  const missing = names.find((name) => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) === undefined);
  if (missing !== undefined) return `it does not name ${missing}`;
  return Date.parse(certificate.validTo) - now < RENEWED_BEFORE_MS ? 'it expires soon' : null;
}

/** Whether the authority outlives a certificate that it signs now. */
export function isUsableAuthority(pair: KeyPair, now: Instant): boolean {
  const certificate = readCertificate(pair.certificate);
  return certificate !== null && certificate.ca && Date.parse(certificate.validTo) - now > CERTIFICATE_LASTS_MS;
}

/** Returns null where the text is not a PEM certificate. */
export function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function validity(now: Instant, lasts: DurationMs): { notBeforeDate: Date; notAfterDate: Date } {
  return { notBeforeDate: new Date(now - BACKDATED_MS), notAfterDate: new Date(now + lasts) };
}

function isAddress(name: string): boolean {
  return /^[\d.]+$/.test(name) || name.includes(':');
}
