// Two replicas on a real control plane, the second one behind a proxy that cuts or delays its watches, or refuses its requests; and tries
// that revoke a permission through one of them and then use it on both.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { newSession, sealSession } from '../../src/server/auth/session-cookie.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { startController, type Controller } from '../e2e/controller-process.ts';
import { ROOT, type TestFixture } from '../e2e/processes.ts';
import { eventually, HANG_MS } from '../eventually.ts';
import { FaultProxy } from '../fakes/clients/fault-proxy.ts';
import { OWN_NAMESPACE, startInstalledCluster } from './installed-controller.ts';
import type { RealCluster } from './real-cluster.ts';
import { SharedGrants, type Answer, type Grant } from './shared-grants.ts';

const ADMIN = 'root@example.com';
const VIEWER = 'eve@example.com';
const SECRETS = `/api/v1/namespaces/${OWN_NAMESPACE}/secrets`;
const POLICY = '/apis/evenkeel.io/v1alpha1/accesspolicies/default';
const WATCH_DELAY_MS = 30_000;

/** What the second replica's connection to the API server has while a permission is revoked. */
export const FAULTS = ['healthy', 'watch cut', 'watch delayed 30 s', 'API server gone'] as const;
export type ConnectionFault = (typeof FAULTS)[number];

type Headers = Readonly<Record<string, string>>;

/** A permission that both replicas accept. */
interface Permission {
  readonly kind: Kind;
  readonly credential: Headers;
  readonly revoke: (through: 0 | 1) => Promise<Answer>;
  /** Whether the API server has the change. */
  readonly isStored: () => Promise<boolean>;
  /** Called after the try. */
  readonly forget?: () => void;
}

/** Outcome of one try. */
export interface Try {
  readonly kind: Kind;
  /** Why there was no answer, so that nothing was promised; null: there was one. */
  readonly failure: string | null;
  /** Time from the request to revoke to its answer. */
  readonly ms: number;
  /** Whether the answer says that some replica has not confirmed in time. */
  readonly isWarned: boolean;
  /** Statuses of the next request on each replica. */
  readonly next: readonly number[];
  /** Requests that the second replica allowed after the change was stored, and before the answer. */
  readonly allowedBefore: number;
}

/** What is revoked: a key, a session, or a grant, which is removed or narrowed to another namespace. */
export const KINDS = ['key', 'removed grant', 'session', 'narrowed grant'] as const;
export type Kind = (typeof KINDS)[number];

export class RevocationWorld {
  readonly #cluster: RealCluster;
  readonly #proxy: FaultProxy;
  readonly #replicas: readonly [Controller, Controller];
  readonly #grants: SharedGrants;
  #kinds: readonly Kind[] = KINDS;
  #users = 0;
  #admin = '';

