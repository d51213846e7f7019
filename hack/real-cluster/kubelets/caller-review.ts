// Authenticates and authorizes the callers of a kubelet with the API server's reviews, for the resources that a kubelet uses. A role
// without `nodes/metrics` gets a 403 as in production.

import type { ApiTransport } from '#kube/api-transport';

export type Caller = { readonly token: string } | { readonly user: string; readonly groups: readonly string[] };
type Verdict = 'allowed' | 'forbidden' | 'unknown';

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

const CACHE_MS = 10_000;

export class CallerReview {
  readonly #transport: ApiTransport;
  readonly #identities = new ExpiringCache<Identity | null>();
  readonly #verdicts = new ExpiringCache<boolean>();

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  async review(caller: Caller, node: string, path: string): Promise<Verdict> {
    const identity = 'token' in caller ? await this.#identities.get(caller.token, () => this.#identify(caller.token)) : caller;
    if (identity === null) return 'unknown';
    const subresource = subresourceOf(path);
    const allowed = await this.#verdicts.get(JSON.stringify([identity, node, subresource]), () => this.#ask(identity, node, subresource));
    return allowed ? 'allowed' : 'forbidden';
  }

  async #identify(token: string): Promise<Identity | null> {
    const status = await this.#create('authentication.k8s.io', 'tokenreviews', 'TokenReview', { token });
    const { authenticated, user } = status as { authenticated?: boolean; user?: { username: string; groups?: readonly string[] } };
    return authenticated === true && user !== undefined ? { user: user.username, groups: user.groups ?? [] } : null;
  }

  async #ask({ user, groups }: Identity, node: string, subresource: string): Promise<boolean> {
    const resourceAttributes = { verb: 'get', version: 'v1', resource: 'nodes', subresource, name: node };
    const spec = { user, groups, resourceAttributes };
    const status = await this.#create('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview', spec);
    return (status as { allowed?: boolean }).allowed === true;
  }

  async #create(group: string, plural: string, kind: string, spec: object): Promise<unknown> {
    const answer = await this.#transport.request({
      method: 'POST',
      path: `/apis/${group}/v1/${plural}`,
      body: { apiVersion: `${group}/v1`, kind, spec },
    });
    if (answer.status !== 201) throw new Error(`${kind} of a kubelet's caller: HTTP ${answer.status}`);
    return (answer.body as { status: unknown }).status;
  }
}

function subresourceOf(path: string): string {
  if (path.startsWith('/stats')) return 'stats';
  if (path.startsWith('/metrics')) return 'metrics';
  return path === '/healthz' ? 'healthz' : 'proxy';
}

/** Caches results for a while; a failure is not cached. */
class ExpiringCache<T> {
  readonly #entries = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = performance.now();
    const cached = this.#entries.get(key);
    if (cached !== undefined && cached.until > now) return cached.answer;
    for (const [other, { until }] of this.#entries) if (until <= now) this.#entries.delete(other);
    const answer = ask();
    this.#entries.set(key, { until: now + CACHE_MS, answer });
    answer.catch(() => this.#entries.delete(key));
    return answer;
  }
}
