// The Secret with the certificate that all replicas serve. The leader creates and renews it; other replicas read it.

import type { Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import { collectionPath, objectPath, SECRETS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../kubernetes/status.ts';
import { asObject, objectAt, textAt } from '../kubernetes/wire.ts';
import type { KeyPair } from './admission-server.ts';
import { isUsableAuthority, makeAuthority, signServing, findRenewalReason } from './certificates.ts';

export const ADMISSION_SECRET = 'evenkeel-admission';

/** The served certificate, and the authorities that the API server trusts. */
export interface ServingPair {
  readonly pair: KeyPair;
  /** PEM. Two authorities while a new one replaces the former. */
  readonly authorities: string;
}

interface Stored {
  readonly resourceVersion: string;
  readonly authority: KeyPair;
  /** PEM of the previous authority, since certificates that it signed may still be served. Empty: none. */
  readonly former: string;
  readonly serving: KeyPair;
}

export interface CertificateSecretDependencies {
  readonly transport: ApiTransport;
  readonly namespace: string;
  /** DNS names and addresses under which the API server reaches the webhook. */
  readonly names: readonly string[];
  /** Real time, not the cluster's clock, since TLS peers check validity against real time. */
  readonly now: () => Instant;
}

/** Reads, creates and renews the webhook's certificate authority and serving certificate. */
export class CertificateSecret {
  readonly #dependencies: CertificateSecretDependencies;

  constructor(dependencies: CertificateSecretDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the current certificate, renewed where necessary if `canWrite`. null: none exists and this replica may not create it. @throws
   * ApiFault
   */
  async read(mayWrite: boolean, signal: AbortSignal): Promise<ServingPair | null> {
    const stored = await this.#get(signal);
    if (stored !== null && this.#findRenewalReason(stored) === null) return servingOf(stored);
    if (!mayWrite) return stored === null || stored.serving.certificate === '' ? null : servingOf(stored);
    const fresh = await this.#make(stored);
    if (await this.#write(fresh, stored?.resourceVersion ?? null, signal)) return servingOf(fresh);
    // Another replica wrote the Secret first: its certificate is used.
    const theirs = await this.#get(signal);
    return theirs === null ? null : servingOf(theirs);
  }

  #findRenewalReason({ serving, authority }: Stored): string | null {
    return findRenewalReason(serving, authority.certificate, this.#dependencies.names, this.#dependencies.now());
  }

  async #make(stored: Stored | null): Promise<Omit<Stored, 'resourceVersion'>> {
    const { names, now } = this.#dependencies;
    const isUsable = stored !== null && isUsableAuthority(stored.authority, now());
    const authority = isUsable ? stored.authority : await makeAuthority(now());
    const former = isUsable ? stored.former : (stored?.authority.certificate ?? '');
    return { authority, former, serving: await signServing(authority, names, now()) };
  }

  async #get(signal: AbortSignal): Promise<Stored | null> {
    const { transport, namespace } = this.#dependencies;
    const response = await transport.request({ method: 'GET', path: objectPath(SECRETS, namespace, ADMISSION_SECRET), signal });
    const failure = failureOf(response);
    if (failure !== null) {
      if (isNotFound(failure)) return null;
      throw new ApiFault(`reading secret ${namespace}/${ADMISSION_SECRET}`, failure);
    }
    const secret = asObject(response.body, 'secret');
    const data = objectAt(secret, 'data');
    const text = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString('utf8');
    return {
      resourceVersion: textAt(objectAt(secret, 'metadata'), 'resourceVersion'),
      authority: { key: text('ca.key'), certificate: text('ca.crt') },
      former: text('former-ca.crt'),
      serving: { key: text('tls.key'), certificate: text('tls.crt') },
    };
  }

  /** Returns false where another replica wrote the Secret first. */
  async #write(stored: Omit<Stored, 'resourceVersion'>, resourceVersion: string | null, signal: AbortSignal): Promise<boolean> {
    const { transport, namespace } = this.#dependencies;
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: ADMISSION_SECRET, namespace, ...(resourceVersion === null ? {} : { resourceVersion }) },
      type: 'Opaque',
      stringData: {
        'ca.key': stored.authority.key,
        'ca.crt': stored.authority.certificate,
        'former-ca.crt': stored.former,
        'tls.key': stored.serving.key,
        'tls.crt': stored.serving.certificate,
      },
    };
    const isNew = resourceVersion === null;
    const path = isNew ? collectionPath(SECRETS, namespace) : objectPath(SECRETS, namespace, ADMISSION_SECRET);
    const response = await transport.request({ method: isNew ? 'POST' : 'PUT', path, body, signal });
    const failure = failureOf(response);
    if (failure === null) return true;
    if (isConflict(failure)) return false;
    throw new ApiFault(`writing secret ${namespace}/${ADMISSION_SECRET}`, failure);
  }
}

function servingOf({ authority, former, serving }: Omit<Stored, 'resourceVersion'>): ServingPair {
  return { pair: serving, authorities: [authority.certificate, former].filter((certificate) => certificate !== '').join('\n') };
}
