// The cluster's certificate authority, and the certificates that it signs: those of the API server, the kubelets and the component clients.
// The authority's key stays in the cluster's folder, because the controller manager signs with it too.

import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

type Options = NonNullable<Parameters<typeof generate>[1]>;

export interface Signed {
  /** In PEM. */
  readonly key: string;
  readonly certificate: string;
}

const VALID_DAYS = 365;
const SERVING_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
/** The first address of the service range belongs to the Service of the API server. */
const SERVING_ADDRESSES = ['127.0.0.1', '10.96.0.1'];

export const USERS = {
  admin: { user: 'evenkeel-admin', group: 'system:masters' },
  'kube-controller-manager': { user: 'system:kube-controller-manager', group: null },
  'kube-scheduler': { user: 'system:kube-scheduler', group: null },
  // These two represent every kubelet of the cluster.
  kwok: { user: 'kwok', group: 'system:masters' },
  kubelets: { user: 'kubelets', group: 'system:masters' },
} as const;

export type UserName = keyof typeof USERS;

async function makeAuthority(commonName: string): Promise<Signed> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...validity(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key: made.private, certificate: made.cert };
}

export function signServing(
  authority: Signed,
  commonName: string,
  names: readonly string[],
  addresses: readonly string[],
): Promise<Signed> {
  return sign(authority, commonName, null, [
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [...names.map((value) => ({ type: 2 as const, value })), ...addresses.map((ip) => ({ type: 7 as const, ip }))],
    },
  ]);
}

function signClient(authority: Signed, user: string, group: string | null): Promise<Signed> {
  return sign(authority, user, group, [{ name: 'extKeyUsage', clientAuth: true }]);
}

async function sign(
  authority: Signed,
  commonName: string,
  group: string | null,
  extensions: Options['extensions'] & object,
): Promise<Signed> {
  const subject = [{ name: 'commonName', value: commonName }, ...(group === null ? [] : [{ name: 'organizationName', value: group }])];
  const made = await generate(subject, {
    ...validity(),
    ca: { key: authority.key, cert: authority.certificate },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      ...extensions,
    ],
  });
  return { key: made.private, certificate: made.cert };
}

function validity(): Pick<Options, 'keyType' | 'curve' | 'algorithm' | 'notBeforeDate' | 'notAfterDate'> {
  // A minute in the past, because the clock of a verifier may be slightly behind.
  const notBeforeDate = new Date(Date.now() - 60_000);
  const notAfterDate = new Date(notBeforeDate.getTime() + VALID_DAYS * 24 * 3600 * 1000);
  return { keyType: 'ec', curve: 'P-256', algorithm: 'sha256', notBeforeDate, notAfterDate };
}

/** Writes `ca`, `apiserver`, `kubelet-client`, the certificate and key of each user, and the signing key of service account tokens. */
export async function writeCertificates(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, { key, certificate }: Signed): void => {
    writeFileSync(join(folder, `${name}.crt`), certificate);
    writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
  };
  const authority = await makeAuthority('evenkeel-test-ca');
  write('ca', authority);
  // A separate authority, because aggregated API servers accept any user name from its clients.
  const frontProxy = await makeAuthority('evenkeel-test-front-proxy-ca');
  write('front-proxy-ca', frontProxy);
  write('front-proxy-client', await signClient(frontProxy, 'front-proxy-client', null));
  write('apiserver', await signServing(authority, 'kube-apiserver', SERVING_NAMES, SERVING_ADDRESSES));
  write('kubelet-client', await signClient(authority, 'kube-apiserver-kubelet-client', 'system:masters'));
  for (const [name, { user, group }] of Object.entries(USERS)) write(name, await signClient(authority, user, group));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'service-accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(folder, 'service-accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}
