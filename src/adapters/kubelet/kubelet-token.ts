// The credential that kubelets are sent: a token of a ServiceAccount that may read nodes' metrics and nothing else. A node that was
// taken over keeps what it is sent.

import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../ports/clock.ts';
import { KUBELET_READER } from '../kubernetes/permissions.ts';
import { objectPath, SERVICE_ACCOUNTS } from '../kubernetes/resources.ts';
import { ApiFault, failureOf, isForbidden, isNotFound } from '../kubernetes/status.ts';
import { asObject, numberAt, objectAt, textAt } from '../kubernetes/wire.ts';

/** The shortest that the API server grants. */
const LIFETIME_S = 600;
/** After this share of its life a token is replaced. */
const RENEW_RATIO = 0.8;
/** A refused token, or one that could not be had, is asked for again no sooner. */
const ASK_AGAIN_MS: DurationMs = 30 * SECOND_MS;

interface KnownToken {
  readonly token: string;
  readonly askedAtMs: number;
  readonly lifetimeMs: DurationMs;
}

export interface KubeletTokenDependencies {
  readonly transport: ApiTransport;
  /** Evenkeel's own. */
  readonly namespace: string;
  readonly timer: MachineTimer;
}

/** Tokens by TokenRequest, each for ten minutes and renewed in time. */
export class KubeletToken {
  readonly #dependencies: KubeletTokenDependencies;
  #known: KnownToken | null = null;
  #asking: Promise<KnownToken> | null = null;
  #failed: { readonly atMs: number; readonly error: Error } | null = null;
  #refusal: string | null = null;

  constructor(dependencies: KubeletTokenDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why there is no such token to be had, with the remedy: the ServiceAccount is missing, or its tokens may not be made. null: there is. */
  refusal(): string | null {
    return this.#refusal;
  }

  /**
   * Rejects with what is wrong while there is no token that still counts.
   *
   * @param ask `fresh` after a kubelet has refused the last one
   */
  async headers(ask: { readonly fresh?: boolean } = {}): Promise<Readonly<Record<string, string>>> {
    const { token } = await this.#token(ask.fresh === true);
    return { authorization: `Bearer ${token}` };
  }

  async #token(fresh: boolean): Promise<KnownToken> {
    const now = this.#dependencies.timer.nowMs();
    const known = this.#known;
    const age = known === null ? Infinity : now - known.askedAtMs;
    const isDue = known === null || age >= known.lifetimeMs * RENEW_RATIO || (fresh && age >= ASK_AGAIN_MS);
    if (known !== null && !isDue) return known;
    const isUsable = known !== null && age < known.lifetimeMs;
    if (this.#failed !== null && now - this.#failed.atMs < ASK_AGAIN_MS) {
      if (isUsable) return known;
      throw this.#failed.error;
    }
    this.#asking ??= this.#ask(now).finally(() => (this.#asking = null));
    return this.#asking.catch((err: unknown) => {
      if (isUsable) return known;
      throw err;
    });
  }

  async #ask(now: number): Promise<KnownToken> {
    try {
      const known = await this.#request(now);
      [this.#known, this.#failed, this.#refusal] = [known, null, null];
      return known;
    } catch (err) {
      this.#failed = { atMs: now, error: err as Error };
      throw err;
    }
  }

  async #request(askedAtMs: number): Promise<KnownToken> {
    const { transport, namespace } = this.#dependencies;
    const response = await transport.request({
      method: 'POST',
      path: objectPath(SERVICE_ACCOUNTS, namespace, KUBELET_READER, 'token'),
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: LIFETIME_S } },
      timeoutMs: MINUTE_MS,
    });
    const failure = failureOf(response);
    if (failure !== null) {
      if (isForbidden(failure) || isNotFound(failure)) this.#refusal = refusalWords(namespace, failure.message);
      throw new ApiFault(`asking for a token of ServiceAccount ${namespace}/${KUBELET_READER}, which kubelets are read with`, failure);
    }
    const body = asObject(response.body, 'token request');
    const token = textAt(objectAt(body, 'status'), 'token');
    if (token === '') throw new Error(`the API server has made an empty token for ServiceAccount ${namespace}/${KUBELET_READER}`);
    const seconds = numberAt(objectAt(body, 'spec'), 'expirationSeconds', LIFETIME_S, 'spec.expirationSeconds');
    return { token, askedAtMs, lifetimeMs: Math.min(seconds, LIFETIME_S) * SECOND_MS };
  }
}

/** @param why the API server's words */
export function refusalWords(namespace: string, why: string): string {
  const remedy = `apply the ServiceAccount and the roles of the chart or of config/rbac, or set kubelet.viaProxy: true`;
  return `no token of ServiceAccount ${namespace}/${KUBELET_READER} is to be had (${why}): ${remedy}`;
}