  private constructor(cluster: RealCluster, proxy: FaultProxy, replicas: readonly [Controller, Controller]) {
    this.#cluster = cluster;
    this.#proxy = proxy;
    this.#replicas = replicas;
    this.#grants = new SharedGrants(
      (through) => this.#send(through, 'GET', 'access-policy', { cookie: this.#admin }),
      (through, policy) => this.#send(through, 'PUT', 'access-policy', { cookie: this.#admin }, policy),
    );
  }

  static async start(fixture: TestFixture): Promise<RevocationWorld> {
    const cluster = await startInstalledCluster(fixture, 'revocation', 1);
    await cluster.kubectl('apply', '-k', join(ROOT, 'config/auth'));
    const kubeconfig = await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, 'evenkeel-controller');
    const { server, tls } = await resolveKubeConfig({ path: cluster.kubeconfig, timer: new SystemTimer() });
    const { cert: _cert, key: _key, ...trust } = tls;
    const proxy = await FaultProxy.start({ server, tls: trust, headers: () => Promise.resolve({}) });
    fixture.addCleanup(() => proxy.close());
    const settings = {
      'kubelet.port': String(cluster.ports.kubelet),
      namespace: OWN_NAMESPACE,
      'auth.enabled': 'true',
      'auth.initialAdmin': ADMIN,
      // Each try ends with two refused requests from one address.
      'rateLimit.failedAuthenticationsPerMinute': '1000',
    };
    const through = join(fixture.folder, 'through-the-proxy.kubeconfig');
    writeFileSync(through, kubeconfigOf(proxy.url, await cluster.tokenFor(OWN_NAMESPACE, 'evenkeel-controller')));
    const replicas = await Promise.all([
      startController(fixture, { ...settings, 'kubernetes.kubeconfig': kubeconfig }),
      startController(fixture, { ...settings, 'kubernetes.kubeconfig': through }),
    ]);
    const world = new RevocationWorld(cluster, proxy, replicas);
    await world.#prepare();
    return world;
  }

  /**
   * Revokes so many permissions, with the fault for the second replica, and uses each on both replicas after its answer. @param lanes revokes
   * at the same time
   */
  async tries(count: number, fault: ConnectionFault, lanes: number): Promise<readonly Try[]> {
    const outcomes: Try[] = [];
    if (fault === 'healthy') {
      let started = 0;
      const lane = async (): Promise<void> => {
        while (started < count) {
          const index = started++;
          const permission = await this.#permission(this.#kindAt(index));
          // Each kind through each replica.
          const through = Math.floor(index / KINDS.length) % 2 === 0 ? 0 : 1;
          outcomes.push(await this.#try(permission, fault, through));
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return outcomes;
    }
    for (let round = 0; outcomes.length < count; round += 1) {
      // Every second round through the replica with the fault, where that can write.
      const through = fault !== 'API server gone' && round % 2 === 1 ? 1 : 0;
      const kinds = Array.from({ length: Math.min(lanes, count - outcomes.length) }, (_, index) => this.#kindAt(index));
      const permissions = await Promise.all(kinds.map((kind) => this.#permission(kind)));
      const end = await this.#begin(fault);
      outcomes.push(...(await Promise.all(permissions.map((permission) => this.#try(permission, fault, through)))));
      await end();
    }
    return outcomes;
  }

  async #try({ kind, credential, revoke, isStored, forget }: Permission, fault: ConnectionFault, through: 0 | 1): Promise<Try> {
    let isAnswered = false;
    const answering = revoke(through).finally(() => (isAnswered = true));
    const using = fault === 'healthy' ? Promise.resolve(0) : this.#useUntil(credential, isStored, () => isAnswered);
    // Awaited below; where the revoke fails first, that is what is reported.
    using.catch(() => undefined);
    const { status, ms, warnings, error } = await answering;
    const next = await Promise.all([this.#use(0, credential), this.#use(1, credential)]);
    forget?.();
    const failure = status === 200 ? null : `HTTP ${status}: ${error}`;
    const isWarned = warnings.some(({ code }) => code === 'replica_not_confirmed');
    return { kind, failure, ms, isWarned, next, allowedBefore: await using };
  }

  /** Uses the permission on the second replica until the revoke is answered. Returns how often that was allowed after the change. */
  async #useUntil(credential: Headers, isStored: () => Promise<boolean>, isAnswered: () => boolean): Promise<number> {
    let allowed = 0;
    let isRevoked = false;
    while (!isAnswered()) {
      isRevoked ||= await isStored();
      if (!isRevoked) continue;
      const status = await this.#use(1, credential);
      // One that overlaps the answer counts for neither side.
      if (status === 200 && !isAnswered()) allowed += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return allowed;
  }

  #kindAt(index: number): Kind {
    return this.#kinds[index % this.#kinds.length]!;
  }

  async #permission(kind: Kind): Promise<Permission> {
    const permission = kind === 'key' ? await this.#key() : kind === 'session' ? await this.#session() : await this.#grant(kind);
    await eventually('both replicas accept the credential: their watches have reported it', HANG_MS, async () => {
      return (await this.#use(0, permission.credential)) === 200 && (await this.#use(1, permission.credential)) === 200;
    });
    return permission;
  }

  async #key(): Promise<Permission> {
    const created = await this.#send(0, 'POST', 'api-keys', { cookie: this.#admin }, { email: VIEWER, label: 'test' });
    if (created.status !== 201) throw new Error(`creating a key: HTTP ${created.status}`);
    const { id, key } = created.data as { readonly id: string; readonly key: string };
    return {
      kind: 'key',
      credential: { authorization: `Bearer ${key}` },
      revoke: (through) => this.#send(through, 'DELETE', `api-keys/${id}`, { cookie: this.#admin }),
      isStored: async () => (await this.#cluster.api.request({ method: 'GET', path: `${SECRETS}/evenkeel-api-key-${id}` })).status === 404,
    };
  }

  async #session(): Promise<Permission> {
    const session = newSession(VIEWER, Date.now());
    const cookie = await this.#seal(session);
    return {
      kind: 'session',
      credential: { cookie },
      revoke: (through) => this.#send(through, 'POST', 'auth/logout', { cookie }),
      isStored: async () => {
        const { body } = await this.#cluster.api.request({ method: 'GET', path: `${SECRETS}/evenkeel-ended-sessions` });
        return session.id in ((body as { readonly data?: object }).data ?? {});
      },
    };
  }

  async #grant(kind: Kind): Promise<Permission> {
    const email = `user-${(this.#users += 1)}@example.com`;
    await this.#grants.change(0, email, { role: 'viewer', namespaces: ['*'] });
    const after: Grant = kind === 'removed grant' ? null : { role: 'viewer', namespaces: ['other'] };
    return {
      kind,
      credential: { cookie: await this.#seal(newSession(email, Date.now())) },
      revoke: (through) => this.#grants.change(through, email, after),
      forget: () => this.#grants.forget(email),
      isStored: async () => {
        const { body } = await this.#cluster.api.request({ method: 'GET', path: POLICY });
        const { grants } = (body as { readonly spec: { readonly grants: readonly (Grant & { readonly email: string })[] } }).spec;
        return !grants.some((grant) => grant.email === email && grant.namespaces.includes('*'));
      },
    };
  }

  async #use(replica: 0 | 1, credential: Headers): Promise<number> {
    return (await this.#send(replica, 'GET', 'recommendations?limit=1&namespace=default', credential)).status;
  }

  async #send(replica: 0 | 1, method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> {
    const url = `${this.#replicas[replica].dashboard}/api/v1/${path}`;
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...content };
    const startedMs = performance.now();
    const { status, text } = await boundedFetch(url, path, init);
    const ms = performance.now() - startedMs;
    const { data, meta, error } = JSON.parse(text) as {
      readonly data: unknown;
      readonly meta: { readonly warnings?: Answer['warnings'] };
      readonly error?: { readonly message: string };
    };
    return { ms, status, data, warnings: meta.warnings ?? [], error: error?.message ?? '' };
  }

  /** Begins the fault of the second replica's connection. Returns the function that ends it, and waits until the replica serves again. */
  async #begin(fault: ConnectionFault): Promise<() => Promise<void>> {
    const end = await this.#fault(fault);
    return async () => {
      await end();
      const serves = async (): Promise<boolean> => (await this.#use(1, { cookie: this.#admin })) === 200;
      await eventually('the second replica serves: it reaches the API server again', HANG_MS, serves);
    };
  }

  async #fault(fault: ConnectionFault): Promise<() => Promise<void>> {
    if (fault === 'healthy') return () => Promise.resolve();
    if (fault === 'API server gone') {
      await this.#proxy.refuse();
      return () => this.#proxy.accept();
    }
    const trouble = fault === 'watch cut' ? 'cut' : { eventsAfterMs: WATCH_DELAY_MS };
    const running = this.#proxy.begin({ verbs: ['watch'], trouble });
    this.#proxy.closeWatches();
    return () => {
      running.end();
      this.#proxy.closeWatches();
      return Promise.resolve();
    };
  }

  async #prepare(): Promise<void> {
    await eventually('the leader has created the session key: authentication is enabled', HANG_MS, async () => {
      this.#admin = await this.#seal(newSession(ADMIN, Date.now()));
      return true;
    });
    const grants = [
      { email: ADMIN, role: 'admin' },
      { email: VIEWER, role: 'viewer', namespaces: ['*'] },
    ];
    await eventually('the viewer is granted: the leader has created the AccessPolicy', HANG_MS, async () => {
      await this.#cluster.kubectl('patch', 'accesspolicy', 'default', '--type=merge', '-p', JSON.stringify({ spec: { grants } }));
      return true;
    });
    const isServed = async (): Promise<boolean> =>
      (await this.#use(0, { cookie: this.#admin })) === 200 && (await this.#use(1, { cookie: this.#admin })) === 200;
    await eventually('both replicas serve: their caches have synced', HANG_MS, isServed);
    // Versions without this route change grants with kubectl alone, which no answer confirms.
    const { status } = await this.#send(0, 'GET', 'access-policy', { cookie: this.#admin });
    if (status === 404) this.#kinds = ['key', 'session'];
  }

  /** A cookie as a sign-in sends it, without the time that a password takes. */
  async #seal(session: ReturnType<typeof newSession>): Promise<string> {
    const { data } = await this.#cluster.api.expect<{ readonly data: Readonly<Record<string, string>> }>({
      method: 'GET',
      path: `${SECRETS}/evenkeel-session-keys`,
    });
    const [[id, value] = ['', '']] = Object.entries(data);
    const bytes = Buffer.from(Buffer.from(value, 'base64').toString('utf8'), 'base64');
    return `evenkeel=${sealSession(session, [{ id, bytes }])}`;
  }
}

/** Plain HTTP is accepted only without certificate verification. */
function kubeconfigOf(server: string, token: string): string {
  const named = (content: object): object[] => [{ name: 'proxy', ...content }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named({ cluster: { server, 'insecure-skip-tls-verify': true } }),
    users: named({ user: { token } }),
    contexts: named({ context: { cluster: 'proxy', user: 'proxy' } }),
    'current-context': 'proxy',
  });
}
