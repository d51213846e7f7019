// The webhook's certificate authority and the certificate that it signs: made here, so that no other tool is needed. Only
// the API server trusts them.

import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { DAY_MS, HOUR_MS, type DurationMs, type Instant } from '#kube/units';
import type { KeyPair } from './admission-server.ts';

const AUTHORITY_LASTS_MS: DurationMs = 3650 * DAY_MS;
const CERTIFICATE_LASTS_MS: DurationMs = 90 * DAY_MS;
/** A third of its life before its end: whatever goes wrong then has a month to be mended. */
const RENEWED_BEFORE_MS: DurationMs = 30 * DAY_MS;
/** Clocks of machines differ. */
const BACKDATED_MS: DurationMs = HOUR_MS;

const CURVE = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

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

/** @param names DNS names and addresses by which the API server reaches the webhook */
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

/** Why a certificate is not to be served any longer, in words; null: it may be. */
export function whyRenew(pair: KeyPair, authority: string, names: readonly string[], now: Instant): string | null {
  const certificate = readCertificate(pair.certificate);
  const issuer = readCertificate(authority);
  if (certificate === null || issuer === null) return 'it cannot be read';
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'another authority signed it';
  const missing = names.find((name) => (isAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) === undefined);
  if (missing !== undefined) return `it does not name ${missing}`;
  return Date.parse(certificate.validTo) - now < RENEWED_BEFORE_MS ? 'it ends soon' : null;
}

/** Whether an authority can still sign a certificate that lasts. */
export function isUsableAuthority(pair: KeyPair, now: Instant): boolean {
  const certificate = readCertificate(pair.certificate);
  return certificate !== null && certificate.ca && Date.parse(certificate.validTo) - now > CERTIFICATE_LASTS_MS;
}

/** null where the text is no certificate. */
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
