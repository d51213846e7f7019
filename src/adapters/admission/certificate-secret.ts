// The Secret by which all replicas serve with one certificate. The leader makes and renews it; the others read.

import type { Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import { collectionPath, objectPath, SECRETS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../kubernetes/status.ts';
import { asObject, objectAt, textAt } from '../kubernetes/wire.ts';
import type { KeyPair } from './admission-server.ts';
import { isUsableAuthority, makeAuthority, signServing, whyRenew } from './certificates.ts';

export const ADMISSION_SECRET = 'evenkeel-admission';

/** What is served, and what the API server is to trust. */
export interface ServingPair {
  readonly pair: KeyPair;
  /** PEM, one authority or, while one replaces another, both. */
  readonly authorities: string;
}

interface Stored {
  readonly resourceVersion: string;
  readonly authority: KeyPair;
  /** The authority before: certificates that it signed may still be served. */
  readonly former: string;
  readonly serving: KeyPair;
}

export interface CertificateSecretDependencies {
  readonly transport: ApiTransport;
  readonly namespace: string;
  /** By which the API server reaches the webhook. */
  readonly names: readonly string[];
  /** Real time, whatever the cluster's clock says: TLS is checked by it. */
  readonly now: () => Instant;
}

export class CertificateSecret {
  readonly #dependencies: CertificateSecretDependencies;

  constructor(dependencies: CertificateSecretDependencies) {
    this.#dependencies = dependencies;
  }

  /** What is to be served now; null where there is nothing yet and this replica may not make it. */
  async read(mayWrite: boolean, signal: AbortSignal): Promise<ServingPair | null> {
    const kept = await this.#get(signal);
    if (kept !== null && this.#why(kept) === null) return servingOf(kept);
    if (!mayWrite) return kept === null || kept.serving.certificate === '' ? null : servingOf(kept);
    const fresh = await this.#make(kept);
    if (await this.#write(fresh, kept?.resourceVersion ?? null, signal)) return servingOf(fresh);
    // Somebody else was first: theirs counts.
    const theirs = await this.#get(signal);
    return theirs === null ? null : servingOf(theirs);
  }

  #why({ serving, authority }: Stored): string | null {
    return whyRenew(serving, authority.certificate, this.#dependencies.names, this.#dependencies.now());
  }

  async #make(kept: Stored | null): Promise<Omit<Stored, 'resourceVersion'>> {
    const { names, now } = this.#dependencies;
    const goesOn = kept !== null && isUsableAuthority(kept.authority, now());
    const authority = goesOn ? kept.authority : await makeAuthority(now());
    const former = goesOn ? kept.former : (kept?.authority.certificate ?? '');
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

  /** False where another writer was first. */
  async #write(kept: Omit<Stored, 'resourceVersion'>, resourceVersion: string | null, signal: AbortSignal): Promise<boolean> {
    const { transport, namespace } = this.#dependencies;
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: ADMISSION_SECRET, namespace, ...(resourceVersion === null ? {} : { resourceVersion }) },
      type: 'Opaque',
      stringData: {
        'ca.key': kept.authority.key,
        'ca.crt': kept.authority.certificate,
        'former-ca.crt': kept.former,
        'tls.key': kept.serving.key,
        'tls.crt': kept.serving.certificate,
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
  return { pair: serving, authorities: [authority.certificate, former].filter((each) => each !== '').join('\n') };
}
