// The credential sent to kubelets: a token of a ServiceAccount with read access to node metrics only, since a compromised node can reuse
// the token.

import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../ports/clock.ts';
import { KUBELET_READER } from '../kubernetes/access/permissions.ts';
import { objectPath, SERVICE_ACCOUNTS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isForbidden, isNotFound } from '../kubernetes/status.ts';
import { asObject, numberAt, objectAt, textAt } from '../kubernetes/wire.ts';

/** The minimum lifetime that the API server grants. */
const LIFETIME_S = 600;
/** Fraction of its lifetime after which a token is renewed. */
const RENEW_RATIO = 0.8;
/** Minimum interval between requests after a rejected token or a failed request. */
const TOKEN_RETRY_MS: DurationMs = 30 * SECOND_MS;

interface IssuedToken {
  readonly token: string;
  readonly requestedAtMs: number;
  readonly lifetimeMs: DurationMs;
}

export interface KubeletTokenDependencies {
  readonly transport: ApiTransport;
  /** Namespace of Evenkeel. */
  readonly namespace: string;
  readonly timer: MachineTimer;
}

/** Requests short-lived tokens by TokenRequest and renews them before they expire. */
export class KubeletToken {
  readonly #dependencies: KubeletTokenDependencies;
  #token: IssuedToken | null = null;
  #inFlight: Promise<IssuedToken> | null = null;
  #failed: { readonly atMs: number; readonly error: Error } | null = null;
  #refusal: string | null = null;

  constructor(dependencies: KubeletTokenDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Why no token can be created, with the remedy: the ServiceAccount is missing or TokenRequests are forbidden. null: tokens can be
   * created.
   */
  refusal(): string | null {
    return this.#refusal;
  }

  /**
   * The authorization header. Rejects while there is no valid token.
   * @param ask `fresh` after a kubelet has rejected the last token
   */
  async headers(ask: { readonly fresh?: boolean } = {}): Promise<Readonly<Record<string, string>>> {
    const { token } = await this.#getToken(ask.fresh === true);
    return { authorization: `Bearer ${token}` };
  }

  async #getToken(fresh: boolean): Promise<IssuedToken> {
    const now = this.#dependencies.timer.nowMs();
    const issued = this.#token;
    const age = issued === null ? Infinity : now - issued.requestedAtMs;
    const isDue = issued === null || age >= issued.lifetimeMs * RENEW_RATIO || (fresh && age >= TOKEN_RETRY_MS);
    if (issued !== null && !isDue) return issued;
    const isUsable = issued !== null && age < issued.lifetimeMs;
    if (this.#failed !== null && now - this.#failed.atMs < TOKEN_RETRY_MS) {
      if (isUsable) return issued;
      throw this.#failed.error;
    }
    this.#inFlight ??= this.#requestToken(now).finally(() => (this.#inFlight = null));
    return this.#inFlight.catch((err: unknown) => {
      if (isUsable) return issued;
      throw err;
    });
  }

  async #requestToken(now: number): Promise<IssuedToken> {
    try {
      const issued = await this.#request(now);
      [this.#token, this.#failed, this.#refusal] = [issued, null, null];
      return issued;
    } catch (err) {
      this.#failed = { atMs: now, error: err as Error };
      throw err;
    }
  }

  async #request(requestedAtMs: number): Promise<IssuedToken> {
    const { transport, namespace } = this.#dependencies;
    const response = await transport.request({
      method: 'POST',
      path: objectPath(SERVICE_ACCOUNTS, namespace, KUBELET_READER, 'token'),
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: LIFETIME_S } },
      timeoutMs: MINUTE_MS,
    });
    const failure = failureOf(response);
    if (failure !== null) {
      if (isForbidden(failure) || isNotFound(failure)) this.#refusal = explainRefusal(namespace, failure.message);
      throw new ApiFault(`requesting a token of ServiceAccount ${namespace}/${KUBELET_READER} for reading kubelets`, failure);
    }
    const body = asObject(response.body, 'token request');
    const token = textAt(objectAt(body, 'status'), 'token');
    if (token === '') throw new Error(`the API server returned an empty token for ServiceAccount ${namespace}/${KUBELET_READER}`);
    const seconds = numberAt(objectAt(body, 'spec'), 'expirationSeconds', LIFETIME_S, 'spec.expirationSeconds');
    return { token, requestedAtMs, lifetimeMs: Math.min(seconds, LIFETIME_S) * SECOND_MS };
  }
}

/** The problem and remedy where no token can be created. @param why the API server's message */
export function explainRefusal(namespace: string, why: string): string {
  const remedy = `apply the ServiceAccount and the roles of the chart or of config/rbac, or set kubelet.viaProxy: true`;
  return `no token of ServiceAccount ${namespace}/${KUBELET_READER} can be created (${why}): ${remedy}`;
}
