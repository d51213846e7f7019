import { generate } from 'selfsigned';

export interface ServingCertificate {
  /** All PEM. */
  readonly key: string;
  readonly certificate: string;
  readonly caCertificate: string;
}

const VALID_DAYS = 365;

/** A certificate for a loopback server, signed by a temporary authority whose key is discarded. */
export async function makeServingCertificate(host: string): Promise<ServingCertificate> {
  const notBeforeDate = new Date();
  const notAfterDate = new Date(notBeforeDate.getTime() + VALID_DAYS * 24 * 3600 * 1000);
  const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256', notBeforeDate, notAfterDate } as const;
  const authority = await generate([{ name: 'commonName', value: 'evenkeel-embedded-ca' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  const addresses = [...new Set(['127.0.0.1', '::1', ...(/^[\d.:]+$/.test(host) ? [host] : [])])];
  const serving = await generate([{ name: 'commonName', value: 'evenkeel-embedded-apiserver' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'kubernetes.default.svc' },
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { key: serving.private, certificate: serving.cert, caCertificate: authority.cert };
}
